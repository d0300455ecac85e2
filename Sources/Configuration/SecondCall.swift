/// What a call does that comes while another one rings (R10).
public enum SecondCall: String, CaseIterable, Sendable {
    /// It rings with a quieter tone and does not vibrate.
    case soft
    /// It makes no sound.
    case silent
    /// It rings as if it were alone.
    case loud
}
