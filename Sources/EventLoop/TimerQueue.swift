package import BootTime

/// Timers that are yet to fire, by due time and then in the order they were made.
///
/// sd-event itself promises no order among timers that are due together: it keeps them in a heap. Here a loop that was
/// held up for a while still fires them as if it had not been.
package final class TimerQueue {
    private(set) var sequence: UInt64 = 0
    /// Latest first, so that the next one is popped from the end.
    private var timers: [QueuedTimer] = []
    /// Called after each change, with the queue as it is then.
    private let changed: (TimerQueue) -> Void

    /// An empty queue that calls `changed` after every insertion and cancellation.
    package init(changed: @escaping (TimerQueue) -> Void) { self.changed = changed }

    /// When the next one is due; nil when none is.
    package var earliest: Instant? { timers.last?.due }

    /// What is yet to fire, the next one first.
    package var descriptions: [String] { timers.reversed().map(\.description) }

    /// How many have ever been made: ``takeDue(at:madeBefore:)`` with this number leaves out what is made from now on.
    package var madeCount: UInt64 { sequence }

    /// Adds one.
    package func add(due: Instant, description: String, action: @escaping () -> Void) -> any ScheduledTimer {
        let timer = QueuedTimer(due: due, order: sequence, description: description, queue: self, action: action)
        sequence += 1
        timers.insert(timer, at: index(of: timer))
        changed(self)
        return timer
    }

    /// Takes out the next one that is due at `now` and was made before the count was `limit`; its action is the
    /// caller's to call.
    package func takeDue(at now: Instant, madeBefore limit: UInt64 = .max) -> (() -> Void)? {
        guard let next = timers.last(where: { $0.due > now || $0.order < limit }), next.due <= now else { return nil }
        timers.remove(at: index(of: next))
        defer { next.action = nil }
        return next.action
    }

    fileprivate func remove(_ timer: QueuedTimer) {
        timers.remove(at: index(of: timer))
        changed(self)
    }

    /// Where `timer` is, or belongs.
    private func index(of timer: QueuedTimer) -> Int {
        var (low, high) = (0, timers.count)
        while low < high {
            let middle = (low + high) / 2
            if timer.isBefore(timers[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// One timer of a ``TimerQueue``.
private final class QueuedTimer: ScheduledTimer {
    let due: Instant
    let order: UInt64
    let description: String
    private weak let queue: TimerQueue?
    var action: (() -> Void)?

    init(due: Instant, order: UInt64, description: String, queue: TimerQueue, action: @escaping () -> Void) {
        self.due = due
        self.order = order
        self.description = description
        self.queue = queue
        self.action = action
    }

    func isBefore(_ other: QueuedTimer) -> Bool { (due, order) < (other.due, other.order) }

    func cancel() {
        guard action != nil else { return }
        action = nil
        queue?.remove(self)
    }
}
