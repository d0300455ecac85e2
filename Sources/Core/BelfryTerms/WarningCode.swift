/// `warning.code`: what iOS would have done, or what the operator should know.
public enum WarningCode: String, Hashable, Sendable, CaseIterable {
    /// A hangup was not intercepted: iOS would have rung on.
    case hangupNotIntercepted = "hangup-not-intercepted"
    /// A flag that no process owns says that the app is in front.
    case foregroundUnowned = "foreground-unowned"
    /// `sentAt` is over a minute in the future, and counts as absent (R9).
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
    /// A call has no id, or that of its push, so that no hangup names it.
    case noCallID = "no-call-id"
    /// The content handler was called again, or too late.
    case handlerCalledAgain = "handler-called-again"
    /// The changed content had no alert text; the original was delivered.
    case noAlertText = "no-alert-text"
    /// An attachment was dropped, with the error iOS gives.
    case attachmentDropped = "attachment-dropped"
    /// The extension was told that its time is nearly over.
    case timeWillExpire = "time-will-expire"
    /// The extension let its time pass, or its process left, without a reply.
    case neverReplied = "never-replied"
    /// `didReceive` ran on past the expiry call, up to the budget's end, without a reply.
    case blocked
    /// The extension's process was killed because its budget was over.
    case killedAtBudget = "killed-at-budget"
    /// The extension wrote or asked for more than is passed on.
    case outputCut = "output-cut"
    /// The extension had more memory of its own than iOS gives.
    case memory
    /// The extension used something that does not exist on Linux, and got the error that iOS gives.
    case unsupported
    /// The extension asked the notification centre for something after its reply, when iOS denies it.
    case centerAfterReply = "center-after-reply"
    /// iOS would not play the sound of what was handed over, and plays the default one instead.
    case soundUnplayable = "sound-unplayable"
    /// What was handed over is critical, and the app has no entitlement for that.
    case criticalUnentitled = "critical-unentitled"
    /// The extension's process held a lock in a group's folder as its time was over: iOS kills such a process, with the
    /// number 0xdead10cc.
    case lockHeld = "lock-held"
    /// The extension rang before it replied: iOS would have kept the hangup waiting until the reply.
    case hangupCouldNotStop = "hangup-could-not-stop"
    /// The keeper of the extension's process is gone, or was never there.
    case keeperGone = "host-gone"
    /// The app was handed a voip push and did not report a call for it: in the background iOS kills it.
    case pushNotReported = "push-not-reported"
    /// The receive method had returned before the report came: in the background iOS kills the app for that.
    case pushReportedLate = "push-reported-late"
    /// The registry's delegate has no method that receives a push: iOS kills the app.
    case pushNoReceiver = "push-no-receiver"
    /// The completion handler of a push was not called: iOS suspends the app badly.
    case pushCompletionMissing = "push-completion-missing"
    /// The app's registry came over a second after the push that waited for it.
    case registryLate = "registry-late"
    /// The app's registry or its delegate is gone: no pushes reach it.
    case registryLost = "registry-lost"
    /// The app's provider is gone while calls live: iOS ends them.
    case providerLost = "provider-lost"
    /// The app has a second provider, to which calls of the first are unknown.
    case providerTwice = "provider-twice"
    /// Something was reported or asked for before the provider had its delegate, or after that was gone.
    case delegateLate = "delegate-late"
    /// An action was neither fulfilled nor failed when most of its time was over.
    case actionUnfinished = "action-unfinished"
    /// An action was fulfilled or failed a second time.
    case actionTwice = "action-twice"
    /// An action was fulfilled or failed after its time was over.
    case actionAfterTimeout = "action-after-timeout"
    /// The delegate lacks the method for an action, which stays pending until its time is over.
    case actionUnimplemented = "action-unimplemented"
    /// No call has the UUID that was reported, or asked for.
    case uuidUnknown = "uuid-unknown"
    /// A call was reported with the UUID of one that lives.
    case uuidReused = "uuid-reused"
    /// A report names no handle of the caller's.
    case updateWithoutHandle = "update-without-handle"
    /// A report does not name the caller.
    case updateWithoutName = "update-without-name"
    /// A handle is of a type that the provider does not support, or does not look like its type.
    case handleType = "handle-type"
    /// A queue did not take a call of the delegate within a second.
    case mainBlocked = "main-blocked"
    /// `UIBackgroundModes` of the app's `Info.plist` lacks `voip`: iOS delivers no voip pushes.
    case voipModeMissing = "voip-mode-missing"
    /// The app assigned `localizedName`, which Apple's SDK does not let it.
    case localizedNameAssigned = "localized-name-assigned"
    /// The app reported the end of a call that the person at the endpoint ended: a transaction or an action does that.
    case endByReport = "end-by-report"
    /// An outgoing call was started, and the app did not say within a minute that it is connected.
    case connectedNever = "connected-never"
    /// The app said of an incoming call what is said of outgoing ones, or said it twice: that counts for nothing.
    case connectedOnIncoming = "connected-on-incoming"
    /// The delegate took a whole transaction on itself, and left an action of it without outcome.
    case executeSwallowed = "execute-swallowed"
    /// The app began to use sound for a call before the system activated that call's audio.
    case audioEarly = "audio-early"
    /// The app uses sound after the system deactivated a call's audio.
    case audioAfterEnd = "audio-after-end"
    /// The system activated a call's audio, and the session's category or mode is for no call.
    case audioCategory = "audio-category"
    /// The app's `ringtoneSound` cannot be played: its calls ring with the configured sound.
    case soundUnreadable = "sound-unreadable"
    /// An app could not be started, or left before its registry was there: its pushes ring without it.
    case appNotStarted = "app-not-started"
    /// A second process said that it is an app that runs already, or two folders have one identifier.
    case appTwice = "app-twice"
    /// `belfry-calls` did not answer, or is gone.
    case callsUnavailable = "calls-unavailable"
    /// An app's values in a group's file are so large that reading them costs each ring time.
    case groupLarge = "group-large"
    /// A number of a call directory is smaller than the one before: the load is refused.
    case directoryOrder = "directory-order"
    /// A number of a call directory came twice: the load is refused.
    case directoryDuplicate = "directory-duplicate"
    /// Numbers of a call directory are none with a country code: no call has them.
    case directoryFormat = "directory-format"
    /// A call directory's extension did not complete its request, or did so twice.
    case directoryIncomplete = "directory-incomplete"
    /// A call directory's extension gave entries after its request was over: they are lost.
    case directoryAsync = "directory-async"
    /// A call directory's extension gave everything again although only changes were wanted.
    case directoryFullAsDiff = "directory-full-as-diff"
    /// A call directory's extension removed entries although the load is a whole one.
    case directoryRemoveFull = "directory-remove-full"
    /// A call directory's extension had more memory than it may have: it was killed.
    case directoryMemory = "directory-memory"
    /// An app's number store has changed, and no reload followed: the call directory has the old numbers.
    case directorySilentReload = "directory-silent-reload"
    /// A source of the call directory cannot be read: its numbers count as absent until its next load.
    case directoryDamaged = "directory-damaged"
}
