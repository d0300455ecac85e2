public import BelfryTerms

/// The one reply that an extension owes for a notification: it may come until a deadline, and only the first one counts
/// (R2, R3, R17). No clock and no I/O.
///
///     awaited ── time nearly over, or stop ──▶ told ── reply, end of the time, death ──▶ over
///
/// The worker runs one for its notification, and the keeper of a foreign extension's process runs one for each
/// notification that it has handed over. The worker's machine decides in the end: it delivers in time if the keeper is
/// gone or stopped.
public struct ReplyStateMachine: Equatable, Sendable {
    /// What is due.
    public enum Due: Equatable, Sendable {
        /// Tell the extension that its time is nearly over; this comes once.
        case timeWillExpire
        /// No reply counts any more.
        case end
    }

    /// How long an extension has to reply once the worker has to stop (R17).
    public static let stopPatience = TimeSpan.seconds(1)

    /// The extension's time, without regard to a stop.
    public private(set) var budget: Budget
    /// Until when the reply may come: the end of the budget, or earlier after a stop.
    private var until: Instant
    private var isTold: Bool
    /// Whether the worker had to stop before the reply came.
    public private(set) var isStopped = false
    /// Whether a reply still counts.
    public private(set) var isAwaited = true

    /// A reply that may come within `budget`. If `isTold`, the extension gets no word when that is nearly over.
    public init(within budget: Budget, isTold: Bool = false) {
        self.budget = budget
        self.isTold = isTold
        until = budget.end
    }

    /// When to feed ``timePassed(to:)``; nil once the reply is over.
    public var due: Instant? { isAwaited ? isTold ? until : min(budget.willExpire, until) : nil }

    /// Returns what is due at `now`, if anything (R3).
    public mutating func timePassed(to now: Instant) -> Due? {
        guard isAwaited else { return nil }
        guard now < until else {
            isAwaited = false
            return .end
        }
        return now >= budget.willExpire && tell() ? .timeWillExpire : nil
    }

    /// The extension replied. Returns whether this reply is the one that counts (R2).
    public mutating func replied() -> Bool {
        defer { isAwaited = false }
        return isAwaited
    }

    /// The extension's process ended. Returns whether its reply was still awaited (R2).
    public mutating func died() -> Bool { replied() }

    /// The extension, which waited for its turn, has begun only now: `budget` replaces the one before, since the wait
    /// is not part of it (R3). Returns false if that is too late to count.
    ///
    /// - Parameter isTold: whether the extension gets no word when that is nearly over.
    public mutating func began(within budget: Budget, isTold: Bool = false) -> Bool {
        guard isAwaited, !isStopped, isTold || !self.isTold else { return false }
        self = ReplyStateMachine(within: budget, isTold: isTold)
        return true
    }

    /// From now on only the best attempt is wanted. Returns whether the extension has to hear so.
    public mutating func tell() -> Bool {
        defer { isTold = true }
        return isAwaited && !isTold
    }

    /// The worker has to stop from `now` on: the extension has ``stopPatience``, but never longer than its budget, to
    /// hand over its best attempt (R17). Returns whether the extension has to hear so. A second stop changes nothing.
    public mutating func stop(at now: Instant) -> Bool {
        guard isAwaited, !isStopped else { return false }
        isStopped = true
        until = min(now + Self.stopPatience, until)
        return tell()
    }
}
