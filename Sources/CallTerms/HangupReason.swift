/// Why a caller's side hung up: `reason` of a hangup push, `ended.hangupReason`.
public enum HangupReason: String, Hashable, Sendable, CaseIterable {
    /// The caller gave up; what is meant where a push says nothing.
    case cancelled
    /// Another device of this person answered.
    case answeredElsewhere = "answered-elsewhere"
    /// Another device of this person declined.
    case declinedElsewhere = "declined-elsewhere"
    /// The line was busy.
    case busy
    /// The call could not be set up.
    case failed

    /// Whether the person has missed a call that ended so (R11).
    public var leavesMissedCall: Bool {
        switch self {
        case .cancelled, .busy, .failed: true
        case .answeredElsewhere, .declinedElsewhere: false
        }
    }
}
