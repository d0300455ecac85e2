import BootTime
import EventLoop
import Events
import Glibc
import PushClient

/// Whether a push gets through.
enum SocketChecks {
    /// Shows nothing and rings nothing, but goes the whole way.
    private static let probe = Array(#"{"aps":{"content-available":1}}"#.utf8)
    private static let patience = TimeSpan.seconds(5)

    /// The socket's owner and mode, and a notification through it.
    static func run(_ context: Context) -> [Finding] {
        do throws(CommandError) {
            let socket = try context.socket()
            if let finding = permissions(socket.path) { return [finding] }
            return [try push(to: socket)]
        } catch {
            return [Finding(.fail, "socket", error.problem, mend: error.remedy)]
        }
    }

    private static func permissions(_ path: String) -> Finding? {
        var status = stat()
        // What is not there, connecting explains best.
        guard unsafe stat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            return Finding(.fail, "socket", "\(path) is no socket", mend: "remove it, then restart belfry.socket")
        }
        guard status.st_uid == getuid() || getuid() == 0 else {
            return Finding(.fail, "socket", "\(path) belongs to user \(status.st_uid)", mend: "give --socket")
        }
        guard status.st_mode & 0o022 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            return Finding(.fail, "socket", "others may push to \(path), mode \(mode)", mend: "chmod 600 \(path)")
        }
        return nil
    }

    private static func push(to socket: PushSocket) throws(CommandError) -> Finding {
        let loop = try Command.makeLoop()
        let start = loop.now
        var isDelivered = false
        var failure: PushError?
        let connection: PushConnection
        do throws(PushError) {
            connection = try PushConnection(
                to: socket, sending: probe, on: loop,
                onLine: { line in
                    if case .delivered? = line.event?.body { isDelivered = true }
                },
                onEnd: { error in
                    failure = error
                    loop.stop()
                })
        } catch {
            throw CommandError(error)
        }
        _ = loop.schedule(at: start + patience, description: "patience") { loop.stop() }
        loop.run()
        connection.cancel()
        if let failure { throw CommandError(failure) }
        guard isDelivered else {
            let detail = "a worker was asked for at \(socket.path), but delivered nothing"
            return Finding(.fail, "socket", detail, mend: "see journalctl --user -t belfry-worker -t systemd")
        }
        let elapsed = DecimalText.fixed((loop.now - start).seconds * 1_000, digits: 1)
        return Finding(.ok, "socket", "a notification went through \(socket.path) in \(elapsed) ms")
    }
}
