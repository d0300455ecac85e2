import BelfryProtocol
import BelfryTerms
import CallChannel

// How calls are over: by an action's outcome, by the app's report, with the provider, with the app (C9 to
// C11).
extension CallStateMachine {
    /// The call is over: by `actor`, else by who its end was asked for.
    mutating func end(_ uuid: CallUUID, by actor: CallActor?, at now: Instant) {
        guard let call = calls.first(where: { $0.uuid == uuid }) else { return }
        // What the delegate was asked for is void, and so is what is still asked for.
        for action in actions where action.call == uuid && action.app == call.app {
            close(action, .void, at: now)
            tell(action, .failed, at: now)
            answer(action, .noCall("the call is over"))
        }
        calls.removeAll { $0.uuid == uuid }
        var ended = apps[call.app]?.endedCalls ?? []
        ended.append((uuid, now))
        apps[call.app]?.endedCalls = Array(ended.suffix(KnownApp.rememberedMax))
        tell(call, .ended, by: actor ?? call.endedBy)
        leaveAlone(call.group, of: call.app)
        observe(ended: call)
        settleAudio(of: call.app)
    }

    /// The app says that a call is over.
    mutating func endReported(_ uuid: CallUUID, _ reason: CallEndedReason, by app: String, at now: Instant) {
        guard let call = calls.first(where: { $0.uuid == uuid && $0.app == app }) else {
            return warn(.uuidUnknown, unknownUUID(uuid, by: app, at: now), by: app)
        }
        if call.state == .ending, call.endedBy == .person || call.endedBy == .app {
            warn(.endByReport, Diagnosis.endByReport(call), by: app, push(of: call))
        }
        accepted(uuid)
        endRing(of: call, reason.ringEnd, by: .remote, at: now)
        end(uuid, by: call.state == .ending ? nil : .remote, at: now)
    }

    /// Ends the ring of a call that is over for its app.
    private mutating func endRing(of call: LiveCall, _ end: RingEnd, by actor: CallActor, at now: Instant) {
        guard let number = call.push, let index = index(ofPush: number), !pushes[index].ring.isFinal else { return }
        if let worker = pushes[index].worker { effects.append(.worker(worker, .end(end))) }
        pushes[index].settle(.over(actor), at: now)
    }

    /// The app has invalidated its provider: its calls end as failed, and its delegate is not called.
    mutating func providerInvalidated(_ app: String, at now: Instant) {
        apps[app]?.provider = nil
        failCalls(of: app, at: now)
    }

    private mutating func failCalls(of app: String, at now: Instant) {
        for call in calls where call.app == app {
            endRing(of: call, .hangUp(.failed), by: .system, at: now)
            if case .starting(let report) = call.state, apps[app]?.isConnected == true {
                effects.append(.app(app, .reported(report, error: ReportRefusal.unknown.rawValue)))
            }
            end(call.uuid, by: .system, at: now)
        }
    }

    /// The app's process is gone: its calls end as failed, and what it was handed rings without it.
    mutating func appGone(_ app: String, at now: Instant) {
        guard let old = apps[app], old.isConnected else { return }
        apps[app]?.hello = nil
        apps[app]?.wantsVoIP = false
        apps[app]?.provider = nil
        failCalls(of: app, at: now)
        apps[app]?.isAudioActive = false
        apps[app]?.closedActions = []
        tell(.app(Event.App(.ended, app: app)), id: "")
        if !old.wantsVoIP { apps[app]?.failure = "it left before its registry was there" }
        for push in pushes where push.app == app && !push.isReported {
            guard let index = index(ofPush: push.number) else { continue }
            let wasMissing = push.handed != nil && push.mustReport && push.reportDue != nil
            pushes[index].isOfEarlierProcess = push.handed != nil
            pushes[index].reportDue = nil
            pushes[index].completionDue = nil
            if wasMissing { warn(.pushNotReported, Diagnosis.leftWithoutReport(push, at: now), of: push) }
            if push.payload != nil, let failure = apps[app]?.failure {
                warn(.appNotStarted, Diagnosis.notStarted(app, failure), of: push)
            }
            ringWithoutReport(push.number, at: now)
        }
        // Of a process that was started by hand nothing is kept.
        if !configured.contains(app), !pushes.contains(where: { $0.app == app }) { apps[app] = nil }
    }

    /// What the app's side has found. A second provider makes the calls of the first unknown to its requests.
    mutating func appWarned(_ code: CodeWord<WarningCode>, _ detail: String, by app: String) {
        if code == .providerTwice {
            for index in calls.indices where calls[index].app == app { calls[index].isOfEarlierProvider = true }
        }
        warn(as: code, LiveCall.cut(detail), by: app, pushes.last { $0.app == app && $0.worker != nil })
    }
}

extension CallEndedReason {
    /// How a ring ends for it.
    var ringEnd: RingEnd {
        switch self {
        case .failed: .hangUp(.failed)
        case .remoteEnded: .hangUp(.cancelled)
        case .unanswered: .timeOut
        case .answeredElsewhere: .hangUp(.answeredElsewhere)
        case .declinedElsewhere: .hangUp(.declinedElsewhere)
        }
    }
}
