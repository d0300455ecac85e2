public import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms

/// Writes events to the client without ever blocking the loop: a client that leaves or does not read loses events.
public final class EventOutput {
    /// How many bytes may wait for a client; with more, it counts as gone unless it reads (S5).
    static let unreadBytesMax = 64 * 1024
    /// How many may wait for one that reads.
    static let unreadBytesOfReaderMax = 1024 * 1024
    /// How long a client for which more than ``unreadBytesMax`` wait may read nothing.
    static let readingPatience = TimeSpan.seconds(1)
    /// How many bytes may wait before ticks are left out.
    static let unreadBytesBeforeTicksAreDropped = 32 * 1024

    private struct Pending {
        let bytes: [UInt8]
        let isDroppable: Bool

        /// A notification that a foreign extension has changed may by itself be longer than all that may wait, so it
        /// does not count.
        var isLong: Bool { bytes.count > EventOutput.unreadBytesMax }
        var counted: Int { isLong ? 0 : bytes.count }
    }

    private let loop: any EventLoop
    private let output: NonBlockingOutput
    private var pending: [Pending] = []
    /// The bytes in `pending` that were not sent yet, without those of a long line.
    private var pendingBytes = 0
    /// How many bytes of the first line in `pending` were sent.
    private var sentOfFirst = 0
    private var writable: (any LoopWatch)?
    private var drained: (() -> Void)?
    /// Looks if a client for which too much waits reads; nil if so much does not.
    private var look: (any ScheduledTimer)?
    /// Whether it has taken more since the last look.
    private var hasTaken = false
    /// Whether the client can no longer be reached.
    public private(set) var isGone = false

    /// An output to `descriptor`, which stays its owner's.
    public init(loop: any EventLoop, descriptor: Int32) {
        self.loop = loop
        output = NonBlockingOutput(descriptor)
    }

    /// Sends `line` now, or when the client reads. If much is unread, a line that is droppable is dropped.
    public func write(_ line: [UInt8], isDroppable: Bool) {
        guard !isGone else { return }
        let next = Pending(bytes: line, isDroppable: isDroppable)
        if isDroppable, pendingBytes + line.count > Self.unreadBytesBeforeTicksAreDropped { return }
        if pendingBytes + next.counted > Self.unreadBytesMax { dropDroppable() }
        let isTooLong = next.isLong && pending.contains(where: \.isLong)
        guard pendingBytes + next.counted <= Self.unreadBytesOfReaderMax, !isTooLong else { return clientIsGone() }
        pending.append(next)
        pendingBytes += next.counted
        // What is written within one turn of the loop is no sign that the client does not read.
        if pendingBytes > Self.unreadBytesMax, look == nil { lookLater() }
        // Otherwise earlier lines wait for the client, and go first.
        if writable == nil { flush() }
    }

    /// Calls `action` once everything is written or the client is gone, perhaps before this returns.
    public func whenDrained(_ action: @escaping () -> Void) {
        guard !pending.isEmpty else { return action() }
        drained = action
    }

    /// Gives up the client, and drops what it has not read.
    public func clientIsGone() {
        isGone = true
        pending = []
        pendingBytes = 0
        finishDraining()
    }

    private func flush() {
        while let first = pending.first {
            switch output.write(first.bytes[sentOfFirst...]) {
            case .full: return waitUntilWritable()
            case .failed: return clientIsGone()
            case .wrote(let count):
                hasTaken = true
                sentOfFirst += count
                if !first.isLong { pendingBytes -= count }
                guard sentOfFirst == first.bytes.count else { continue }
                sentOfFirst = 0
                pending.removeFirst()
            }
        }
        finishDraining()
    }

    private func lookLater() {
        hasTaken = false
        // A socket takes more only once much of what it has is read.
        let unread = output.unreadBytes()
        look = loop.schedule(at: loop.now + Self.readingPatience, description: "client unread") { [weak self] in
            guard let self else { return }
            look = nil
            guard pendingBytes > Self.unreadBytesMax else { return }
            if hasTaken || output.unreadBytes() < unread { lookLater() } else { clientIsGone() }
        }
    }

    private func finishDraining() {
        look?.cancel()
        look = nil
        writable?.cancel()
        writable = nil
        let action = drained
        drained = nil
        action?()
    }

    private func waitUntilWritable() {
        guard writable == nil else { return }
        writable = try? loop.watch(descriptor: output.number, events: .writable, description: "client writable") {
            [weak self] _ in self?.flush()
        }
        if writable == nil { clientIsGone() }
    }

    /// Drops ticks that the client has not read yet, to make room for events that matter more. A line that was begun is
    /// kept.
    private func dropDroppable() {
        let begun = sentOfFirst > 0 ? 1 : 0
        let kept = pending.prefix(begun) + pending.dropFirst(begun).filter { !$0.isDroppable }
        pending = Array(kept)
        let sent = pending.first?.isLong ?? true ? 0 : sentOfFirst
        pendingBytes = pending.reduce(-sent) { $0 + $1.counted }
    }
}
