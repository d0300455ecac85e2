public import BelfryTerms

/// From when to when a call rings, and what the end will be called: R7 and R9 in one computation.
public struct RingWindow: Hashable, Sendable {
    /// By how much the budget may cut a ring before that is called `expired`.
    public static let cutUnnoticed = TimeSpan.seconds(1)

    /// When it begins: tick 0.
    public let start: Instant
    /// When it ends, if nobody ends it before.
    public let end: Instant
    /// What that end is: `timeout`, or `expired` where the budget cuts the ring short.
    public let reasonAtEnd: EndReason

    /// A window; one that would end before it begins ends as it begins.
    public init(start: Instant, end: Instant, reasonAtEnd: EndReason) {
        self.start = start
        self.end = max(start, end)
        self.reasonAtEnd = reasonAtEnd
    }

    /// The window of a ring that starts now; nil for a request that is stale.
    ///
    /// - Parameters:
    ///   - duration: how long the call rings, counted from when it was sent.
    ///   - sentAt: when it was sent, if that is known and believable.
    ///   - expiration: when the push was to be dropped; nil is never, and 0 "try once", which is not past.
    ///   - deadline: the end of the budget.
    public static func of(
        duration: TimeSpan, sentAt: WallTime?, expiration: WallTime?, start: Instant, wall: WallTime, deadline: Instant
    ) -> RingWindow? {
        if let expiration, expiration.microseconds != 0, expiration < wall { return nil }
        let elapsed = sentAt.map { max(wall - $0, .zero) } ?? .zero
        let left = duration - elapsed
        guard left > .zero else { return nil }
        let wished = start + left
        return RingWindow(
            start: start, end: min(wished, deadline),
            reasonAtEnd: wished - deadline > cutUnnoticed ? .expired : .timeout)
    }
}
