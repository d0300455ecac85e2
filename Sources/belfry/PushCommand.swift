import Glibc
import JSON
import PushPayload
import Syscalls

extension Command {
    static let noFollow = Option("no-follow", "leave as soon as the notification is accepted")

    /// `belfry push`.
    static let push = Command(
        name: "push", synopsis: ["push FILE|- [--no-follow]"],
        summary: "inject a payload or an envelope, and follow it",
        details: """
            FILE holds one JSON object: an APNs payload (it has "aps"; a simctl push file is one), or an envelope
            {"payload": {...}, "id": ..., "pushType": ..., "sentAt": ..., "expiration": ..., "appGroup": ...}.
            "-" is standard input. With --group the notification is pushed for that app group.
            """,
        options: [noFollow], arguments: 1...1
    ) { context throws(CommandError) in
        let notification = try NotificationFile.read(context.options.arguments[0])
        return try PushRun.push(addressed(notification, to: context.statedGroup), context)
    }

    /// `notification` for the app group `group`; as it is where there is none, or where it is nothing to put in an
    /// envelope, so that the worker says what is wrong with it.
    static func addressed(_ notification: [UInt8], to group: String?) -> [UInt8] {
        guard let group, let value = try? JSONValue.parse(notification), var object = value.objectValue else {
            return notification
        }
        if object["aps"] != nil || object["payload"] == nil { object = ["payload": .object(object)] }
        object["appGroup"] = .string(group)
        return JSONValue.object(object).serialized()
    }
}

/// The file that `belfry push` reads.
enum NotificationFile {
    /// More than the worker takes, so that it is the worker who refuses.
    static let bytesMax = 1 << 20

    /// The bytes of the file at `path`; `-` is standard input.
    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        do throws(SystemError) {
            guard path != "-" else { return try bytes(of: STDIN_FILENO, "standard input") }
            let number = try checked("open", on: path) { unsafe open(path, O_RDONLY | O_CLOEXEC) }
            let file = OwnedDescriptor(owning: number)
            return try bytes(of: file.number, path)
        } catch {
            throw CommandError(.badNotification, "the notification cannot be read", "\(error)")
        }
    }

    private static func bytes(of descriptor: Int32, _ name: String) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < bytesMax {
            let count = try checked("read", on: name) {
                unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            }
            guard count > 0 else { break }
            bytes.append(contentsOf: chunk.prefix(count))
        }
        return bytes
    }
}
