// The closed lists of what apps with their own calling code do.

/// `app.state`: what became of an app, and of a push that is for it.
public enum AppState: String, Hashable, Sendable, CaseIterable {
    /// Its process runs, and has said who it is.
    case started
    /// A push was handed to its registry.
    case handed
    /// The receive method of its registry's delegate has returned.
    case returned
    /// Its process is gone.
    case ended
}

/// `call.state`: the life of a call that an app reports.
public enum AppCallState: String, Hashable, Sendable, CaseIterable {
    /// It was reported, and accepted.
    case reported
    /// Its report was refused; `error` says why, as `CXErrorCodeIncomingCallError`.
    case refused
    /// The app calls somebody: its start was accepted.
    case started
    /// It was answered, or the other side is being called, and the app connects it.
    case connecting
    /// The app has connected it.
    case connected
    /// It is held.
    case held
    /// It is held no longer.
    case resumed
    /// The person is not heard in it.
    case muted
    /// The person is heard in it again.
    case unmuted
    /// It has joined others in a group.
    case grouped
    /// It has left its group.
    case ungrouped
    /// It is over.
    case ended
}

/// `call.by`: who ended a call, or answered it.
public enum CallActor: String, Hashable, Sendable, CaseIterable {
    /// The person at the endpoint, by button, command or bus.
    case person
    /// The app, by a transaction of its own.
    case app
    /// The caller's side: the app said so, or a hangup came.
    case remote
    /// Belfry: a time was over, an action failed, or a process died.
    case system
}

/// `action.kind`: what the delegate of an app's provider is to perform.
public enum AppActionKind: String, Hashable, Sendable, CaseIterable {
    case start, answer, end, hold, mute, group
    /// To hold it no longer.
    case resume
    /// To let the person be heard again.
    case unmute
    /// To take it out of its group.
    case ungroup
    /// To play tones to the other side.
    case dtmf
}

/// `action.state`: what became of an action.
public enum AppActionState: String, Hashable, Sendable, CaseIterable {
    /// The delegate was asked to perform it.
    case performed
    /// The app has fulfilled it.
    case fulfilled
    /// The app has failed it, or its call was gone.
    case failed
    /// Its time was over.
    case timedOut = "timed-out"
}
