import BelfryProtocol
import BelfryTerms
import CallChannel

/// An action that an app asks for by a transaction, while its call rings.
struct AskedAction: Sendable {
    /// The action.
    let action: CallAction
    /// The transaction that it is of.
    let transaction: CallUUID

    /// How it ends the ring.
    var ringEnd: RingEnd { action.kind == .answer ? .answer : .decline }
}

/// An action that an app's delegate performs.
struct OpenAction: Sendable {
    /// The action.
    let action: CallAction
    /// The app.
    let app: String
    /// The call.
    let call: CallUUID
    /// The transaction that it is of.
    let transaction: CallUUID
    /// Who waits for its outcome.
    var clients: [Int64] = []
    /// When the delegate was asked.
    let performed: Instant
    /// When its time is over.
    let end: Instant
    /// When most of its time is over; nil once that was said, or need not be.
    var warning: Instant?
    /// Whether the delegate's method has returned.
    var hasReturned = false

    /// What is due next.
    var deadline: Instant { warning ?? end }
}

/// An action that is over.
struct ClosedAction: Sendable {
    /// The action.
    let uuid: CallUUID
    /// What it would have done.
    let kind: CallAction.Kind
    /// Its call.
    let call: CallUUID
    /// When it was over.
    let closed: Instant
    /// Why.
    let why: ActionEnd
}

/// Why an action is over.
enum ActionEnd: Sendable {
    /// The app has fulfilled or failed it.
    case done
    /// Its time was over.
    case timedOut
    /// Its call was over.
    case void
}

// Actions: asked for by the ring or by the app, performed, and their outcomes (C9, C10).
extension CallStateMachine {
    /// The app asks for a transaction.
    mutating func requested(_ request: AppRequest, by app: String, at now: Instant) {
        if let refusal = refusal(of: request, by: app) {
            effects.append(.app(app, .requested(request.number, error: refusal.rawValue)))
            return diagnose(refusal, of: request, by: app, at: now)
        }
        effects.append(.app(app, .requested(request.number, error: nil)))
        for action in request.actions {
            let asked = AskedAction(action: action, transaction: request.transaction)
            if case .start(let start) = action.kind { begin(start, asked, by: app, at: now) }
            guard let index = calls.firstIndex(where: { $0.uuid == action.call && $0.app == app }) else { continue }
            guard calls[index].isBeforeAnswer else {
                if action.kind == .end, calls[index].state != .ending {
                    calls[index].endedBy = .app
                    calls[index].state = .ending
                }
                if action.kind == .hold(false) { holdOthers(than: app, at: now) }
                perform(asked, of: calls[index], at: now)
                continue
            }
            calls[index].asked.append(asked)
            // The ring says how it ended: another end may have come first.
            if let push = push(of: calls[index]), let worker = push.worker, !push.ring.isFinal {
                effects.append(.worker(worker, .end(asked.ringEnd)))
            }
        }
    }

    /// The ring was answered: the app's delegate answers the call.
    mutating func answer(_ uuid: CallUUID, at now: Instant) {
        guard let index = calls.firstIndex(where: { $0.uuid == uuid }) else { return }
        let asked = calls[index].asked
        calls[index].asked = []
        let own = asked.first { $0.action.kind == .answer }
        calls[index].answeredBy = own == nil ? .person : .app
        calls[index].state = .ongoing
        let call = calls[index]
        let answer = own ?? made(.answer, of: uuid, in: call.answering)
        own == nil
            ? holdAll(but: call, in: answer.transaction, at: now) : holdOthers(than: call.app, at: now)
        perform(answer, of: call, at: now)
        if let push = push(of: call) { collect(push) }
        tell(call, .connecting, by: call.answeredBy)
        // The app wanted to end it, and was too late: it ends what was answered.
        for end in asked where end.action.kind == .end {
            calls[index].endedBy = .app
            calls[index].state = .ending
            perform(end, of: call, at: now)
        }
    }

    /// The ring is over otherwise: the app's delegate ends the call.
    mutating func ringOver(_ uuid: CallUUID, by actor: CallActor, at now: Instant) {
        guard let index = calls.firstIndex(where: { $0.uuid == uuid }) else { return }
        let ends = calls[index].asked.filter { $0.action.kind == .end }
        calls[index].asked = []
        calls[index].endedBy = actor
        calls[index].state = .ending
        for end in ends.isEmpty ? [made(.end, of: uuid)] : ends { perform(end, of: calls[index], at: now) }
    }

    func made(_ kind: CallAction.Kind, of call: CallUUID, in transaction: CallUUID? = nil) -> AskedAction {
        AskedAction(action: CallAction(kind, of: call, uuid: makeUUID()), transaction: transaction ?? makeUUID())
    }

    /// Takes a call's answer out of the group's `pendingAccept`.
    mutating func collect(_ push: PushDue) {
        if let group = push.group { effects.append(.collectAnswer(group, call: push.key)) }
    }

    mutating func perform(_ asked: AskedAction, of call: LiveCall, at now: Instant) {
        let time =
            switch asked.action.kind {
            case .start: settings.startTimeout
            case .answer: settings.answerTimeout
            case .end, .hold, .mute, .group, .dtmf, .other: settings.actionTimeout
            }
        let most = TimeSpan(microseconds: time.microseconds / 5 * 4)
        actions.append(
            OpenAction(
                action: asked.action, app: call.app, call: call.uuid, transaction: asked.transaction, performed: now,
                end: now + time, warning: now + most))
        effects.append(.app(call.app, .perform(asked.action, transaction: asked.transaction, timeout: time)))
        if let action = actions.last { tell(action, .performed, at: now) }
    }

    /// Whether an action of `app` waits for its outcome.
    func isOpen(_ action: CallUUID, of app: String) -> Bool {
        actions.contains { $0.action.uuid == action && $0.app == app }
    }

    mutating func performed(_ uuid: CallUUID, isImplemented: Bool, by app: String) {
        guard let index = actions.firstIndex(where: { $0.action.uuid == uuid && $0.app == app }) else { return }
        actions[index].hasReturned = true
        guard !isImplemented else { return }
        // It stays pending until its time is over, as on iOS, and that it is unfinished is said by this.
        actions[index].warning = nil
        warn(.actionUnimplemented, Diagnosis.unimplemented(actions[index]), of: actions[index])
    }

    mutating func outcome(of uuid: CallUUID, _ isFulfilled: Bool, by app: String, at now: Instant) {
        guard let action = actions.first(where: { $0.action.uuid == uuid && $0.app == app }) else {
            return outcomeIsLate(uuid, by: app, at: now)
        }
        close(action, .done, at: now)
        tell(action, isFulfilled ? .fulfilled : .failed, at: now)
        answer(action, isFulfilled ? .done : .refused("\(app) has failed it"))
        isFulfilled ? fulfilled(action, at: now) : failed(action, at: now)
    }

    private mutating func outcomeIsLate(_ uuid: CallUUID, by app: String, at now: Instant) {
        guard let closed = apps[app]?.closedActions.last(where: { $0.uuid == uuid }) else {
            return warn(.uuidUnknown, Diagnosis.unknownAction(uuid), by: app)
        }
        switch closed.why {
        case .done: warn(.actionTwice, Diagnosis.twice(closed, at: now), by: app)
        case .timedOut: warn(.actionAfterTimeout, Diagnosis.afterTimeout(closed, at: now), by: app)
        // The call was over before the delegate could answer: that is nobody's mistake.
        case .void: break
        }
    }

    /// Something of an action is due: most of its time is over, or all of it.
    mutating func actionDue(_ action: OpenAction, at now: Instant) {
        guard let index = actions.firstIndex(where: { $0.action.uuid == action.action.uuid && $0.app == action.app })
        else { return }
        if action.warning != nil {
            actions[index].warning = nil
            return warn(.actionUnfinished, Diagnosis.unfinished(action, at: now), of: action)
        }
        close(action, .timedOut, at: now)
        effects.append(.app(action.app, .timedOut(action.action.uuid)))
        tell(action, .timedOut, at: now)
        answer(action, .refused("\(action.app) has not done it in time"))
        failed(action, at: now)
    }

    /// An action is over, and remembered for an outcome that still comes.
    mutating func close(_ action: OpenAction, _ why: ActionEnd, at now: Instant) {
        actions.removeAll { $0.action.uuid == action.action.uuid && $0.app == action.app }
        var closed = apps[action.app]?.closedActions ?? []
        closed.append(
            ClosedAction(
                uuid: action.action.uuid, kind: action.action.kind, call: action.call, closed: now, why: why))
        apps[action.app]?.closedActions = Array(closed.suffix(KnownApp.rememberedMax))
    }
}
