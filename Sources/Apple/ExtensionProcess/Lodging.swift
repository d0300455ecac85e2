import BelfryProtocol
package import BelfrySyscalls
package import UserNotifications

/// An extension in a process that is not its own, such as that of its tests.
package struct Lodging: Sendable {
    /// Its folder.
    let bundle: String
    /// The temporary folder of the process that stands for it.
    let temporary: String

    /// An extension in the folder `bundle`, whose own process would have its temporary files in `temporary`.
    package init(bundle: String, temporary: String) {
        self.bundle = bundle
        self.temporary = temporary
    }

    /// Runs an extension on threads of this process, with its keeper at `channel`, until that leaves; blocks until
    /// then. `makeService` is evaluated anew for each notification. The notifications whose `didReceive` still runs:
    /// nothing ends a thread.
    package func run(
        _ channel: PassedFile, _ makeService: @escaping @Sendable () -> UNNotificationServiceExtension
    ) -> [String] {
        guard let own = try? channel.descriptor.duplicate(),
            let channel = ProcessChannel(descriptor: own.release())
        else { return [] }
        return Visits(channel: channel, lodging: self, makeService: makeService).serve()
    }

    /// `content` with the attachments that lie where this process has its temporary files and its home moved to where
    /// the extension's own would: its keeper lets no others through.
    func withOwnAttachments(_ content: NotificationContent) -> NotificationContent {
        var content = content
        content.attachments = content.attachments.map { attachment in
            let own = [NSTemporaryDirectory(), NSHomeDirectory()].map { URL(fileURLWithPath: $0).path + "/" }
            guard own.contains(where: attachment.path.hasPrefix), !attachment.path.hasPrefix(temporary + "/") else {
                return attachment
            }
            let file = URL(fileURLWithPath: attachment.path)
            let moved = "\(temporary)/\(UUID().uuidString)-\(file.lastPathComponent)"
            do {
                try FileManager.default.moveItem(atPath: file.path, toPath: moved)
            } catch {
                return attachment
            }
            return NotificationAttachment(
                id: attachment.id, path: moved, type: attachment.type, thumbnail: attachment.thumbnail)
        }
        return content
    }
}
