import BelfryProtocol
import BelfryTerms
import CallLedger
import GroupLedger

/// Holds what happens against the rules, and keeps the first thing that does not agree.
///
/// In every run the invariants hold. What happens in a run that nothing disturbs is also held against a ``Model`` of
/// each group, which says what every worker does; see ``Expectation``.
final class Oracle {
    private(set) var mistake: String?
    /// How often each thing was seen, so that a run in which nothing happens is not taken for a good one.
    private(set) var seen: [String: Int] = [:]
    unowned let world: World
    let isUndisturbed: Bool
    let isTampered: Bool
    /// Whether memory may be full, so that none need know of another, nor of a ring that the file has lost.
    let isMemoryFull: Bool
    /// What the rules say of each group's calls, as long as nothing disturbs them.
    var models: [Model]

    /// Whether an old version of each group's file may have come back: nothing helps who stands still between its last
    /// look at the file and the rename.
    var mayComeBack = [false, false]
    /// Whether anybody has said that each group's app is in front, and was to be believed.
    var isFrontClaimed = [false, false]
    /// What those were told who wanted a worker's ring to end.
    var told: [(worker: PlayedWorker, state: CallState)] = []
    /// What persons want to become of calls, in each group.
    var wanted: [Set<Wanted>] = [[], []]
    /// When everybody stood still last.
    var stillAt: Int64?

    /// What a look, a timer and a silence may take together, in microseconds.
    static let slack: Int64 = 60_000

    init(world: World) {
        self.world = world
        (isUndisturbed, isTampered) = (world.plan.isUndisturbed, world.plan.isTampered)
        isMemoryFull = world.plan.has { if case .shortage(.memoryFull, _) = $0 { true } else { false } }
        models = [Model](repeating: Model(surroundings: world.plan.surroundings), count: 2)
        if isUndisturbed { note("undisturbed") }
    }

    var now: Instant { world.machine.bootTime }
    var interval: TimeSpan { world.plan.surroundings.interval }

    func demand(_ condition: Bool, _ what: @autoclosure () -> String) {
        guard !condition, mistake == nil else { return }
        mistake = what()
        world.story.tell("WRONG: \(what())")
    }

    func demand(_ condition: Bool, _ worker: PlayedWorker, _ what: @autoclosure () -> String) {
        demand(condition, "worker \(worker.number) \(what())")
    }

    func note(_ what: String) { seen[what, default: 0] += 1 }

    /// `worker` has changed the ledger: admitted its request, or hung up.
    func decided(by worker: PlayedWorker, _ ledger: Ledger) {
        let isFirst = worker.account.decidedAt == nil
        // A voip push asks first if there is a place, and decides that once its app may have it.
        if worker.push.app != nil, !worker.account.isReceived { return witness(ledger, group: worker.push.group) }
        worker.account.decidedAt = worker.account.decidedAt ?? now
        if isFirst, case .request = worker.push.kind { worker.account.window = window(of: worker) }
        if isUndisturbed { isFirst || worker.push.isHangup ? decides(worker) : hangsUpLate(worker) }
        witness(ledger, group: worker.push.group)
    }

    /// `worker` has changed what the ledger says of its own ring: settled its end, or told that it was missed.
    func decidedOfItsOwn(by worker: PlayedWorker, _ ledger: Ledger) {
        let isEnd = worker.account.silentAt != nil && !worker.account.isSettled
        if isEnd { worker.account.isSettled = true } else { worker.account.isMarking = true }
        guard isUndisturbed else { return }
        isEnd ? settles(worker) : models[worker.push.group].reported(worker)
        // Of the next ring of its id it need not know yet.
        guard models[worker.push.group].entries[worker.push.id]?.worker === worker else { return }
        compare(ledger.call(CallKey(worker.push.id)), of: worker.push.id, group: worker.push.group)
    }

    /// `worker` goes on after what it has decided: that lies where others find it.
    func goesOn(_ worker: PlayedWorker) {
        guard worker.isAlive, worker.account.decidedAt != nil else { return }
        if worker.account.laidAt == nil { hasHungUp(worker) }
        worker.account.laidAt = worker.account.laidAt ?? now
        if worker.account.isMarking { worker.account.isMarked = true }
    }

    /// R7, R9: how long the request of `worker` rings; nil if it is stale.
    private func window(of worker: PlayedWorker) -> Account.Window? {
        let (push, wall) = (worker.push, world.machine.wall)
        let waited = push.isVoIP ? now - worker.bootedAt : .zero
        if let expiration = push.expiration, expiration != 0, world.wallTime(expiration) + waited < wall { return nil }
        let setting = world.plan.surroundings.duration
        let duration = min(push.duration.flatMap { TimeSpan(seconds: $0) } ?? setting, setting)
        // Whole seconds are as late as they may be.
        let latest = believed(worker.sentAt).map {
            $0.microseconds % 1_000_000 == 0 ? $0 + TimeSpan(microseconds: 999_999) : $0
        }
        let elapsed = max(latest.map { wall - $0 } ?? .zero, waited)
        guard elapsed < duration else { return nil }
        let wished = now + (duration - elapsed)
        // R7: an extension's budget cuts no ring of a voip push.
        guard !push.isVoIP else { return Account.Window(start: now, end: wished, endsAs: Model.End(state: .timeout)) }
        let isCutShort = wished - worker.deadline > .seconds(1)
        return Account.Window(
            start: now, end: max(now, min(wished, worker.deadline)),
            endsAs: Model.End(state: isCutShort ? .expired : .timeout))
    }

    /// R9: a time over a minute ahead counts as absent.
    func believed(_ sentAt: WallTime?) -> WallTime? {
        sentAt.flatMap { $0 - world.machine.wall <= .seconds(60) ? $0 : nil }
    }

    /// A command or the desktop has changed the ledger: a ring is answered or declined there only if somebody wants it.
    func decided(_ ledger: Ledger, group: Int) {
        for key in models[group].rings(now: now).compactMap(\.worker?.push.id) where isUndisturbed {
            guard let state = ledger.call(CallKey(key))?.state, wanted[group].contains(Wanted(key, state))
            else { continue }
            note("command ends a ring")
            expectSilence(of: key, in: group)
            demand(models[group].end(key, as: Model.End(state: state), now: now), "“\(key)” is \(state)")
        }
        witness(ledger, group: group)
    }

    /// The app, `owner` if that is known, comes to the front, for as long as it lives; nobody is told if it `isSilent`.
    func entersForeground(_ owner: PlayedProcess?, group: Int, isSilent: Bool = false) {
        note("app in front")
        isFrontClaimed[group] = true
        guard isUndisturbed else { return }
        models[group].enterForeground(owner, now: now)
        expectSilence(of: "", in: group, byFront: true, isTold: !isSilent)
    }

    /// Somebody finds that `key`, or any call if that is nil, does not ring.
    func findsNobody(_ key: CallKey?, group: Int) {
        let rings = models[group].rings(now: now).compactMap(\.worker?.push.id)
        demand(!isUndisturbed || !rings.contains { key == nil || $0 == key?.text }, "nobody finds that \(rings) ring")
    }

    /// What `worker` rings has ended, and is silent, before anybody is told that.
    func answers(_ worker: PlayedWorker, _ answer: RingAnswer) {
        demand(answer.state == .ringing || !worker.account.isHeard, worker, "answers and is heard")
    }

    /// Somebody asks at the ear of `worker`.
    func asked(_ worker: PlayedWorker, _ key: CallKey, _ ask: RingAsk) {
        world.story.tell("worker \(worker.number) is asked: \(ask) “\(key.text)”")
        note("asked at an ear")
        if isUndisturbed { isAsked(worker, key.text, ask) }
    }

    func toldToStop(_ worker: PlayedWorker) {
        worker.account.stoppedAt = worker.account.stoppedAt ?? now
        guard worker.account.isRinging, worker.expected.cause == nil else { return }
        worker.expected.cause = Model.End(state: .stopped)
    }
}

/// That a call is answered or declined.
struct Wanted: Hashable {
    let key: String
    let state: CallState

    init(_ key: String, _ state: CallState) { (self.key, self.state) = (key, state) }
}
