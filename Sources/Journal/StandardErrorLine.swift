internal import Glibc
internal import Syscalls

/// Lines on standard error that never block: a pipe that nobody reads must not hold up a ring.
struct StandardErrorLine: ~Copyable {
    /// The longest line in bytes. What fits in PIPE_BUF is written whole or not at all.
    static let lineBytesMax = Int(PIPE_BUF)

    private let number: Int32
    private let isSocket: Bool
    /// The same file opened anew, so that it can be non-blocking without making it so for those we share it with.
    private let own: OwnedDescriptor?

    /// Writes to `descriptor`, which stays its owner's and is left as it is.
    init(descriptor: Int32 = STDERR_FILENO) {
        number = descriptor
        var status = stat()
        isSocket = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
        let opened =
            isSocket
            ? -1
            : unsafe open("/proc/self/fd/\(descriptor)", O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        own = opened >= 0 ? OwnedDescriptor(owning: opened) : nil
    }

    /// Writes `text`, cut to ``lineBytesMax``, and a newline; false if that was not possible without waiting.
    @discardableResult
    func write(_ text: String) -> Bool {
        var line = Array(text.utf8.prefix(Self.lineBytesMax - 1))
        // Cut before a character's first byte, not inside it.
        if line.count < text.utf8.count, let start = line.lastIndex(where: { $0 & 0xC0 != 0x80 }) {
            line.removeSubrange(start...)
        }
        line.append(UInt8(ascii: "\n"))
        if isSocket {
            return unsafe line.withUnsafeBytes {
                unsafe send(number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            } == line.count
        }
        let target = target
        guard target >= 0 else { return false }
        return unsafe line.withUnsafeBytes { unsafe Glibc.write(target, $0.baseAddress, $0.count) } == line.count
    }

    /// What to write to; -1 while that might block. A descriptor that cannot be opened anew, such as a terminal handed
    /// over by another user, counts as ready if poll(2) says that a short line would not block.
    private var target: Int32 {
        switch own {
        case .some(let own): return own.number
        case .none:
            var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&request, 1, 0) == 1, request.revents & Int16(POLLOUT) != 0 else { return -1 }
            return number
        }
    }
}
