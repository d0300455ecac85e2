/// Why a gateway asks a machine once more to take a push: `code` of `asked-again` in the log of pushes.
public enum AskedAgain: String, Hashable, Sendable, CaseIterable {
    /// The machine has not said that it took the question.
    case untaken
    /// The machine has taken the question, and not said what became of the push.
    case untold
    /// The line over which it was asked is down.
    case lineDown = "line-down"
}
