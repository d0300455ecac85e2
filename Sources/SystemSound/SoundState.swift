/// Whether a ring is heard; the texts are for people.
public enum SoundState: Hashable, Sendable {
    /// The sound server plays it.
    case playing(String)
    /// It cannot be played now; later ticks try again.
    case unavailable(String)

    /// What the ninth process of a user says that would sound (R14).
    public static let busy = SoundState.unavailable("busy")
    /// What is said of a sound server that does not answer within ``SoundPlayer/answerPatience``.
    public static let hung = SoundState.unavailable("the sound server does not answer")
}
