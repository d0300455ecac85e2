public import BelfryTerms

/// One ring of one process, from its admission to its end: inputs in, effects out, no clock and no I/O.
///
/// The driver performs the effects in order, and feeds their answers as further inputs.
///
///     idle ── begin ──▶ ringing ── end, or the window's end ──▶ silencing ── silenced ──▶ settling ── settled ──▶ over
public struct RingStateMachine: Sendable {
    private enum State: Equatable, Sendable {
        /// The state before the ring begins.
        case idle
        /// The state while the call rings and sound may be heard.
        case ringing(Ring)
        /// The state while the ring waits for the sound to stop; `reason` ended it.
        case silencing(Ring, reason: EndReason)
        /// The state while the ring, silent since `silent`, waits for the group file to say how it ended.
        case settling(Ring, silent: Instant)
        /// The state after the end was reported; nothing changes it.
        case over
    }

    private struct Ring: Equatable, Sendable {
        let window: RingWindow
        let interval: TimeSpan
        var mode: RingMode
        /// The number of the last tick that was made, or was missed and passed over. It never decreases.
        var lastTick: Int64 = 0
        /// How many ticks were made after tick 0.
        var ticks: Int64 = 0

        /// When `tick` is due: counted from the start, so that lateness never adds up (R6).
        func due(_ tick: Int64) -> Instant { window.start + interval * tick }
    }

    /// What the driver has to do.
    public enum Effect: Equatable, Sendable {
        /// Report that the call rings in `mode`.
        case ringing(mode: RingMode)
        /// Sound once, in `mode`; this replaces the previous pulse.
        case pulse(mode: RingMode)
        /// Report that tick `n` was made, `late` after it was due.
        case tick(n: Int64, late: TimeSpan)
        /// Feed ``RingStateMachine/timerFired(at:)`` at this instant, instead of at the one asked for before.
        case wake(at: Instant)
        /// Stop the sound at once, and feed ``RingStateMachine/silenced(at:)`` when it has stopped.
        case silence
        /// Settle the end in the group file, and feed ``RingStateMachine/settled(_:)``.
        case settle(EndReason)
        /// Report that the ring is over.
        case ended(reason: EndReason, rang: TimeSpan, ticks: Int64)
    }

    private var state = State.idle

    /// A machine that does not ring yet.
    public init() {}

    /// Whether the call rings: sound may be heard.
    public var isRinging: Bool {
        if case .ringing = state { true } else { false }
    }

    /// The ring was admitted: tick 0 is made at once (R6).
    ///
    /// If the process was stopped since the admission, ticks that it missed are passed over. If even the end has
    /// passed, the ring makes no sound, and its timer ends it at once.
    public mutating func begin(
        _ window: RingWindow, interval: TimeSpan, mode: RingMode, at now: Instant
    ) -> [Effect] {
        switch state {
        case .idle:
            precondition(interval > .zero, "a ring without an interval")
            var ring = Ring(window: window, interval: interval, mode: mode)
            ring.lastTick = max(0, (now - window.start).microseconds / interval.microseconds)
            state = .ringing(ring)
            // Even then the timer ends the ring, so that what belongs to its beginning, such as the delivery, comes
            // first.
            guard now < window.end else { return [.ringing(mode: mode), .wake(at: window.end)] }
            return [.ringing(mode: mode), .pulse(mode: mode), wake(for: ring)]
        // Only our own driver begins a ring, and it does so once.
        case .ringing, .silencing, .settling, .over:
            preconditionFailure("begin in \(state): one machine is one ring")
        }
    }

    /// The timer that ``Effect/wake(at:)`` asked for fired. A timer that fires early or twice makes no tick.
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
        // The timer of a ring that has just ended may still fire.
        case .idle, .silencing, .settling, .over: return []
        }
    }

    /// The call rings on in `mode` (R10); its start, end and tick numbers stay as they are.
    ///
    /// A process that was stopped until after the ring's end may learn of a change before its timer fires: then the
    /// ring ends.
    public mutating func change(to mode: RingMode, at now: Instant) -> [Effect] {
        switch state {
        case .ringing(var ring):
            guard now < ring.window.end else { return end(ring, reason: ring.window.reasonAtEnd) }
            guard mode != ring.mode else { return [] }
            ring.mode = mode
            state = .ringing(ring)
            return [.ringing(mode: mode), .pulse(mode: mode)]
        // The file may change at any time.
        case .idle, .silencing, .settling, .over: return []
        }
    }

    /// The ring is ended: by a hangup, answer, decline, the app in front, or a stop. Only the first end counts (R7).
    public mutating func end(_ reason: EndReason) -> [Effect] {
        switch state {
        case .ringing(let ring): return end(ring, reason: reason)
        // Ends may come from several sides at once, and before the ring has begun.
        case .idle, .silencing, .settling, .over: return []
        }
    }

    /// The sound has stopped.
    public mutating func silenced(at now: Instant) -> [Effect] {
        switch state {
        case .silencing(let ring, let reason):
            state = .settling(ring, silent: now)
            return [.settle(reason)]
        // The machine did not ask for silence, or the silence was reported already.
        case .idle, .ringing, .settling, .over: return []
        }
    }

    /// The group file says how it ended.
    public mutating func settled(_ reason: EndReason) -> [Effect] {
        switch state {
        case .settling(let ring, let silent):
            state = .over
            return [.ended(reason: reason, rang: silent - ring.window.start, ticks: ring.ticks)]
        // The machine did not ask to settle the end, or the answer came already.
        case .idle, .ringing, .silencing, .over: return []
        }
    }

    private mutating func end(_ ring: Ring, reason: EndReason) -> [Effect] {
        state = .silencing(ring, reason: reason)
        return [.silence]
    }

    /// Wakes at the next tick, or at the end if no tick is due before it.
    private func wake(for ring: Ring) -> Effect {
        .wake(at: min(ring.due(ring.lastTick + 1), ring.window.end))
    }
}
