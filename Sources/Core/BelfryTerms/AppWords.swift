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
    /// It was answered, and the app connects it.
    case connecting
    /// The app has connected it.
    case connected
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
    case answer, end
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
