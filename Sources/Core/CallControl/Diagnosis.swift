import BelfryProtocol
import BelfryTerms
import CallChannel

// What is told to those who watch: events, and mistakes with what iOS would have done and the remedy (C12).
extension CallStateMachine {
    mutating func tell(_ event: Event.Body, id: String) { effects.append(.tell(event, id: id, about: nil)) }

    mutating func tell(_ call: LiveCall, _ state: AppCallState, by actor: CallActor? = nil) {
        let push = push(of: call)
        let event = Event.AppCall(state, call: key(of: call), uuid: call.uuid.text, app: call.app, by: actor)
        tell(.call(event), id: push?.id ?? "")
    }

    mutating func tell(_ action: OpenAction, _ state: AppActionState, at now: Instant) {
        let call = calls.first { $0.uuid == action.call }
        let push = call.flatMap { self.push(of: $0) }
        let event = Event.Action(
            action.action.kind.told, state, call: call.map(key) ?? "", uuid: action.action.uuid.text, app: action.app,
            seconds: (now - action.performed).seconds)
        tell(.action(event), id: push?.id ?? "")
    }

    /// The key by which commands name a call: that of its push, or its UUID.
    func key(of call: LiveCall) -> String { push(of: call)?.key ?? call.uuid.text }

    /// The calls of all apps, for their observers; one that ended is among them once more.
    mutating func observe(ended call: LiveCall? = nil) {
        var observed = calls.filter { if case .starting = $0.state { false } else { true } }.map(\.observed)
        if let call {
            var last = call.observed
            last.hasEnded = true
            observed.append(last)
        }
        for app in known where apps[app]?.isConnected == true { effects.append(.app(app, .calls(observed))) }
    }

    mutating func warn(_ code: WarningCode, _ detail: String, of push: PushDue) {
        warn(as: CodeWord(code), detail, by: push.app, push)
    }

    mutating func warn(_ code: WarningCode, _ detail: String, of action: OpenAction) {
        warn(
            as: CodeWord(code), detail, by: action.app, calls.first { $0.uuid == action.call }.flatMap { push(of: $0) })
    }

    mutating func warn(_ code: WarningCode, _ detail: String, by app: String, _ push: PushDue? = nil) {
        warn(as: CodeWord(code), detail, by: app, push)
    }

    mutating func warn(as code: CodeWord<WarningCode>, _ detail: String, by app: String, _ push: PushDue?) {
        effects.append(.tell(.warning(code: code, detail: detail), id: push?.id ?? "", about: push?.worker))
    }

    /// Whether the report of `push` comes after iOS would have killed the app for it.
    mutating func warnIfLate(_ push: PushDue, at now: Instant) {
        guard push.mustReport, let handed = push.handed, push.returned != nil || push.reportDue == nil else { return }
        warn(.pushReportedLate, Diagnosis.reportedLate(push, handed: handed, at: now), of: push)
    }

    mutating func diagnose(_ report: CallReport, by app: String, _ push: PushDue?) {
        let update = report.update
        if (update.handle?.value ?? "").isEmpty {
            warn(.updateWithoutHandle, Diagnosis.withoutHandle(report.uuid), by: app, push)
        }
        if (update.name ?? "").isEmpty { warn(.updateWithoutName, Diagnosis.withoutName(report.uuid), by: app, push) }
        if let handle = update.handle { diagnose(handle, of: report.uuid, by: app, push) }
    }

    mutating func diagnose(_ handle: CallHandle, of uuid: CallUUID, by app: String, _ push: PushDue?) {
        let supported = apps[app]?.provider?.supportedHandleTypes ?? []
        guard let problem = Diagnosis.problem(of: handle, of: uuid, supported) else { return }
        warn(.handleType, problem, by: app, push)
    }

    mutating func diagnose(_ refusal: TransactionRefusal, of request: AppRequest, by app: String, at now: Instant) {
        switch refusal {
        case .unknown, .unknownProvider, .empty, .maximumGroups: break
        case .uuidExists:
            let uuid = request.actions.lazy.compactMap(\.call).first { uuid in calls.contains { $0.uuid == uuid } }
            if let uuid { warn(.uuidReused, Diagnosis.startReused(uuid), by: app) }
        case .unknownCall:
            let uuid = request.actions.flatMap(\.calls).first { uuid in
                !calls.contains { $0.uuid == uuid && $0.app == app && !$0.isOfEarlierProvider }
            }
            if let uuid { warn(.uuidUnknown, unknownUUID(uuid, by: app, at: now), by: app) }
        case .invalidAction:
            for case .other(let name) in request.actions.map(\.kind) {
                return warn(.unsupported, Diagnosis.unsupported(name), by: app)
            }
        }
    }

    /// What can be said of a UUID that no call of `app` has.
    func unknownUUID(_ uuid: CallUUID, by app: String, at now: Instant) -> String {
        var text = "\(app) has no call \(uuid.text)"
        if calls.contains(where: { $0.uuid == uuid && $0.app == app }) {
            text = "the call \(uuid.text) is of an earlier provider of \(app)"
        } else if let action = actions.first(where: { $0.action.uuid == uuid && $0.app == app }) {
            text += ": that is the UUID of an action; its callUUID is \(action.call.text)"
        } else if let ended = apps[app]?.endedCalls.last(where: { $0.uuid == uuid }) {
            text += ": it ended \((now - ended.at).seconds) s ago"
        } else {
            let own = calls.filter { $0.app == app }.prefix(3).map(\.uuid.text)
            text += own.isEmpty ? ", nor any other" : "; it has \(own.joined(separator: ", "))"
        }
        return text + ". iOS does nothing, and answers a request with error 4: use the UUID of the report"
    }
}

extension CallAction {
    /// The calls that it names.
    fileprivate var calls: [CallUUID] {
        if case .group(let other?) = kind { [other] + (call.map { [$0] } ?? []) } else { call.map { [$0] } ?? [] }
    }
}

extension CallAction.Kind {
    /// The kind as events have it.
    var told: AppActionKind {
        switch self {
        case .start: .start
        case .answer: .answer
        case .end: .end
        case .hold(let isOn): isOn ? .hold : .resume
        case .mute(let isOn): isOn ? .mute : .unmute
        case .group(let other): other == nil ? .ungroup : .group
        case .dtmf: .dtmf
        case .other: preconditionFailure("\(self) is refused when it is asked for")
        }
    }
}

/// Mistakes in words: what was seen, what iOS does, the remedy.
enum Diagnosis {
    static let uuidIsNil = "the UUID of the report is all zeros, which is no call's: it gets error 0. Use UUID()"

    static func notStarted(_ app: String, _ why: String) -> String {
        "\(app) does not run: \(why). The push rings without it: see its output, and try belfry app start \(app)"
    }

    static func voipModeMissing(_ app: String) -> String {
        "UIBackgroundModes in the Info.plist of \(app) lacks voip: iOS delivers no voip push to it. Add voip"
    }

    static func registryLate(_ app: String, after wait: TimeSpan) -> String {
        """
        the registry of \(app) came \(milliseconds(wait)) after the push that waited for it: iOS delays or loses such \
        pushes. Make the PKPushRegistry in application(_:didFinishLaunchingWithOptions:)
        """
    }

    static func registryMissing(_ push: PushDue, at now: Instant) -> String {
        """
        \(push.app) runs, and has no registry for a push that waited \(milliseconds(now - push.arrived)): iOS delays \
        or loses such pushes. Make the PKPushRegistry in application(_:didFinishLaunchingWithOptions:)
        """
    }

    static func notReported(_ push: PushDue, at now: Instant) -> String {
        let waited = milliseconds(now - (push.handed ?? push.arrived))
        let hasReturned = push.returned == nil ? "has not returned" : "has returned"
        return """
            no call was reported for the push \(push.id) within \(waited), and its receive method \(hasReturned): in \
            the background iOS kills the app, and after three times launches it no more. Report a call for each push
            """
    }

    static func leftWithoutReport(_ push: PushDue, at now: Instant) -> String {
        """
        \(push.app) left \(milliseconds(now - (push.handed ?? push.arrived))) after it was handed the push \
        \(push.id), and reported no call: iOS counts that as a crash. Report a call for each push
        """
    }

    static func reportedLate(_ push: PushDue, handed: Instant, at now: Instant) -> String {
        let when =
            push.returned.map { "\(milliseconds(now - $0)) after the receive method had returned" }
            ?? "\(milliseconds(now - handed)) after the push"
        return """
            the call for the push \(push.id) was reported \(when), as from a Task or a queue: in the background iOS \
            kills the app for that. Report before the method returns
            """
    }

    static func noReceiver(_ app: String) -> String {
        """
        the delegate of the registry of \(app) has no method that receives a push: iOS kills the app. Write \
        pushRegistry(_:didReceiveIncomingPushWith:for:completion:) in the class that conforms
        """
    }

    static func completionMissing(_ push: PushDue, at now: Instant) -> String {
        """
        the completion handler of the push \(push.id) was not called within \
        \(milliseconds(now - (push.returned ?? now))) after the receive method had returned: iOS suspends the app \
        badly. Call it once the call is reported
        """
    }

    static func uuidReused(_ uuid: CallUUID) -> String {
        "a call with the UUID \(uuid.text) lives: iOS answers with error 2 and rings once. Each call has its own UUID"
    }

    static func startReused(_ uuid: CallUUID) -> String {
        "a call with the UUID \(uuid.text) lives: iOS answers the request with error 5. Each call has its own UUID"
    }

    static func neverConnected(_ call: LiveCall) -> String {
        let isConnecting =
            call.isConnecting
            ? "startedConnectingAt came, and no connectedAt" : "neither startedConnectingAt nor connectedAt came"
        return """
            the outgoing call \(call.uuid.text) was started \(CallStateMachine.connectedPatience.seconds) s ago, and is \
            not connected: \(isConnecting). iOS shows no duration. Call reportOutgoingCall(with:connectedAt:) once the \
            other side has answered
            """
    }

    static func outgoingStep(_ step: OutgoingStep, of call: LiveCall) -> String {
        let words = step == .connecting ? "startedConnectingAt" : "connectedAt"
        guard call.isOutgoing else {
            return """
                \(words) was reported of \(call.uuid.text), an incoming call: iOS ignores that. Fulfil its answer once \
                it is connected
                """
        }
        return "\(words) was reported of \(call.uuid.text) once more, or too late: iOS ignores that. Report it once"
    }

    static func withoutHandle(_ uuid: CallUUID) -> String {
        "the report of \(uuid.text) has no remoteHandle: iOS shows a blank caller. Assign one"
    }

    static func withoutName(_ uuid: CallUUID) -> String {
        "the report of \(uuid.text) has no localizedCallerName: iOS shows the bare handle. Assign one"
    }

    static func unsupported(_ action: String) -> String {
        "this version carries out no \(action): the transaction gets error 6, and nothing of it is performed"
    }

    static func unimplemented(_ action: OpenAction) -> String {
        """
        the provider's delegate has no method for the \(word(action)) action of \(action.call.text): it stays pending \
        until its time is over, as on iOS. Write it in the class that conforms
        """
    }

    static func unfinished(_ action: OpenAction, at now: Instant) -> String {
        let state = action.hasReturned ? "the delegate has returned" : "the delegate has not returned"
        return """
            the \(word(action)) action of \(action.call.text) is neither fulfilled nor failed after \
            \(milliseconds(now - action.performed)); \(state): iOS says connecting, then times out. Call fulfill() or \
            fail()
            """
    }

    static func twice(_ action: ClosedAction, at now: Instant) -> String {
        """
        the \(action.kind.word) action of \(action.call.text) was fulfilled or failed \
        \(milliseconds(now - action.closed)) before: the second has no effect, as on iOS. Do it once
        """
    }

    static func afterTimeout(_ action: ClosedAction, at now: Instant) -> String {
        """
        the \(action.kind.word) action of \(action.call.text) was fulfilled or failed \
        \(milliseconds(now - action.closed)) after its time was over: iOS ignores that. Fulfil it as soon as media \
        connect
        """
    }

    static func unknownAction(_ action: CallUUID) -> String {
        """
        no action \(action.text) waits for an outcome: iOS ignores that. Fulfil or fail what the delegate was given
        """
    }

    static func endByReport(_ call: LiveCall) -> String {
        """
        the end of \(call.uuid.text) was reported while its end action is open: iOS shows it as ended by the caller. \
        Fulfil the action
        """
    }

    /// What is wrong with a handle; nil if nothing is.
    static func problem(of handle: CallHandle, of uuid: CallUUID, _ supported: Set<CallHandle.Kind>) -> String? {
        let problem: String
        switch handle.kind {
        case .phoneNumber where handle.value.contains("@"): problem = "a phone number with @: it is an e-mail address"
        case .phoneNumber where handle.value.contains(where: \.isLetter): problem = "a phone number with letters"
        case .emailAddress where !handle.value.contains("@"): problem = "an e-mail address without @"
        case .generic, .phoneNumber, .emailAddress:
            guard !supported.isEmpty, !supported.contains(handle.kind) else { return nil }
            problem = "of a type that supportedHandleTypes lacks"
        }
        return """
            the handle of \(uuid.text) is \(problem): on iOS it cannot be called back. Give it the type that it is of, \
            and its type to supportedHandleTypes
            """
    }

    private static func word(_ action: OpenAction) -> String { action.action.kind.word }

    private static func milliseconds(_ span: TimeSpan) -> String { "\(Double(span.microseconds / 100) / 10) ms" }
}
