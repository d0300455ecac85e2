internal import BootTime
internal import CSystemd
internal import Syscalls

/// The loop's exact timers: one sd-event source of 1 µs accuracy, armed for the first of a ``TimerQueue``.
@safe
final class LoopTimers {
    /// Accuracy 0 would mean sd-event's default, 250 ms.
    static let accuracyMicroseconds: UInt64 = 1
    private let source: TimeSource
    private lazy var queue = TimerQueue { [unowned self] queue in
        // What is made or cancelled by a timer that fires is seen to afterwards, all of it at once.
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

    /// Fires what is due now, but nothing that is made meanwhile: that waits until descriptors have had their turn.
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

    /// Fires at `instant`, or as soon after it as can be, and again and again until it is armed anew or cancelled; nil
    /// is never. An instant before the machine started is due now.
    func arm(_ instant: Instant?) {
        let microseconds = instant.map { UInt64(max(0, $0.microseconds)) } ?? .max
        unsafe withSource("sd_event_source_set_time") { unsafe systemd.event_source_set_time($0, microseconds) }
    }

    override func cancelled() { action = nil }

    fileprivate func fire() { action?() }
}

private func timerFired(_ source: OpaquePointer?, _ microseconds: UInt64, _ userdata: UnsafeMutableRawPointer?) -> Int32
{
    unsafe object(userdata, as: TimeSource.self).fire()
    return 0
}
