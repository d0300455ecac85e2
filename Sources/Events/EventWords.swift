/// What a payload is: `received.type`.
public enum NotificationType: String, Hashable, Sendable, CaseIterable {
    /// A call wants to ring.
    case callRequest = "call-request"
    /// A call is over.
    case hangup
    /// Any other notification with something to show.
    case alert
    /// Nothing to show.
    case background
}

/// Whether a ring is heard: `sound.state`.
public enum SoundState: String, Hashable, Sendable, CaseIterable {
    /// The sound server plays it.
    case playing
    /// It cannot be played now; the next ticks try again.
    case unavailable
}

/// What `warning.code` may be.
public enum WarningCode: String, Hashable, Sendable, CaseIterable {
    /// A hangup was not intercepted: iOS would have rung on.
    case hangupNotIntercepted = "hangup-not-intercepted"
    /// The app is said to be in front by a flag that no process owns.
    case foregroundUnowned = "foreground-unowned"
    /// `sentAt` lies over a minute in the future, and counts as absent.
    case badClock = "bad-clock"
    /// The group file's lock was held too long, and was passed over.
    case groupLocked = "group-locked"
    /// The group file did not parse, and was set aside.
    case groupCorrupt = "group-corrupt"
    /// The group file cannot be written.
    case groupUnwritable = "group-unwritable"
    /// A setting is wrong and passed over: the last good value holds, else the default.
    case configuration
    /// A field of the payload is of the wrong type or out of range, and counts as absent.
    case fieldIgnored = "field-ignored"
    /// The content handler was called again, or too late.
    case handlerCalledAgain = "handler-called-again"
    /// The changed content had no alert text; the original was delivered.
    case noAlertText = "no-alert-text"
    /// An attachment was dropped, with the error iOS gives.
    case attachmentDropped = "attachment-dropped"
    /// The extension was told that its time is nearly over.
    case timeWillExpire = "time-will-expire"
}
