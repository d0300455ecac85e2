import BelfryJSON
import BelfrySyscalls
import Glibc

/// Standard output and standard error, without a buffer, and without SIGPIPE if the reader has left.
final class Output {
    /// Whether standard output is a terminal.
    let isTerminal: Bool
    /// Whether somebody still reads standard output; false once a pipe's reader has left.
    private(set) var isOpen = true

    private let standardOutput: Int32
    private let standardError: Int32

    /// Output to two descriptors, which must outlive it. From now on this process ignores SIGPIPE.
    init(standardOutput: Int32 = STDOUT_FILENO, standardError: Int32 = STDERR_FILENO) {
        self.standardOutput = standardOutput
        self.standardError = standardError
        isTerminal = isatty(standardOutput) == 1
        ignoreBrokenPipes()
    }

    /// Prints one line for people or scripts.
    func line(_ text: String) { write(text.utf8 + [UInt8(ascii: "\n")], to: standardOutput) }

    /// Prints bytes as they are.
    func bytes(_ bytes: [UInt8]) { write(bytes, to: standardOutput) }

    /// Prints an object on one line.
    func json(_ object: JSONObject) { bytes(JSONValue.object(object).serialized() + [UInt8(ascii: "\n")]) }

    /// Prints one line on standard error.
    func complaint(_ text: String) { write(text.utf8 + [UInt8(ascii: "\n")], to: standardError) }

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

/// Whether and how words are coloured.
struct Style: Sendable {
    /// What a colour means here.
    enum Tone: String, Sendable {
        /// Something rings, or works.
        case good = "32"
        /// Something ended, or deserves a look.
        case notable = "33"
        /// Something went wrong, or was missed.
        case bad = "31"
        /// What repeats.
        case faint = "2"
        /// A heading.
        case strong = "1"
    }

    /// Whether colours are used at all.
    let isColoured: Bool

    /// Colours are used only on a terminal that has them, and not if `NO_COLOR` is set and not empty (no-color.org).
    init(isTerminal: Bool, environment: [String: String]) {
        isColoured = isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// `text`, which must be escaped already, in `tone`.
    func paint(_ text: String, _ tone: Tone?) -> String {
        guard isColoured, let tone else { return text }
        return "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m"
    }
}
