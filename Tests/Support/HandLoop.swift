public import BelfryEventLoop
public import BelfryTerms

/// A loop moved by hand: thirty seconds pass in a microsecond, each timer at exactly its own instant.
public final class HandLoop: TimerSource {
    /// The instant it stands at.
    public private(set) var now: Instant
    private let timers = TimerQueue { _ in }

    /// A loop that stands at `start`.
    public init(at start: Instant = Instant(microseconds: 1_000_000_000)) { now = start }

    /// What is yet to fire, the next one first.
    public var pending: [String] { timers.descriptions }

    /// When the next timer is due; nil when none is.
    public var earliest: Instant? { timers.earliest }

    /// Keeps `action` for when time has moved to `instant`.
    public func schedule(
        at instant: Instant,
        description: String,
        _ action: @escaping () -> Void
    ) -> any ScheduledTimer {
        timers.add(due: instant, description: description, action: action)
    }

    /// Moves on by `span`, firing what is due on the way.
    public func advance(by span: TimeSpan) { advance(to: now + span) }

    /// Moves on to `instant`, firing what is due on the way in order of due time, then of making; each finds `now` at
    /// its due time, or unmoved if it was due before. Traps where timers beget timers without end, or time would run
    /// backwards.
    public func advance(to instant: Instant) {
        precondition(instant >= now, "time does not run backwards")
        var firedCount = 0
        while let due = timers.earliest, due <= instant, let action = timers.takeDue(at: due) {
            now = max(now, due)
            action()
            firedCount += 1
            precondition(firedCount <= HandLoop.firedMax, "timers beget timers without end: \(pending)")
        }
        now = instant
    }

    /// Fires what is due already.
    public func runUntilIdle() { advance(by: .zero) }

    /// Is held up: moves on by `span` without firing anything, as a process that was stopped.
    public func stall(for span: TimeSpan) { now = now + span }

    /// How many timers one advance fires at most.
    public static let firedMax = 1_000_000
}
