import BelfrySyscalls
import Glibc

/// Writes entries to the journal by its native protocol; without a journal, lines on standard error. No call ever
/// blocks (R14), also while journald is stopped (`sd_journal_send` does: after eleven messages, measured).
///
/// Entries that the journal has no room for wait here, at most ``backlogEntriesMax`` entries and ``backlogBytesMax``
/// bytes. The oldest are dropped first, and the next entry that gets through says how many were lost.
public final class JournalWriter {
    /// Where journald listens.
    public static let standardPath = "/run/systemd/journal/socket"
    /// Where nothing listens: all lines go to standard error.
    public static let noPath = "/nonexistent/journal"
    /// How many entries wait while the journal is stopped: more than a notification has.
    public static let backlogEntriesMax = 64
    /// How many bytes of entries wait.
    public static let backlogBytesMax = 64 << 10

    /// Called when entries begin to wait, with the descriptor to watch for writability, and with nil when none wait any
    /// more. A caller with a loop calls ``flush()`` when the descriptor is writable; without a loop, the next write
    /// tries again.
    public var onWaiting: ((Int32?) -> Void)?

    /// How many entries never got through.
    public private(set) var lostCount = 0

    private let identifier: String
    private var socket: JournalSocket
    private let errorLine: StandardErrorLine
    private var backlog: [(entry: JournalEntry, bytes: Int)] = []
    private var backlogBytes = 0
    /// The part of ``lostCount`` that no entry has reported yet.
    private var uncountedCount = 0
    private var isWaiting = false

    /// A writer to the journal at `path`, under the name `identifier`; `standardError` is where lines go instead.
    public init(
        path: String = JournalWriter.standardPath,
        identifier: String = "belfry-worker",
        standardError: Int32 = 2
    ) {
        self.identifier = identifier
        socket = JournalSocket(path: path)
        errorLine = StandardErrorLine(descriptor: standardError)
    }

    /// Writes `entry`, after those that wait.
    public func write(_ entry: JournalEntry) {
        let bytes = entry.datagram(identifier: identifier, lost: 0).count
        backlog.append((entry, bytes))
        backlogBytes += bytes
        flush()
        while backlog.count > Self.backlogEntriesMax || backlogBytes > Self.backlogBytesMax { dropOldest() }
    }

    /// Sends what waits, as far as the journal has room.
    public func flush() {
        while let first = backlog.first, deliver(first.entry) { removeOldest() }
        reportWaiting()
    }

    /// Tries once more and gives up on what then still waits. Returns how many entries that was.
    @discardableResult
    public func finish() -> Int {
        flush()
        let left = backlog.count
        while !backlog.isEmpty { dropOldest() }
        reportWaiting()
        return left
    }

    /// False if it has to wait.
    private func deliver(_ entry: JournalEntry) -> Bool {
        switch socket.send(entry.datagram(identifier: identifier, lost: uncountedCount)) {
        case .sent:
            uncountedCount = 0
        case .full:
            return false
        case .refused:
            lostCount += 1
            uncountedCount += 1
        case .absent:
            if !errorLine.write("\(identifier): \(entry.message)") { lostCount += 1 }
        }
        return true
    }

    private func dropOldest() {
        removeOldest()
        lostCount += 1
        uncountedCount += 1
    }

    private func removeOldest() {
        backlogBytes -= backlog.removeFirst().bytes
    }

    private func reportWaiting() {
        guard isWaiting != !backlog.isEmpty else { return }
        isWaiting = !backlog.isEmpty
        onWaiting?(isWaiting ? socket.descriptor : nil)
    }
}

/// The way to journald: a datagram socket that never blocks.
///
/// It is connected, since only then does poll(2) show when the journal's own queue has room again.
struct JournalSocket: ~Copyable {
    /// The result of sending one datagram.
    enum Outcome {
        /// The journal has it.
        case sent
        /// The journal's queue is full; it will be worth trying again.
        case full
        /// There is no journal.
        case absent
        /// The journal takes none of this size.
        case refused
    }

    private let path: String
    private var connected: OwnedDescriptor?

    /// A way to the journal that listens at `path`; nothing is opened yet.
    init(path: String) {
        self.path = path
    }

    /// What to watch for writability after ``Outcome/full``; -1 before the first send.
    var descriptor: Int32 {
        switch connected {
        case .some(let descriptor): descriptor.number
        case .none: -1
        }
    }

    /// Sends one datagram, on a new connection if the journal was restarted since the last.
    mutating func send(_ datagram: [UInt8]) -> Outcome {
        let outcome = sendOnce(datagram)
        guard outcome == .absent else { return outcome }
        connected = nil
        return sendOnce(datagram)
    }

    private mutating func sendOnce(_ datagram: [UInt8]) -> Outcome {
        if connected == nil { connected = Self.connect(to: path) }
        guard descriptor >= 0 else { return .absent }
        let count = unsafe datagram.withUnsafeBytes {
            unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        guard count < 0 else { return .sent }
        switch errno {
        case EAGAIN, ENOBUFS, ENOMEM, EINTR: return .full
        case EMSGSIZE: return .refused
        default: return .absent
        }
    }

    private static func connect(to path: String) -> OwnedDescriptor? {
        let flags = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let number = socket(AF_UNIX, flags, 0)
        guard number >= 0 else { return nil }
        let descriptor = OwnedDescriptor(owning: number)
        guard (try? connectUnixSocket(number, to: path)) != nil else { return nil }
        return descriptor
    }
}

/// Lines on standard error that never block: a pipe without a reader must not hold up a ring.
struct StandardErrorLine: ~Copyable {
    /// The longest line in bytes. What fits in PIPE_BUF is written to a pipe in one piece or not at all.
    static let lineBytesMax = Int(PIPE_BUF)

    private let output: NonBlockingOutput

    /// Writes to `descriptor`, which the caller still owns and whose flags do not change.
    init(descriptor: Int32 = STDERR_FILENO) {
        output = NonBlockingOutput(descriptor, politeBytesMax: Self.lineBytesMax)
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
        return output.write(line[...]) == .wrote(line.count)
    }
}
