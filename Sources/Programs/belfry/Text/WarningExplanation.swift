import BelfryTerms

extension WarningCode {
    /// The meaning of the warning, and what to do about it: one sentence each.
    var explanation: (meaning: String, remedy: String) {
        switch self {
        case .hangupNotIntercepted:
            (
                "This hangup took effect here, but on iOS the call would have rung on, since no extension sees it.",
                "Send it with mutable-content and an alert that has text."
            )
        case .foregroundUnowned:
            (
                "The call is silent because enterToForground is set, and nobody says which process set it.",
                "Remove the key when the app leaves, or set it by \"belfry app foreground --pid PID\"."
            )
        case .badClock:
            (
                "sentAt is over a minute in the future, and counts as absent.",
                "Set the clock of the sender, or of this machine."
            )
        case .groupLocked:
            (
                "Another program held the group file's lock for too long.",
                "Hold the lock only while the file is read and replaced, never across a wait."
            )
        case .groupCorrupt:
            (
                "The group file could not be read, and was set aside.",
                "Write it to a new file and rename that over the old one, under the lock."
            )
        case .groupUnwritable:
            (
                "The group file cannot be written: what happens is kept in memory.",
                "Make room on the disk, or the state directory writable; \"belfry doctor\" says which."
            )
        case .groupLarge:
            (
                "An app keeps much in UserDefaults(suiteName:), which each ring reads; beyond 1 MiB nothing is written.",
                "Keep lists in a file of the group's container, or numbers in BelfryNumberStore."
            )
        case .configuration:
            (
                "A setting is wrong and passed over; another value is in force.",
                "Mend the line that is named; \"belfry config\" shows what is in force."
            )
        case .fieldIgnored:
            ("Fields of the push are wrong and passed over.", "Mend each field that is named in what sends the push.")
        case .noCallID:
            (
                "The push does not say which call it is about, in a field that Belfry knows.",
                "Send callId, or name the field your server sends: [Call] Id=, or [Call] Payload= of a known server."
            )
        case .handlerCalledAgain:
            (
                "The content handler was called again, or too late: only its first call counts.",
                "Forget the handler once it was called, also in serviceExtensionTimeWillExpire."
            )
        case .noAlertText:
            (
                "The content that was handed over has no text, so the original was shown.",
                "Leave a title or a body in it; to show nothing, iOS wants the filtering entitlement."
            )
        case .attachmentDropped:
            (
                "iOS drops this attachment: its file is missing, too large or of a type that it does not know.",
                "Give the file an extension that names its type, and keep it until the handler was called."
            )
        case .timeWillExpire:
            (
                "The budget was nearly over: serviceExtensionTimeWillExpire was called.",
                "Keep the best attempt so far and hand it over there; do less, or ask for smaller files."
            )
        case .neverReplied:
            (
                "The content handler was never called, and the original was shown.",
                "Call it on every path, errors included, and in serviceExtensionTimeWillExpire."
            )
        case .blocked:
            (
                "didReceive was still running at the end of the budget; iOS does not wait for it.",
                "Do not wait on semaphores or sleep before the handler was called; use completions or async."
            )
        case .outputCut:
            (
                "The extension wrote or asked for more than is passed on.",
                "Write less; on iOS the log drops lines too."
            )
        case .killedAtBudget:
            (
                "The extension's process was killed, since it ran at the end of its budget: statics and threads are gone.",
                "Return from didReceive soon after the handler was called."
            )
        case .memory:
            (
                "The extension had more memory of its own than iOS gives: there it is killed without a word.",
                "Decode images smaller, download to files, and release what is not needed before the next step."
            )
        case .unsupported:
            (
                "The extension used something that there is not on Linux; it was refused as iOS would refuse it.",
                "See what is left out in docs/extensions.md; the code has to bear the refusal."
            )
        case .centerAfterReply:
            (
                "The notification centre was asked for something after the reply, which iOS denies.",
                "Ask it before the content handler is called."
            )
        case .soundUnplayable:
            (
                "iOS would not play this sound, and would play its default one instead.",
                "Name a CAF, AIFF or WAVE file of at most 30 s that is in Resources or in a Library/Sounds."
            )
        case .criticalUnentitled:
            (
                "iOS takes a critical alert for an ordinary one, unless the app has the entitlement.",
                "Set com.apple.developer.usernotifications.critical-alerts to true in Info.plist, if the app has it."
            )
        case .lockHeld:
            (
                "A file in the group's folder was still locked as the time was over: iOS kills for that (0xdead10cc).",
                "Close databases and let go of locks before the content handler is called."
            )
        case .hangupCouldNotStop:
            (
                "It rang before it replied: iOS keeps the hangup waiting until then, so nothing could have stopped it.",
                "Call the content handler first, and ring after that."
            )
        case .keeperGone:
            (
                "Who keeps the extension's process for [Extension] Strict= and Reuse= is gone, or was never there.",
                "Enable belfry-extension.socket; its journal says why it ended."
            )
        case .pushNotReported, .pushReportedLate, .pushNoReceiver, .pushCompletionMissing, .registryLate,
            .registryLost, .providerLost, .providerTwice, .delegateLate, .actionUnfinished, .actionTwice,
            .actionAfterTimeout, .actionUnimplemented, .uuidUnknown, .uuidReused, .updateWithoutHandle,
            .updateWithoutName, .handleType, .mainBlocked, .voipModeMissing, .localizedNameAssigned, .endByReport,
            .appNotStarted, .appTwice, .callsUnavailable, .directoryDamaged, .connectedNever, .connectedOnIncoming,
            .executeSwallowed, .audioEarly, .audioAfterEnd, .audioCategory, .soundUnreadable:
            appExplanation ?? ("", "")
        case .directoryOrder, .directoryDuplicate, .directoryFormat, .directoryIncomplete, .directoryAsync,
            .directoryFullAsDiff, .directoryRemoveFull, .directoryMemory, .directorySilentReload:
            directoryExplanation ?? ("", "")
        }
    }
}
