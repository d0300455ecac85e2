import BelfryProtocol
package import BelfrySyscalls
package import UserNotifications

/// An extension that runs in another process, such as that of its tests.
package struct Lodging: Sendable {
    /// Its folder.
    let bundle: String
    /// The temporary folder of the process that stands in for it.
    let temporary: String

    /// An extension in the folder `bundle`, whose own process would have its temporary files in `temporary`.
    package init(bundle: String, temporary: String) {
        self.bundle = bundle
        self.temporary = temporary
    }

    /// Runs an extension on threads of this process, with its keeper at `channel`, and blocks until the keeper leaves.
    /// `makeService` is evaluated for each notification. Returns the notifications whose `didReceive` still runs:
    /// nothing can end a thread.
    package func run(
        _ channel: PassedFile, _ makeService: @escaping @Sendable () -> BelfryServiceExtension
    ) -> [String] {
        guard let own = try? channel.descriptor.duplicate(),
            let channel = ProcessChannel(descriptor: own.release())
        else { return [] }
        return Visits(channel: channel, lodging: self, makeService: makeService).serve()
    }

    /// `content`, with attachments in this process's temporary folder or home moved to the extension's own temporary
    /// folder: its keeper lets no others through.
    func withOwnAttachments(_ content: NotificationContent) -> NotificationContent {
        var content = content
        let moved = { (attachment: NotificationAttachment) -> NotificationAttachment in
            let own = [NSTemporaryDirectory(), NSHomeDirectory()].map { URL(fileURLWithPath: $0).path + "/" }
            guard own.contains(where: attachment.path.hasPrefix), !attachment.path.hasPrefix(temporary + "/") else {
                return attachment
            }
            let file = URL(fileURLWithPath: attachment.path)
            let path = "\(temporary)/\(UUID().uuidString)-\(file.lastPathComponent)"
            do {
                try FileManager.default.moveItem(atPath: file.path, toPath: path)
            } catch {
                return attachment
            }
            return NotificationAttachment(
                id: attachment.id, path: path, type: attachment.type, thumbnail: attachment.thumbnail)
        }
        content.attachments = content.attachments.map(moved)
        content.picture = content.picture.map(moved)
        return content
    }
}
