package import BelfrySyscalls
import BelfryTerms
import Glibc
package import KeeperChannel

/// This process's end of the channel to its keeper. Any thread may write; one reads.
package final class ProcessChannel: @unchecked Sendable {
    /// The descriptor of the channel to the keeper.
    package static let keeperDescriptor: Int32 = 3

    private let descriptor: Int32
    private let lock = NSLock()
    private var isClosed = false

    /// The channel at `descriptor`, which ``close()`` closes; nil if that is no socket.
    package init?(descriptor: Int32) {
        guard fileKind(of: descriptor) == S_IFSOCK else { return nil }
        self.descriptor = descriptor
        // Otherwise child processes of the code would hold the channel open, and the keeper waits for its end.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Sends `line`, one at a time, and passes `file` with it. Does nothing if the keeper has left.
    package func say(_ line: [UInt8], passing file: PassedFile? = nil) {
        lock.withLock {
            if !isClosed { _ = sendAll(line, passing: file?.descriptor.number, to: descriptor) }
        }
    }

    /// The keeper is gone. Called by the reading thread. The extension's code may still write: the lock keeps it from
    /// writing to another file that gets this descriptor.
    package func close() {
        lock.withLock {
            isClosed = true
            Glibc.close(descriptor)
        }
    }

    /// Waits for the keeper's next bytes; empty at the end.
    package func read() -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count >= 0 { return Array(chunk[..<count]) }
            if errno != EINTR { return [] }
        }
    }
}

extension ProcessChannel {
    /// Sends `message`, and passes `file` with it.
    package func say(_ message: ExtensionMessage, passing file: PassedFile? = nil) {
        say(message.line, passing: file)
    }

    /// Sends what a module says to the keeper.
    package func pass(_ word: KeeperDoor.Word) {
        switch word {
        // 0: which notification's code it is cannot be known. The keeper assumes the last one's.
        case .asked(let asked): say(.asked(0, asked))
        case .sound(let found, let file): say(.sound(found), passing: file)
        case .disposed(let sound): say(.disposed(sound))
        case .output(let output): say(.output(0, output))
        case .warning(let code, let detail): say(.warning(0, CodeWord(code), detail: detail))
        }
    }
}
