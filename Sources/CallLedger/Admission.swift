public import BootTime
public import CallTerms

/// What becomes of a call request: decided once for all processes.
public enum Admission: Hashable, Sendable {
    /// It rings in `mode` from now on until `until`.
    case ring(mode: RingMode, until: Instant)
    /// It does not ring; the person has missed it where `missed` says so.
    case silent(SilenceReason, missed: Bool)
    /// So many calls ring already that this one is refused.
    case busy(ringing: Int)
}

/// A call request as the ledger needs it.
public struct RingRequest: Sendable {
    /// What it is known by.
    public var key: CallKey
    /// Who calls; may be empty.
    public var name = ""
    /// The caller's number or address; may be empty.
    public var handle = ""
    /// Whether it is a video call.
    public var hasVideo = false
    /// When it was sent, where the push says so and the clock is to be believed.
    public var sentAt: WallTime?

    /// A request for the call `key`.
    public init(key: CallKey) {
        self.key = key
    }
}
