import Events

extension Event.Body {
    /// What every call is told with that a flag silences which no process owns: an app that crashed may have left it.
    static let foregroundUnowned = Event.Body.warning(
        code: .foregroundUnowned,
        detail: "no process owns the word that the app is in front: belfry app background takes it back")
}
