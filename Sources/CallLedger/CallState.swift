public import CallTerms

/// What a call is in the group file: `state`.
public enum CallState: String, Hashable, Sendable, CaseIterable {
    /// It rings, as long as its owner lives and its deadline is not past.
    case ringing
    /// The caller hung up.
    case hangup
    /// Somebody answered.
    case answered
    /// Somebody declined.
    case declined
    /// It rang its full duration.
    case timeout
    /// The budget cut its ring short.
    case expired
    /// The app came, or was, in front.
    case foreground
    /// Its worker was told to stop.
    case stopped
    /// It was too old to ring, or its worker died.
    case missed

    /// The state of a call whose ring ended for `reason`.
    public init(_ reason: EndReason) {
        switch reason {
        case .hangup: self = .hangup
        case .answered: self = .answered
        case .declined: self = .declined
        case .foreground: self = .foreground
        case .timeout: self = .timeout
        case .expired: self = .expired
        case .stopped: self = .stopped
        }
    }

    /// Why its ring ended; nil while it rings, and where its worker died.
    public var endReason: EndReason? {
        switch self {
        case .ringing, .missed: nil
        case .hangup: .hangup
        case .answered: .answered
        case .declined: .declined
        case .timeout: .timeout
        case .expired: .expired
        case .foreground: .foreground
        case .stopped: .stopped
        }
    }
}
