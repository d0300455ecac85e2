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

/// Why the extension did not run (R1): `received.why`.
public enum PassthroughReason: String, Hashable, Sendable, CaseIterable {
    /// `mutable-content` is not set.
    case noMutableContent = "no-mutable-content"
    /// The alert has neither title nor subtitle nor body.
    case noAlertText = "no-alert-text"
    /// A background push has no alert to change.
    case background
    /// A voip push goes to the app, never to an extension.
    case voip
}

/// Who handed the content over: `delivered.by`.
public enum Deliverer: String, Hashable, Sendable, CaseIterable {
    /// The extension called its content handler.
    case `extension`
    /// Nothing intercepted it; the content is as it came.
    case passthrough
    /// The budget ran out first; the content is as it came.
    case expiry
    /// The extension died first; the content is as it came.
    case crash
    /// The worker was told to stop; the best attempt until then.
    case stopped
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
    /// A setting is wrong, and its default holds.
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
