public import BelfryJSON
import BelfrySyscalls
import Glibc

/// Standard output and standard error, without a buffer, and without SIGPIPE if the reader has left.
public final class Output {
    /// Whether standard output is a terminal.
    public let isTerminal: Bool
    /// Whether standard output still has a reader; false once a pipe's reader has left.
    public private(set) var isOpen = true

    private let standardOutput: Int32
    private let standardError: Int32

    /// Output to two descriptors, which must outlive it. From now on this process ignores SIGPIPE.
    public init(standardOutput: Int32 = 1, standardError: Int32 = 2) {
        self.standardOutput = standardOutput
        self.standardError = standardError
        isTerminal = isatty(standardOutput) == 1
        ignoreBrokenPipes()
    }

    /// Prints one line for people or scripts.
    public func line(_ text: String) { write(text.utf8 + [UInt8(ascii: "\n")], to: standardOutput) }

    /// Prints bytes as they are.
    public func bytes(_ bytes: [UInt8]) { write(bytes, to: standardOutput) }

    /// Prints an object on one line.
    public func json(_ object: JSONObject) { bytes(JSONValue.object(object).serialized() + [UInt8(ascii: "\n")]) }

    /// Prints one line on standard error.
    public func complaint(_ text: String) { write(text.utf8 + [UInt8(ascii: "\n")], to: standardError) }

    private func write(_ bytes: [UInt8], to descriptor: Int32) {
        guard isOpen || descriptor != standardOutput else { return }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) }
            guard count < 0 else { continue }
            if errno == EINTR { continue }
            // Another program has set O_NONBLOCK on a shared terminal or pipe: wait for the reader.
            if errno == EAGAIN {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&wanted, 1, -1)
                continue
            }
            if descriptor == standardOutput { isOpen = false }
            return
        }
    }
}
