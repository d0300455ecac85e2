import Glibc
import JSON

/// Standard output and standard error, written at once and never with a signal.
final class Output {
    /// Whether standard output is a terminal.
    let isTerminal: Bool
    /// Whether somebody still reads standard output; false once a pipe's reader has left.
    private(set) var isOpen = true

    /// The output of this process, for which SIGPIPE is ignored from now on.
    init() {
        isTerminal = isatty(STDOUT_FILENO) == 1
        signal(SIGPIPE, SIG_IGN)
    }

    /// Prints one line for people or scripts.
    func line(_ text: String) { write(text.utf8 + [UInt8(ascii: "\n")], to: STDOUT_FILENO) }

    /// Prints bytes as they are.
    func bytes(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    /// Prints an object as a line.
    func json(_ object: JSONObject) { bytes(JSONValue.object(object).serialized() + [UInt8(ascii: "\n")]) }

    /// Prints one line on standard error.
    func complaint(_ text: String) { write(text.utf8 + [UInt8(ascii: "\n")], to: STDERR_FILENO) }

    private func write(_ bytes: [UInt8], to descriptor: Int32) {
        guard isOpen || descriptor != STDOUT_FILENO else { return }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) }
            guard count < 0 else { continue }
            if errno == EINTR { continue }
            // Somebody else's O_NONBLOCK on a shared terminal or pipe: wait for the reader.
            if errno == EAGAIN {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&wanted, 1, -1)
                continue
            }
            if descriptor == STDOUT_FILENO { isOpen = false }
            return
        }
    }
}
