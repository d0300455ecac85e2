public import BelfryTerms

/// When a call begins and stops ringing, and what that end is called: R7 and R9 in one computation.
public struct RingWindow: Hashable, Sendable {
    /// The budget may cut a ring by this much before the end is called `expired`.
    public static let cutUnnoticed = TimeSpan.seconds(1)

    /// When the ring begins: tick 0.
    public let start: Instant
    /// When the ring ends by itself, if it is not ended before. Never before `start`.
    public let end: Instant
    /// What that end is called: `timeout`, or `expired` if the budget cuts the ring short.
    public let reasonAtEnd: EndReason

    /// A window. If `end` is before `start`, the ring ends as it begins.
    public init(start: Instant, end: Instant, reasonAtEnd: EndReason) {
        self.start = start
        self.end = max(start, end)
        self.reasonAtEnd = reasonAtEnd
    }

    /// The window of a ring that starts now; nil for a request that is stale.
    ///
    /// - Parameters:
    ///   - duration: how long the call rings, counted from when it was sent, or came if that is not known.
    ///   - sentAt: when the request was sent, if that is known and believable; whole seconds count as their end.
    ///   - expiration: when the push becomes stale: nil is never, and 0 is "try once", which is never past.
    ///   - start: this instant.
    ///   - wall: this instant by the wall clock.
    ///   - deadline: the end of the budget; nil if no budget cuts the ring.
    ///   - waited: for how long the request has waited for its ring, which its expiration does not count (R9).
    public static func of(
        duration: TimeSpan, sentAt: WallTime?, expiration: WallTime?, start: Instant, wall: WallTime,
        deadline: Instant?, waited: TimeSpan = .zero
    ) -> RingWindow? {
        if let expiration, expiration.isPastExpiration(at: wall + (.zero - waited)) { return nil }
        let elapsed = max(sentAt.map { wall - $0.latest } ?? .zero, waited)
        let left = duration - elapsed
        guard left > .zero else { return nil }
        let wished = start + left
        guard let deadline else { return RingWindow(start: start, end: wished, reasonAtEnd: .timeout) }
        return RingWindow(
            start: start, end: min(wished, deadline),
            reasonAtEnd: wished - deadline > cutUnnoticed ? .expired : .timeout)
    }
}
