public import BelfryTerms

/// One process's ring, from its admission to its end: inputs in, effects out, no clock and no I/O.
///
/// The driver performs the effects in order, and feeds what they answer as further inputs.
///
///     idle ── begin ──▶ ringing ── end, or the window's end ──▶ silencing ── silenced ──▶ settling ── settled ──▶ over
public struct RingStateMachine: Sendable {
    private enum State: Equatable, Sendable {
        case idle
        case ringing(Ring)
        case silencing(Ring, reason: EndReason)
        case settling(Ring, silent: Instant)
        case over
    }

    private struct Ring: Equatable, Sendable {
        let window: RingWindow
        let interval: TimeSpan
        var mode: RingMode
        /// The last tick that was made, or passed over because it was missed.
        var lastTick: Int64 = 0
        /// How many were made.
        var ticks: Int64 = 0

        func due(_ tick: Int64) -> Instant { window.start + interval * tick }
    }

    /// What the driver has to do.
    public enum Effect: Equatable, Sendable {
        /// Say that it rings in `mode`.
        case ringing(mode: RingMode)
        /// Sound and vibrate once, in `mode`; the last one is over with it.
        case pulse(mode: RingMode)
        /// Say that tick `n` was made, `late` after it was due.
        case tick(n: Int64, late: TimeSpan)
        /// Feed ``RingStateMachine/timerFired(at:)`` at this instant; the one asked for before is forgotten.
        case wake(at: Instant)
        /// Make sound and vibration stop, at once, and feed ``RingStateMachine/silenced(at:)`` when they have.
        case silence
        /// Settle the end in the group file, and feed ``RingStateMachine/settled(_:)``.
        case settle(EndReason)
        /// Say that it is over.
        case ended(reason: EndReason, rang: TimeSpan, ticks: Int64)
    }

    private var state = State.idle

    /// A machine that does not ring yet.
    public init() {}

    /// Whether it rings: sound may be heard.
    public var isRinging: Bool {
        if case .ringing = state { true } else { false }
    }

    /// The ring is admitted: tick 0 is made at once (R6).
    ///
    /// A process that was stopped since its admission finds some ticks missed, and no sound left to make where even
    /// the end is past.
    public mutating func begin(
        _ window: RingWindow, interval: TimeSpan, mode: RingMode, at now: Instant
    ) -> [Effect] {
        switch state {
        case .idle:
            precondition(interval > .zero, "a ring without an interval")
            var ring = Ring(window: window, interval: interval, mode: mode)
            ring.lastTick = max(0, (now - window.start).microseconds / interval.microseconds)
            state = .ringing(ring)
            // Its end comes by the timer all the same: what its beginning belongs to, such as the delivery, comes
            // before.
            guard now < window.end else { return [.ringing(mode: mode), .wake(at: window.end)] }
            return [.ringing(mode: mode), .pulse(mode: mode), wake(for: ring)]
        case .ringing, .silencing, .settling, .over:
            preconditionFailure("begin in \(state): one machine is one ring")
        }
    }

    /// The timer that ``Effect/wake(at:)`` asked for fired; one that fires early or twice changes nothing.
    public mutating func timerFired(at now: Instant) -> [Effect] {
        switch state {
        case .ringing(var ring):
            guard now < ring.window.end else { return end(ring, reason: ring.window.reasonAtEnd) }
            let tick = (now - ring.window.start).microseconds / ring.interval.microseconds
            guard tick > ring.lastTick else { return [wake(for: ring)] }
            ring.lastTick = tick
            ring.ticks += 1
            state = .ringing(ring)
            return [.pulse(mode: ring.mode), .tick(n: tick, late: now - ring.due(tick)), wake(for: ring)]
        case .idle, .silencing, .settling, .over: return []
        }
    }

    /// It rings on in another mode (R10); its start, deadline and tick numbers run on.
    ///
    /// A process that was stopped past its ring's end may read of a change before its timer fires: that is the end.
    public mutating func change(to mode: RingMode, at now: Instant) -> [Effect] {
        switch state {
        case .ringing(var ring):
            guard now < ring.window.end else { return end(ring, reason: ring.window.reasonAtEnd) }
            guard mode != ring.mode else { return [] }
            ring.mode = mode
            state = .ringing(ring)
            return [.ringing(mode: mode), .pulse(mode: mode)]
        case .idle, .silencing, .settling, .over: return []
        }
    }

    /// Somebody ends it: hangup, answer, decline, the app in front, or a stop. Only the first end counts (R7).
    public mutating func end(_ reason: EndReason) -> [Effect] {
        switch state {
        case .ringing(let ring): return end(ring, reason: reason)
        case .idle, .silencing, .settling, .over: return []
        }
    }

    /// Sound and vibration have stopped.
    public mutating func silenced(at now: Instant) -> [Effect] {
        switch state {
        case .silencing(let ring, let reason):
            state = .settling(ring, silent: now)
            return [.settle(reason)]
        case .idle, .ringing, .settling, .over: return []
        }
    }

    /// The group file says how it ended.
    public mutating func settled(_ reason: EndReason) -> [Effect] {
        switch state {
        case .settling(let ring, let silent):
            state = .over
            return [.ended(reason: reason, rang: silent - ring.window.start, ticks: ring.ticks)]
        case .idle, .ringing, .silencing, .over: return []
        }
    }

    private mutating func end(_ ring: Ring, reason: EndReason) -> [Effect] {
        state = .silencing(ring, reason: reason)
        return [.silence]
    }

    /// The next tick, or the end where no tick is due before it.
    private func wake(for ring: Ring) -> Effect {
        .wake(at: min(ring.due(ring.lastTick + 1), ring.window.end))
    }
}
