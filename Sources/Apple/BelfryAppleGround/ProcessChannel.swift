package import BelfrySyscalls
import Glibc

/// This process's end of the channel to its keeper. Any thread may say something; one reads.
package final class ProcessChannel: @unchecked Sendable {
    /// Where the keeper is.
    package static let keeperDescriptor: Int32 = 3

    private let descriptor: Int32
    private let lock = NSLock()
    private var isClosed = false

    /// The channel at `descriptor`, which is closed by ``close()``; nil if there is no socket.
    package init?(descriptor: Int32) {
        guard fileKind(of: descriptor) == S_IFSOCK else { return nil }
        self.descriptor = descriptor
        // Children of the code's do not keep the keeper waiting.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Says `line`, one at a time, and passes `file` beside it. A keeper that has left hears nothing.
    package func say(_ line: [UInt8], passing file: PassedFile? = nil) {
        lock.withLock {
            if !isClosed { _ = sendAll(line, passing: file?.descriptor.number, to: descriptor) }
        }
    }

    /// The keeper is gone. Called by the thread that reads: code of the extension's may yet have something to say.
    package func close() {
        lock.withLock {
            isClosed = true
            Glibc.close(descriptor)
        }
    }

    /// Waits for what the keeper says next; empty at its end.
    package func read() -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count >= 0 { return Array(chunk[..<count]) }
            if errno != EINTR { return [] }
        }
    }
}
