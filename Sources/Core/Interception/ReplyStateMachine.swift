public import BelfryTerms

/// The one reply that an extension owes for a notification: until when it may come, and that the first one counts
/// (R2, R3, R17). No clock and no I/O.
///
///     awaited ── time nearly over, or stop ──▶ told ── reply, end of the time, death ──▶ over
///
/// The worker runs one for its notification, and the keeper of a foreign extension's process one for each that it has
/// handed over. The worker's has the last word: it delivers in time if the keeper is gone or stands still.
public struct ReplyStateMachine: Equatable, Sendable {
    /// What time has brought.
    public enum Due: Equatable, Sendable {
        /// The extension is to be told that its time is nearly over; this comes once.
        case timeWillExpire
        /// No reply counts any more.
        case end
    }

    /// How long an extension has to reply after the worker was told to stop (R17).
    public static let stopPatience = TimeSpan.seconds(1)

    /// The extension's time, a stop left out.
    public private(set) var budget: Budget
    /// Until when the reply may come: the end of the budget, or earlier after a stop.
    private var until: Instant
    private var isTold: Bool
    /// Whether the worker was told to stop before the reply came.
    public private(set) var isStopped = false
    /// Whether a reply still counts.
    public private(set) var isAwaited = true

    /// A reply that may come within `budget`; if `isTold`, the extension is not told as that is nearly over.
    public init(within budget: Budget, isTold: Bool = false) {
        self.budget = budget
        self.isTold = isTold
        until = budget.end
    }

    /// When to feed ``timePassed(to:)``; nil once the reply is over.
    public var due: Instant? { isAwaited ? isTold ? until : min(budget.willExpire, until) : nil }

    /// It is `now`: what is due by then, if anything (R3).
    public mutating func timePassed(to now: Instant) -> Due? {
        guard isAwaited else { return nil }
        guard now < until else {
            isAwaited = false
            return .end
        }
        return now >= budget.willExpire && tell() ? .timeWillExpire : nil
    }

    /// The extension replied: whether this reply is the one that counts (R2).
    public mutating func replied() -> Bool {
        defer { isAwaited = false }
        return isAwaited
    }

    /// The extension's process ended: whether it owed its reply (R2).
    public mutating func died() -> Bool { replied() }

    /// The extension, which waited for its turn, has begun only now: `budget` counts in place of the one before, which
    /// the wait was not part of (R3). False if that is too late to count.
    public mutating func began(within budget: Budget) -> Bool {
        guard isAwaited, !isTold else { return false }
        self = ReplyStateMachine(within: budget)
        return true
    }

    /// Nobody waits for more than the best attempt: whether the extension is to be told so.
    public mutating func tell() -> Bool {
        defer { isTold = true }
        return isAwaited && !isTold
    }

    /// The worker was told to stop at `now`: the extension has ``stopPatience``, but never longer than its budget, to
    /// hand over its best attempt (R17). Whether the extension is to be told; a second stop changes nothing.
    public mutating func stop(at now: Instant) -> Bool {
        guard isAwaited, !isStopped else { return false }
        isStopped = true
        until = min(now + Self.stopPatience, until)
        return tell()
    }
}
