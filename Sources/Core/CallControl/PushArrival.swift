import BelfryProtocol
import BelfryTerms
public import CallChannel

// A push comes: whose it is, and when its app is handed it.
extension CallStateMachine {
    /// The app that a push is for (C1): that of the topic, else of the bundle, else the only one; nil if it is nobody.
    public func app(of push: VoIPPush) -> String? {
        let known = known
        if let topic = push.topic { return known.first { topic == $0 + ".voip" } }
        if let bundle = push.bundle { return known.first { bundle == $0 } }
        return known.count == 1 ? known[0] : nil
    }

    mutating func pushCame(_ push: VoIPPush, from worker: WorkerNumber, at now: Instant) {
        if let index = pushes.firstIndex(where: { $0.isOwn && $0.id == push.id && !$0.hadWorker }) {
            return ownRingCame(index, push, from: worker, at: now)
        }
        // One push is all that a worker hands over.
        guard !pushes.contains(where: { $0.worker == worker }) else { return }
        guard let app = app(of: push), makeRoom(app) else {
            effects.append(.worker(worker, .none))
            return
        }
        let failure = apps[app]?.failure
        let ring: PushDue.Ring
        switch push.kind {
        // It has taken effect already, and its worker waits for nothing (C6).
        case .hangup:
            ring = .over(.remote)
            if !takesPushes(app) { effects.append(.worker(worker, .wait(app: app))) }
        case .callRequest, .other:
            ring = .waiting(until: now + settings.appPatience)
            if failure == nil { effects.append(.worker(worker, .wait(app: app))) }
        }
        let due = PushDue(push, number: nextNumber(at: now), for: app, from: worker, ring: ring, at: now)
        pushes.append(due)
        if let failure {
            warn(.appNotStarted, Diagnosis.notStarted(app, failure), of: due)
            ringWithoutReport(due.number, at: now)
        }
        if apps[app]?.isConnected != true { effects.append(.start(app)) }
        handOver(app, at: now)
    }

    /// A number that no push had, and none of an earlier centre on this machine: what an app says of a push of that
    /// one is known to be late.
    mutating func nextNumber(at now: Instant) -> Int64 {
        lastNumber = max(lastNumber + 1, now.microseconds)
        firstNumber = firstNumber ?? lastNumber
        return lastNumber
    }

    /// How many pushes of an app are remembered that have no report: of more, the oldest that is over is forgotten.
    static let unreportedMax = 100

    /// Whether there is room for one more push of `app`.
    private mutating func makeRoom(_ app: String) -> Bool {
        let unreported = pushes.filter { $0.app == app && !$0.isReported }
        guard unreported.count >= Self.unreportedMax else { return true }
        guard let oldest = unreported.first(where: \.ring.isFinal) else { return false }
        pushes.removeAll { $0.number == oldest.number }
        return true
    }

    private func takesPushes(_ app: String) -> Bool { apps[app]?.isConnected == true && apps[app]?.wantsVoIP == true }

    /// Hands the app what waits for it, if it has a registry.
    private mutating func handOver(_ app: String, at now: Instant) {
        guard takesPushes(app) else { return }
        for index in pushes.indices where pushes[index].app == app {
            guard let payload = pushes[index].payload else { continue }
            pushes[index].mustReport = mustReport(app)
            pushes[index].payload = nil
            pushes[index].handed = now
            pushes[index].reportDue = now + settings.appPatience
            effects.append(
                .app(app, .push(pushes[index].number, payload: payload, mustReport: pushes[index].mustReport)))
            if let worker = pushes[index].worker { effects.append(.worker(worker, .handed)) }
            tell(.app(Event.App(.handed, app: app)), id: pushes[index].id)
        }
    }

    /// Whether iOS would ask the app for a report of the next push (C5): it has no call, and owes no other report.
    private func mustReport(_ app: String) -> Bool {
        !calls.contains { $0.app == app }
            && !pushes.contains { $0.app == app && $0.isOwed && $0.reportDue != nil }
    }

    mutating func appConnected(_ hello: AppHello, at now: Instant) {
        if apps[hello.id]?.isConnected == true { appGone(hello.id, at: now) }
        apps[hello.id, default: KnownApp()].hello = hello
        apps[hello.id]?.connected = now
        tell(.app(Event.App(.started, app: hello.id, detail: "process \(hello.pid)")), id: "")
        if !calls.isEmpty { effects.append(.app(hello.id, .calls(calls.map(\.observed)))) }
    }

    mutating func registered(_ app: String, _ types: [String], at now: Instant) {
        let wantsVoIP = types.contains(PushType.voip.rawValue)
        apps[app]?.wantsVoIP = wantsVoIP
        guard wantsVoIP else { return }
        apps[app]?.failure = nil
        if apps[app]?.hello?.hasVoIPMode == false {
            warn(.voipModeMissing, Diagnosis.voipModeMissing(app), by: app)
        }
        let since = apps[app]?.connected ?? now
        for index in pushes.indices where pushes[index].app == app && pushes[index].payload != nil {
            let waited = now - max(pushes[index].arrived, since)
            guard waited > Self.registryPatience, !pushes[index].isRegistryMissed else { continue }
            pushes[index].isRegistryMissed = true
            warn(.registryLate, Diagnosis.registryLate(app, after: waited), of: pushes[index])
        }
        handOver(app, at: now)
    }

    /// How long after its start, and after a push, an app's registry may come without a word.
    static let registryPatience = TimeSpan.seconds(1)

    /// The app cannot be started, or left before it connected (C3): what waits for it rings now.
    mutating func appFailed(_ app: String, why: String, at now: Instant) {
        guard apps[app]?.isConnected != true else { return }
        apps[app, default: KnownApp()].failure = why
        var wasTold = false
        for push in pushes where push.app == app && push.payload != nil {
            guard case .waiting = push.ring else { continue }
            warn(.appNotStarted, Diagnosis.notStarted(app, why), of: push)
            ringWithoutReport(push.number, at: now)
            wasTold = true
        }
        if !wasTold { warn(.appNotStarted, Diagnosis.notStarted(app, why), by: app) }
    }
}
