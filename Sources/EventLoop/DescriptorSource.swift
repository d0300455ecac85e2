internal import CSystemd
internal import Syscalls

/// A descriptor a loop watches. It must be cancelled before its descriptor is closed: left on a closed connection it
/// spins.
@safe
public final class DescriptorSource: LoopSource {
    private var action: ((Readiness) -> Void)?

    init(
        on event: OpaquePointer,
        thread: LoopThread,
        descriptor: Int32,
        events: Readiness,
        description: String,
        action: @escaping (Readiness) -> Void
    ) throws(SystemError) {
        self.action = action
        super.init(description: description, thread: thread)
        try unsafe attach("sd_event_add_io") { source, userdata in
            unsafe systemd.event_add_io(event, &source, descriptor, events.rawValue, descriptorReady, userdata)
        }
    }

    /// Watches for `events` from now on. An empty set still tells hangup and error, and again at once for as long as
    /// they last.
    public func setEvents(_ events: Readiness) {
        unsafe withSource("sd_event_source_set_io_events") {
            unsafe systemd.event_source_set_io_events($0, events.rawValue)
        }
    }

    /// Tells nothing at all, hangup included, until it is resumed.
    public func pause() {
        enable(.off)
    }

    /// Tells again what it told before ``pause()``.
    public func resume() {
        enable(.always)
    }

    override func cancelled() { action = nil }

    fileprivate func fire(_ readiness: Readiness) { action?(readiness) }
}

private func descriptorReady(
    _ source: OpaquePointer?,
    _ descriptor: Int32,
    _ events: UInt32,
    _ userdata: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe object(userdata, as: DescriptorSource.self).fire(Readiness(rawValue: events))
    // A negative return would disable the source without a word.
    return 0
}
