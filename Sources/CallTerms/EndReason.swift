/// Why a ring ended (R7): `ended.reason`.
public enum EndReason: String, Hashable, Sendable, CaseIterable {
    /// The caller hung up.
    case hangup
    /// Somebody at the endpoint answered.
    case answered
    /// Somebody at the endpoint declined.
    case declined
    /// The app came to the front, and rings itself.
    case foreground
    /// The ring duration ran out, or reached the end of the budget.
    case timeout
    /// The expiry budget cut the ring short by more than a second.
    case expired
    /// The worker was told to stop.
    case stopped
}
