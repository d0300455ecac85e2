import BelfryProtocol
import BelfryTerms
import CallChannel

// What an app owes for a push: a report, a return, a completion (C5).
extension CallStateMachine {
    /// Something of `push` is due.
    mutating func pushDue(_ push: PushDue, at now: Instant) {
        guard let index = index(ofPush: push.number) else { return }
        if let due = push.completionDue, due <= now {
            pushes[index].completionDue = nil
            warn(.pushCompletionMissing, Diagnosis.completionMissing(push, at: now), of: push)
        }
        if let due = push.reportDue, due <= now {
            pushes[index].reportDue = nil
            if push.mustReport { warn(.pushNotReported, Diagnosis.notReported(push, at: now), of: push) }
        }
        // Last: a worker that need not ring leaves, and hears no warning then.
        if push.deadline == push.ringDue, let due = push.ringDue, due <= now { ringDue(push, at: now) }
    }

    private mutating func ringDue(_ push: PushDue, at now: Instant) {
        let ring = push.ring
        switch ring {
        case .waiting:
            if push.payload != nil, let app = apps[push.app], app.isConnected, let index = index(ofPush: push.number) {
                pushes[index].isRegistryMissed = true
                warn(.registryLate, Diagnosis.registryMissing(push, at: now), of: push)
            }
            ringWithoutReport(push.number, at: now)
        case .pushed: ringFailed(push.id, at: now)
        case .ordered, .ringing: ringStuck(push, at: now)
        case .answered, .over, .lost: if let index = index(ofPush: push.number) { pushes[index].forget() }
        }
    }

    /// The app's patience is over, or the app is gone: the push rings with its own fields, if it is a call (C3).
    mutating func ringWithoutReport(_ number: Int64, at now: Instant) {
        guard let index = index(ofPush: number), case .waiting = pushes[index].ring,
            let worker = pushes[index].worker
        else { return }
        pushes[index].settle(pushes[index].hasCall ? .ordered : .lost, at: now)
        effects.append(.worker(worker, pushes[index].hasCall ? .ring(nil) : .none))
    }

    mutating func returned(_ number: Int64, _ form: ReceiveForm, by app: String, at now: Instant) {
        guard let index = index(ofPush: number), pushes[index].app == app, pushes[index].returned == nil else { return }
        pushes[index].returned = now
        tell(.app(Event.App(.returned, app: app, detail: form.rawValue)), id: pushes[index].id)
        switch form {
        case .metadata, .completion: pushes[index].completionDue = now + settings.appPatience
        case .none: warn(.pushNoReceiver, Diagnosis.noReceiver(app), of: pushes[index])
        case .async, .deprecated: break
        }
    }

    mutating func completed(_ number: Int64, by app: String) {
        guard let index = index(ofPush: number), pushes[index].app == app else { return }
        pushes[index].completionDue = nil
    }

    /// The push that a report belongs to (C2).
    enum Belonging: Hashable {
        /// That with this number.
        case push(Int64)
        /// None: the app reports on its own.
        case none
        /// One that was handed over by an earlier centre, whose worker rings by itself.
        case lost
    }

    /// Which push a report is for: that with its number, else the app's oldest that owes one.
    func push(of report: CallReport, by app: String) -> Belonging {
        guard let number = report.push else {
            let oldest = pushes.first { $0.app == app && $0.isOwed && !$0.isOfEarlierProcess }
            return oldest.map { .push($0.number) } ?? .none
        }
        if let push = pushes.first(where: { $0.number == number }) {
            return push.app == app && push.isOwed ? .push(number) : .none
        }
        // A number of ours that is forgotten: its outcome counts no longer, and the call rings anew.
        return number <= lastNumber && number >= firstNumber ?? .max ? .none : .lost
    }

    func index(ofPush number: Int64) -> Int? { pushes.firstIndex { $0.number == number } }
}
