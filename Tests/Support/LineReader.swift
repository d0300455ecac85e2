public import BelfrySyscalls
import Glibc

/// Reads another program's lines, waiting for each no longer than it is allowed to.
public final class LineReader {
    private let descriptor: OwnedDescriptor
    private var bytes: [UInt8] = []
    /// How many of them are known to have no newline.
    private var searchedCount = 0

    /// Reads from `descriptor`.
    public init(_ descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
    }

    /// The next line without its newline; nil at the end of the input, or if none came within `milliseconds`.
    public func next(within milliseconds: Int32) -> String? {
        let deadline = bootTimeMicroseconds() + Int64(milliseconds) * 1_000
        while true {
            if let end = bytes[searchedCount...].firstIndex(of: UInt8(ascii: "\n")) {
                searchedCount = 0
                defer { bytes.removeSubrange(...end) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            searchedCount = bytes.count
            guard let more = readSome(from: descriptor.number, until: deadline), !more.isEmpty else { return nil }
            bytes += more
        }
    }

    /// The next line that starts with `prefix`, those before it passed over, within `milliseconds` altogether.
    public func next(startingWith prefix: String, within milliseconds: Int32) -> String? {
        let deadline = bootTimeMicroseconds() + Int64(milliseconds) * 1_000
        while true {
            let left = max(0, deadline - bootTimeMicroseconds()) / 1_000
            guard let line = next(within: Int32(left)) else { return nil }
            if line.hasPrefix(prefix) { return line }
        }
    }
}

/// What can be read from `descriptor` as soon as there is something: empty at its end, nil at `deadline` (boot time,
/// µs).
func readSome(from descriptor: Int32, until deadline: Int64) -> [UInt8]? {
    while true {
        let left = max(0, (deadline - bootTimeMicroseconds() + 999) / 1_000)
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = unsafe poll(&request, 1, Int32(clamping: left))
        if ready == 0 { return nil }
        if ready < 0 { continue }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        return Array(buffer[..<max(count, 0)])
    }
}
