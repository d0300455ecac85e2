internal import Syscalls

/// Writes entries to the journal by its native protocol; without a journal, lines on standard error. No call ever
/// blocks, also while journald is stopped (`sd_journal_send` does: after eleven messages, measured).
///
/// What the journal has no room for waits here, ``backlogEntriesMax`` entries and ``backlogBytesMax`` bytes of it: the
/// oldest go first, and the next entry that gets through says how many were lost.
public final class JournalWriter {
    /// Where journald listens.
    public static let standardPath = "/run/systemd/journal/socket"
    /// How many entries wait while the journal is stopped: more than a notification has.
    public static let backlogEntriesMax = 64
    /// How many bytes of entries wait.
    public static let backlogBytesMax = 64 << 10

    /// Told when entries begin to wait, with the descriptor to watch for writability, and with nil when none wait any
    /// more: whoever has a loop calls ``flush()`` when it is writable. Without one, the next write tries again.
    public var onWaiting: ((Int32?) -> Void)?

    /// How many entries never got through.
    public private(set) var lostCount = 0

    private let identifier: String
    private var socket: JournalSocket
    private let errorLine: StandardErrorLine
    private var backlog: [(entry: JournalEntry, bytes: Int)] = []
    private var backlogBytes = 0
    /// Of ``lostCount``, those that no entry has told of.
    private var untoldCount = 0
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
        tellWhetherWaiting()
    }

    /// Tries once more and gives up on what then still waits. Returns how many entries that was.
    @discardableResult
    public func finish() -> Int {
        flush()
        let left = backlog.count
        while !backlog.isEmpty { dropOldest() }
        tellWhetherWaiting()
        return left
    }

    /// False if it has to wait.
    private func deliver(_ entry: JournalEntry) -> Bool {
        switch socket.send(entry.datagram(identifier: identifier, lost: untoldCount)) {
        case .sent:
            untoldCount = 0
        case .full:
            return false
        case .refused:
            lostCount += 1
            untoldCount += 1
        case .absent:
            if !errorLine.write("\(identifier): \(entry.message)") { lostCount += 1 }
        }
        return true
    }

    private func dropOldest() {
        removeOldest()
        lostCount += 1
        untoldCount += 1
    }

    private func removeOldest() {
        backlogBytes -= backlog.removeFirst().bytes
    }

    private func tellWhetherWaiting() {
        guard isWaiting != !backlog.isEmpty else { return }
        isWaiting = !backlog.isEmpty
        onWaiting?(isWaiting ? socket.descriptor : nil)
    }
}
