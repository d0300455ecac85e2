import BelfryProtocol
import BelfryTerms
import CallChannel

// What workers say of their rings, and what that is for the calls that ring.
extension CallStateMachine {
    mutating func workerSaid(_ event: Event.Body, _ worker: WorkerNumber, at now: Instant) {
        guard let index = pushes.firstIndex(where: { $0.worker == worker }) else { return }
        switch event {
        case .ringing: rings(index, at: now)
        case .silent(_, let why, _):
            why == .blocked ? isFiltered(index, at: now) : isOver(index, by: Self.actor(why), at: now)
        case .ended(let ended): ended.reason == .answered ? isAnswered(index, at: now) : ends(index, ended, at: now)
        // Stopped while it waited: it never rang.
        case .missed: isOver(index, by: .system, at: now)
        case .rejected: noRing(index, at: now)
        case .received, .tick, .sound, .notification, .vibration, .attachment, .delivered, .warning,
            .extensionProcess, .asked, .caller, .app, .call, .action, .unknown:
            break
        }
    }

    private mutating func rings(_ index: Int, at now: Instant) {
        let ring = pushes[index].ring
        switch ring {
        case .waiting, .ordered, .pushed: break
        // It rings on in another mode, or its end was settled meanwhile.
        case .ringing, .answered, .over, .lost: return
        }
        pushes[index].settle(.ringing, at: now)
        guard let call = call(of: pushes[index]) else { return }
        accepted(call.uuid)
    }

    private mutating func ends(_ index: Int, _ ended: Event.Ended, at now: Instant) {
        let call = call(of: pushes[index])
        let isAsked = call?.asked.contains { $0.action.kind == .end } == true
        let actor: CallActor =
            switch ended.reason.known {
            case .declined: isAsked ? .app : .person
            case .hangup: .remote
            case .answered, .foreground, .timeout, .expired, .stopped, nil: .system
            }
        isOver(index, by: actor, at: now)
    }

    private mutating func isAnswered(_ index: Int, at now: Instant) {
        let push = pushes[index]
        guard !push.ring.isFinal else {
            // The app has ended the call itself meanwhile: nobody is to find an answer of it.
            if push.ring != .answered, push.isReported { collect(push) }
            return
        }
        pushes[index].settle(.answered, at: now)
        guard let call = call(of: push) else { return }
        accepted(call.uuid)
        answer(call.uuid, at: now)
    }

    /// The ring is over otherwise than by an answer, or never was.
    private mutating func isOver(_ index: Int, by actor: CallActor, at now: Instant) {
        guard !pushes[index].ring.isFinal else { return }
        pushes[index].settle(.over(actor), at: now)
        guard let call = call(of: pushes[index]) else { return }
        accepted(call.uuid)
        ringOver(call.uuid, by: actor, at: now)
    }

    /// Who a call is ended by that the ledger has silenced for `why`.
    private static func actor(_ why: CodeWord<SilenceReason>) -> CallActor {
        switch why.known {
        case .hungUp: .remote
        case .answered, .declined: .person
        case .foreground, .duplicate, .stale, .notIntercepted, .busy, .blocked, nil: .system
        }
    }

    /// The worker has found the caller blocked, whose number its app did not name (R24).
    private mutating func isFiltered(_ index: Int, at now: Instant) {
        guard !pushes[index].ring.isFinal else { return }
        pushes[index].settle(.over(.system), at: now)
        if let call = call(of: pushes[index]) { neverRang(call.uuid, .filteredByBlockList, at: now) }
    }

    mutating func workerGone(_ worker: WorkerNumber, at now: Instant) {
        guard let index = pushes.firstIndex(where: { $0.worker == worker }) else { return }
        pushes[index].worker = nil
        let ring = pushes[index].ring
        switch ring {
        case .waiting, .ordered, .pushed:
            pushes[index].settle(.lost, at: now)
            if let call = call(of: pushes[index]) { ringAnew(call.uuid, at: now) }
        case .ringing: isOver(index, by: .system, at: now)
        case .answered, .over, .lost: break
        }
    }

    /// The worker of a call died before it rang: one more ring is asked for, once (C4).
    mutating func ringAnew(_ uuid: CallUUID, at now: Instant) {
        guard let index = calls.firstIndex(where: { $0.uuid == uuid }), let old = push(of: calls[index]) else { return }
        guard !calls[index].hasRungAnew else { return neverRang(uuid, at: now) }
        guard old.until > now else {
            accepted(uuid)
            return ringOver(uuid, by: .system, at: now)
        }
        let id = makeUUID().text.lowercased()
        let push = PushDue(
            own: id, number: nextNumber(at: now), for: old.app, key: old.key, group: old.group, until: old.until,
            at: now)
        pushes.append(push)
        calls[index].push = push.number
        calls[index].hasRungAnew = true
        var ring = OwnRing(
            id: id, app: old.app, call: old.key, caller: calls[index].caller, left: old.until - now)
        ring.group = old.group
        effects.append(.ring(ring))
    }

    /// The worker of a ring that a report has asked for has come.
    mutating func ownRingCame(_ index: Int, _ push: VoIPPush, from worker: WorkerNumber, at now: Instant) {
        pushes[index].worker = worker
        pushes[index].hadWorker = true
        pushes[index].group = push.group
        guard pushes[index].ring == .pushed, let call = call(of: pushes[index]) else {
            effects.append(.worker(worker, .silent(CodeWord(.hungUp))))
            return
        }
        pushes[index].until = min(push.until, now + PushDue.ringMax)
        pushes[index].settle(.ordered, at: now)
        effects.append(.worker(worker, .ring(call.caller)))
        // What the app asked for while there was nobody to say it to.
        for asked in call.asked.prefix(1) { effects.append(.worker(worker, .end(asked.ringEnd))) }
    }

    /// The push of a ring that a report asked for could not be sent, or its worker does not come.
    mutating func ringFailed(_ id: String, at now: Instant) {
        guard let index = pushes.firstIndex(where: { $0.id == id && $0.ring == .pushed }) else { return }
        noRing(index, at: now)
    }

    /// There will be no ring.
    private mutating func noRing(_ index: Int, at now: Instant) {
        guard !pushes[index].ring.isFinal else { return }
        pushes[index].settle(.over(.system), at: now)
        if let call = call(of: pushes[index]) { neverRang(call.uuid, at: now) }
    }

    /// A worker has said nothing for longer than it may: for its call it is dead.
    mutating func ringStuck(_ push: PushDue, at now: Instant) {
        guard let index = index(ofPush: push.number) else { return }
        if let worker = push.worker { effects.append(.worker(worker, .end(.hangUp(.failed)))) }
        push.ring == .ringing ? isOver(index, by: .system, at: now) : noRing(index, at: now)
    }

    /// There is no ring to be had for a call: its report gets an error, and no more comes of it.
    private mutating func neverRang(_ uuid: CallUUID, _ why: ReportRefusal = .unknown, at now: Instant) {
        guard let call = calls.first(where: { $0.uuid == uuid }) else { return }
        guard case .starting(let report) = call.state else { return ringOver(uuid, by: .system, at: now) }
        calls.removeAll { $0.uuid == uuid }
        let error = why.rawValue
        effects.append(.app(call.app, .reported(report, error: error)))
        let event = Event.AppCall(
            .refused, call: push(of: call)?.key ?? "", uuid: uuid.text, app: call.app, error: error)
        tell(.call(event), id: push(of: call)?.id ?? "")
    }

    /// The call that rings by `push`.
    private func call(of push: PushDue) -> LiveCall? { calls.first { $0.push == push.number } }
}
