internal import BootTime
internal import CSystemd
internal import Syscalls

/// The loop's exact timers: one sd-event source of 1 µs accuracy, armed for the first of a ``TimerQueue``.
@safe
final class LoopTimers {
    /// Accuracy 0 would mean sd-event's default, 250 ms.
    static let accuracyMicroseconds: UInt64 = 1
    private let source: TimeSource
    private let queue: TimerQueue

    init(thread: LoopThread) {
        let source = TimeSource(description: "timers", thread: thread)
        self.source = source
        queue = TimerQueue { [unowned source] in source.arm($0.earliest) }
    }

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
        while let action = queue.takeDue(at: now, madeBefore: limit) { action() }
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
        arm(nil)
    }

    /// Fires once at `instant`, or as soon after it as can be; an instant before the machine started is due now.
    func arm(_ instant: Instant?) {
        guard let instant else { return enable(.off) }
        let microseconds = UInt64(max(0, instant.microseconds))
        unsafe withSource("sd_event_source_set_time") { unsafe systemd.event_source_set_time($0, microseconds) }
        enable(.once)
    }

    override func cancelled() { action = nil }

    fileprivate func fire() { action?() }
}

private func timerFired(_ source: OpaquePointer?, _ microseconds: UInt64, _ userdata: UnsafeMutableRawPointer?) -> Int32
{
    unsafe object(userdata, as: TimeSource.self).fire()
    return 0
}
