/// Why a call request did not ring: `silent.why`.
public enum SilenceReason: String, Hashable, Sendable, CaseIterable {
    /// The app is in front and rings itself.
    case foreground
    /// This call rings already.
    case duplicate
    /// This call was answered within the last ten minutes.
    case answered
    /// This call was declined within the last ten minutes.
    case declined
    /// This call's hangup came within the last ten minutes, or before it.
    case hungUp = "hung-up"
    /// It was sent too long ago to ring (R9).
    case stale
    /// It was not intercepted, so no extension could ring (R1).
    case notIntercepted = "not-intercepted"
}
