public import BootTime

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
