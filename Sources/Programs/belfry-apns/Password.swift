import BelfryTerms
import Glibc

/// The password of a file.
enum Password {
    /// The password that a file holds: its first line.
    static func line(of bytes: [UInt8]) -> String {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }

    /// What is typed at the terminal for the file at `path`, which does not show it (getpass(3)); nil if there is no
    /// terminal.
    static func ask(for path: String) -> String? {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        close(terminal)
        return unsafe getpass(Printable.escaped("password of \(path): ")).map { unsafe String(cString: $0) }
    }
}
