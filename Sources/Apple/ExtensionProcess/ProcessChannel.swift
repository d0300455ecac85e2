import BelfryProtocol
import BelfrySyscalls
import Glibc
import HostChannel
import UserNotifications

/// This process's end of the channel to its host. Any thread may say something; one reads.
final class ProcessChannel: @unchecked Sendable {
    /// Where the host is.
    static let hostDescriptor: Int32 = 3

    private let descriptor: Int32
    private let lock = NSLock()
    private var isClosed = false

    /// The channel at `descriptor`, which is closed by ``close()``; nil if there is no socket.
    init?(descriptor: Int32) {
        guard fileKind(of: descriptor) == S_IFSOCK else { return nil }
        self.descriptor = descriptor
        // Children of the code's do not keep the host waiting.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Says `message`, one at a time, and passes `file` beside it. A host that has left hears nothing.
    func say(_ message: ExtensionMessage, passing file: PassedFile? = nil) {
        let line = message.line
        lock.withLock {
            if !isClosed { _ = sendAll(line, passing: file?.descriptor.number, to: descriptor) }
        }
    }

    /// The host is gone. Called by the thread that reads: code of the extension's may yet have something to say.
    func close() {
        lock.withLock {
            isClosed = true
            Glibc.close(descriptor)
        }
    }

    /// Waits for what the host says next; empty at its end.
    func read() -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count >= 0 { return Array(chunk[..<count]) }
            if errno != EINTR { return [] }
        }
    }
}
