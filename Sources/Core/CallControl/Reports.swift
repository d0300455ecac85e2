import BelfryProtocol
import BelfryTerms
import CallChannel
import CallDirectory

// An app reports a call: it is refused (C7, R24), or rings, or is tied to what its push has come to (C4).
extension CallStateMachine {
    mutating func reported(_ report: CallReport, _ number: NumberVerdict, by app: String, at now: Instant) {
        let belonging = push(of: report, by: app)
        if case .lost = belonging {
            return refuse(report, .unknown, by: app, push: nil)
        }
        var push: PushDue?
        if case .push(let number) = belonging, let index = index(ofPush: number) {
            warnIfLate(pushes[index], at: now)
            pushes[index].isReported = true
            pushes[index].reportDue = nil
            push = pushes[index]
        }
        if let refusal = refusal(of: report, number, by: app) {
            refuse(report, refusal, by: app, push: push)
            if let push {
                silence(push, refusal, of: report, number.known, at: now)
            } else if refusal == .filteredByBlockList {
                // No worker is there to say it.
                tell(.silent(call: report.uuid.text, why: .blocked, label: number.known), id: "")
            }
            return
        }
        diagnose(report, by: app, push)
        if let push {
            tie(report, number.known, to: push, by: app, at: now)
        } else {
            ringAlone(report, number.known, by: app, at: now)
        }
    }

    private mutating func refuse(_ report: CallReport, _ refusal: ReportRefusal, by app: String, push: PushDue?) {
        effects.append(.app(app, .reported(report.number, error: refusal.rawValue)))
        let call = Event.AppCall(
            .refused, call: push?.key ?? report.uuid.text, uuid: report.uuid.text, app: app, error: refusal.rawValue)
        tell(.call(call), id: push?.id ?? "")
        switch refusal {
        case .uuidExists: warn(.uuidReused, Diagnosis.uuidReused(report.uuid), by: app, push)
        case .unknown:
            if report.uuid.isNil { warn(.uuidUnknown, Diagnosis.uuidIsNil, by: app, push) }
        case .filteredByBlockList: break
        }
    }

    /// The report of `push` was refused: it does not ring, or rings no longer.
    private mutating func silence(
        _ push: PushDue, _ refusal: ReportRefusal, of report: CallReport, _ label: NumberLabel?, at now: Instant
    ) {
        guard let worker = push.worker, let index = index(ofPush: push.number), !push.ring.isFinal else { return }
        let known = calls.first { $0.uuid == report.uuid }
        let why: SilenceReason =
            switch refusal {
            case .uuidExists: known?.isBeforeAnswer == true ? .duplicate : .answered
            case .unknown: .busy
            case .filteredByBlockList: .blocked
            }
        let isWaiting = if case .waiting = push.ring { true } else { false }
        // A ring that is on already is none that the person has missed, if the call is known, or is not to be.
        let unmissed = refusal == .uuidExists ? HangupReason.answeredElsewhere : .declinedElsewhere
        let end = refusal == .unknown ? HangupReason.busy : unmissed
        effects.append(.worker(worker, isWaiting ? .silent(CodeWord(why), label: label) : .end(.hangUp(end))))
        pushes[index].settle(.over(.system), at: now)
    }

    /// The report is that of `push` (C4).
    private mutating func tie(
        _ report: CallReport, _ label: NumberLabel?, to push: PushDue, by app: String, at now: Instant
    ) {
        let call = LiveCall(
            uuid: report.uuid, app: app, push: push.number, update: report.update,
            state: .starting(report: report.number), label: label)
        calls.append(call)
        let ring = push.ring
        switch ring {
        case .waiting:
            guard let worker = push.worker, let index = index(ofPush: push.number) else { return }
            pushes[index].settle(.ordered, at: now)
            effects.append(.worker(worker, .ring(call.caller)))
        case .ordered:
            if let worker = push.worker { effects.append(.worker(worker, .caller(call.caller))) }
        case .ringing:
            if let worker = push.worker { effects.append(.worker(worker, .caller(call.caller))) }
            accepted(report.uuid)
        case .pushed: break
        case .answered:
            accepted(report.uuid)
            answer(report.uuid, at: now)
        case .over(let actor):
            accepted(report.uuid)
            ringOver(report.uuid, by: actor, at: now)
        case .lost: ringAnew(report.uuid, at: now)
        }
    }

    /// No push brought the call: it rings by one of its own (C4).
    private mutating func ringAlone(_ report: CallReport, _ label: NumberLabel?, by app: String, at now: Instant) {
        let id = makeUUID().text.lowercased()
        let push = PushDue(
            own: id, number: nextNumber(at: now), for: app, key: report.uuid.text, group: nil,
            until: now + PushDue.ringMax, at: now)
        pushes.append(push)
        let call = LiveCall(
            uuid: report.uuid, app: app, push: push.number, update: report.update,
            state: .starting(report: report.number), label: label)
        calls.append(call)
        effects.append(.ring(OwnRing(id: id, app: app, call: push.key, caller: call.caller)))
    }

    /// The ring of a call has come about, or is known to be none: its report is accepted.
    mutating func accepted(_ uuid: CallUUID) {
        guard let index = calls.firstIndex(where: { $0.uuid == uuid }), case .starting(let report) = calls[index].state
        else { return }
        calls[index].state = .ringing
        effects.append(.app(calls[index].app, .reported(report, error: nil)))
        tell(calls[index], .reported)
        observe()
    }

    mutating func updated(
        _ uuid: CallUUID, _ update: CallUpdate, _ number: NumberVerdict, by app: String, at now: Instant
    ) {
        guard let index = calls.firstIndex(where: { $0.uuid == uuid && $0.app == app }) else {
            return warn(.uuidUnknown, unknownUUID(uuid, by: app, at: now), by: app)
        }
        let old = calls[index].caller
        calls[index].update.merge(update)
        if update.handle != nil { calls[index].label = number.known }
        let call = calls[index]
        if let handle = update.handle { diagnose(handle, of: uuid, by: app, push(of: call)) }
        guard call.caller != old, call.isBeforeAnswer, let worker = push(of: call)?.worker else { return }
        effects.append(.worker(worker, .caller(call.caller)))
    }

    /// The push by which a call rings.
    func push(of call: LiveCall) -> PushDue? { pushes.first { $0.number == call.push } }
}
