import BelfryTerms

extension WarningCode {
    /// What a warning about an app's own calling code means, and what to do about it; nil if it is about another thing.
    var appExplanation: (meaning: String, remedy: String)? { ofPushes ?? ofCalls ?? ofTalks }

    private var ofPushes: (meaning: String, remedy: String)? {
        switch self {
        case .pushNotReported:
            (
                "An app that gets a voip push in the background and reports no call is killed by iOS, and "
                    + "after the third time not launched.",
                "Call reportNewIncomingCall in the receive method, for each push, also for one that cannot be "
                    + "read: end that as failed."
            )
        case .pushReportedLate:
            (
                "The receive method had returned before the report came: in the background iOS kills the app for that.",
                "Report before the method returns: not in a Task, not after await, not on another queue."
            )
        case .pushNoReceiver:
            (
                "The registry's delegate has none of the methods that receive a push: iOS kills the app.",
                "Write pushRegistry(_:didReceiveIncomingPushWith:for:completion:) in the class that declares "
                    + "the conformance."
            )
        case .pushCompletionMissing:
            (
                "The completion handler of the push was never called.",
                "Call it on every path, once the call is reported."
            )
        case .registryLate:
            (
                "The registry came long after the push that launched the app.",
                "Make it in didFinishLaunching, and set delegate and desiredPushTypes there."
            )
        case .registryLost:
            (
                "The registry or its delegate was let go: no push reaches the app.",
                "Keep both in properties that live as long as the app."
            )
        case .providerLost:
            (
                "The provider was let go while calls live: iOS ends them.",
                "Keep one CXProvider in a property that lives as long as the app."
            )
        case .providerTwice:
            (
                "A second provider was made: the calls of the first are unknown to it.",
                "Make one, and set its configuration if that changes."
            )
        case .delegateLate:
            (
                "The provider had no delegate: actions would be lost.",
                "Call setDelegate before the first report, and keep the delegate: the provider holds it weakly."
            )
        case .actionUnfinished:
            (
                "Most of the action's time is over, and it was neither fulfilled nor failed.",
                "Call fulfill() or fail() on every path of the delegate's method."
            )
        case .actionTwice:
            (
                "The action had its outcome already: the second one counts for nothing.",
                "Call fulfill() or fail() once."
            )
        case .actionAfterTimeout:
            (
                "The action's time was over before its outcome came.",
                "Fulfil it as soon as the media connect; end the call if they do not."
            )
        case .actionUnimplemented:
            (
                "The delegate has no method for the action, which waits until its time is over.",
                "Write provider(_:perform:) for it in the class that declares the conformance."
            )
        default: nil
        }
    }

    private var ofCalls: (meaning: String, remedy: String)? {
        switch self {
        case .uuidUnknown:
            (
                "No call of the app has this UUID, so that nothing happens.",
                "Use the UUID of the report, and callUUID of an action, not its uuid."
            )
        case .uuidReused:
            (
                "A live call has this UUID: the report is refused with callUUIDAlreadyExists.",
                "Make a new UUID for each call; a push for a known call may report the known one, and ignore the error."
            )
        case .updateWithoutHandle:
            (
                "The report has no handle: newer systems show such a caller badly.",
                "Set remoteHandle, generic if the account is no number."
            )
        case .updateWithoutName:
            (
                "The report has no name: the bare handle is shown.",
                "Set localizedCallerName."
            )
        case .handleType:
            (
                "The handle does not fit its type, or the provider does not support that: it cannot be called back.",
                "Set supportedHandleTypes, and use generic for accounts that are no numbers."
            )
        case .mainBlocked:
            (
                "The queue of the delegate was busy for over a second: on a phone time-outs follow.",
                "Do not wait on the main thread; give setDelegate a queue of its own if need be."
            )
        case .voipModeMissing:
            (
                "Without the background mode voip iOS delivers no voip pushes.",
                "Add voip to UIBackgroundModes in Info.plist."
            )
        case .localizedNameAssigned:
            (
                "Apple's SDK has localizedName as read-only: the line does not compile there.",
                "Set CFBundleDisplayName in Info.plist instead."
            )
        case .endByReport:
            (
                "The app reported the end of a call that was being ended here: lists of recent calls get that wrong.",
                "Only fulfil the action; report an end if the other side ended the call."
            )
        case .appNotStarted:
            (
                "The app could not be started, or left before its registry was there: its pushes ring without it.",
                "See \"belfry app list\", and the journal of belfry-app@ID.service."
            )
        case .appTwice:
            (
                "A second process says that it is this app, and is refused.",
                "End the first one: \"belfry app stop ID\"; give each app an identifier of its own."
            )
        case .directoryDamaged:
            (
                "A source of the call directory cannot be read, and nothing is known of its numbers.",
                "Load it anew: \"belfry directory reload ID\"; if it is your own list, import it again."
            )
        case .callsUnavailable:
            (
                "belfry-calls did not answer in time, or has left: the call went on without its app.",
                "See \"systemctl --user status belfry-calls.socket belfry-calls.service\"."
            )
        default: nil
        }
    }

    /// Of calls that go on.
    private var ofTalks: (meaning: String, remedy: String)? {
        switch self {
        case .connectedNever:
            (
                "The app started an outgoing call, and did not say that it is connected: the timer never starts.",
                "Call reportOutgoingCall(with:connectedAt:) once the other side has answered."
            )
        case .connectedOnIncoming:
            (
                "The app said of an incoming call what is said of outgoing ones, or said it a second time.",
                "An incoming call is connected by fulfilling its answer; report an outgoing one's steps once."
            )
        case .executeSwallowed:
            (
                "provider(_:execute:) returned true, so that no perform method is called, and an action had no outcome.",
                "Return false, or fulfill() each action of the transaction there."
            )
        case .audioEarly:
            (
                "The app used sound for a call before its audio was active: iOS refuses that, or it is silent.",
                "Begin in provider(_:didActivate:), and never call setActive(true) for a call."
            )
        case .audioAfterEnd:
            (
                "The app used sound after a call's audio was deactivated, since the call is over or held.",
                "Stop all sound in provider(_:didDeactivate:)."
            )
        case .audioCategory:
            (
                "A call's audio is active, and the session cannot record, or its mode is for no call.",
                "Set .playAndRecord and .voiceChat, or .videoChat, before an answer or start is fulfilled."
            )
        case .soundUnreadable:
            (
                "The file of ringtoneSound cannot be played: the app's calls ring with [Ring] Sound=.",
                "Put a CAF, WAVE, AIFF or MP3 file of that very name into the app's bundle."
            )
        default: nil
        }
    }
}
