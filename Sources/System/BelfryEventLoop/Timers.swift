import BelfrySyscalls
public import BelfryTerms
import CBelfrySystemd

/// What a driver needs of time: the clock, and a call back at an instant.
///
/// The real one is the loop; tests move a hand-driven one through thirty seconds in a millisecond.
public protocol TimerSource: AnyObject {
    /// The current instant of CLOCK_BOOTTIME.
    var now: Instant { get }

    /// Calls `action` once, on the loop, at `instant` or as soon after it as can be (1 µs accuracy), never before.
    ///
    /// An instant that is past fires in a later iteration, never inside this call.
    func schedule(at instant: Instant, description: String, _ action: @escaping () -> Void) -> any ScheduledTimer
}

/// A call back that is yet to come.
public protocol ScheduledTimer: AnyObject {
    /// Takes it back; nothing happens if it has fired or is cancelled already.
    func cancel()
}

/// Timers that are yet to fire, by due time and then in the order they were made.
///
/// sd-event itself promises no order among timers that are due together: it keeps them in a heap. With this queue a
/// loop that was held up still fires them in the order it would have without the delay.
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

    /// The descriptions of the timers that are yet to fire, the next one first.
    package var descriptions: [String] { timers.reversed().map(\.description) }

    /// How many have ever been made: ``takeDue(at:madeBefore:)`` with this number leaves out timers that are made from
    /// now on.
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

/// The loop's exact timers: one sd-event source of 1 µs accuracy, armed for the first of a ``TimerQueue``.
@safe
final class LoopTimers {
    /// Accuracy 0 would mean sd-event's default, 250 ms.
    static let accuracyMicroseconds: UInt64 = 1
    private let source: TimeSource
    private lazy var queue = TimerQueue { [unowned self] queue in
        // While timers fire, the source is not armed for each change: it is armed once afterwards.
        if !isFiring { source.arm(queue.earliest) }
    }
    private var isFiring = false

    init(thread: LoopThread) { source = TimeSource(description: "timers", thread: thread) }

    /// Makes the source now, armed for what waits already: no later timer can fail for want of a descriptor.
    func attach(to event: OpaquePointer) throws(SystemError) {
        try unsafe source.attach(to: event, accuracyMicroseconds: LoopTimers.accuracyMicroseconds) { [unowned self] in
            fireDue()
        }
        source.arm(queue.earliest)
    }

    func schedule(at instant: Instant, description: String, _ action: @escaping () -> Void) -> any ScheduledTimer {
        queue.add(due: instant, description: description, action: action)
    }

    /// Fires the timers that are due now, but none that is made meanwhile: those wait until descriptors have had their
    /// turn.
    private func fireDue() {
        let now = Instant(microseconds: bootTimeMicroseconds())
        let limit = queue.madeCount
        isFiring = true
        while let action = queue.takeDue(at: now, madeBefore: limit) { action() }
        isFiring = false
        source.arm(queue.earliest)
    }
}

/// One sd-event timer on CLOCK_BOOTTIME, armed for an instant or not at all.
final class TimeSource: LoopSource {
    private var action: (() -> Void)?

    func attach(
        to event: OpaquePointer,
        accuracyMicroseconds: UInt64,
        _ action: @escaping () -> Void
    ) throws(SystemError) {
        self.action = action
        try unsafe attach("sd_event_add_time") { source, userdata in
            unsafe systemd.event_add_time(
                event, &source, clockid_t(CLOCK_BOOTTIME), .max, accuracyMicroseconds, timerFired, userdata
            )
        }
        enable(.always)
    }

    /// Fires at `instant`, or as soon after it as can be, and again and again until it is armed for another instant or
    /// cancelled; nil is never. An instant before the machine started is due now.
    func arm(_ instant: Instant?) {
        let microseconds = instant.map { UInt64(max(0, $0.microseconds)) } ?? .max
        unsafe withSource("sd_event_source_set_time") { unsafe systemd.event_source_set_time($0, microseconds) }
    }

    override func cancelled() { action = nil }

    fileprivate func fire() { action?() }
}

private func timerFired(_ source: OpaquePointer?, _ microseconds: UInt64, _ userdata: UnsafeMutableRawPointer?) -> Int32
{
    unsafe loopSource(userdata, as: TimeSource.self).fire()
    return 0
}
