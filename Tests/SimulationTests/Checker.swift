import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import CallLedger

/// What must hold in every run, whatever happens; keeps the first thing that did not.
final class Checker {
    private(set) var mistake: String?
    /// How often each thing was seen, so that a run in which nothing happens is not taken for a good one.
    private(set) var seen: [String: Int] = [:]

    private unowned let world: Simulation
    private var deliveries: [Int64: Int] = [:]
    private var ends: [Int64: Int] = [:]
    private var missedByWorker: [Int64: Int] = [:]
    private var missedByID: [String: Int] = [:]
    private var rings: [Int64: SimulatedWorker] = [:]
    private var requestsByID: [String: Int] = [:]
    private var harmlessIDs: Set<String> = []
    private var strangerWrote: Instant?
    private var twoLoudSince: Instant?

    /// What a look, a timer and a silence may take together.
    private static let slack = TimeSpan.milliseconds(20)

    init(world: Simulation) {
        self.world = world
    }

    func demand(_ condition: Bool, _ what: @autoclosure () -> String) {
        if !condition, mistake == nil { mistake = "\(what()) at \(world.time.now.seconds) s" }
    }

    func admitted(_ worker: SimulatedWorker, until: Instant?) {
        requestsByID[worker.push.id, default: 0] += 1
        guard let until else { return note("silent") }
        note("ring")
        rings[worker.owner.pid] = worker
        demand(until <= world.time.now + SimulatedWorker.duration, "admitted for too long")
        world.time.at(until + SimulatedWorker.interval + Self.slack) { [self] in
            demand(
                !worker.isHeard || isExcused(worker, since: until), "worker \(worker.owner.pid) rings past its deadline"
            )
        }
    }

    func hungUp(_ ended: [CallKey]) {
        let hungUpAt = world.time.now
        if !ended.isEmpty { note("hangup of a ring") }
        for key in ended {
            for worker in rings.values where worker.push.id == key.text && worker.isAlive {
                world.time.after(SimulatedWorker.interval + Self.slack) { [self] in
                    let isLate = worker.isHeard && !isExcused(worker, since: hungUpAt)
                    demand(!isLate, "worker \(worker.owner.pid) rings after its hangup")
                }
            }
        }
    }

    func pulsed(_ worker: SimulatedWorker) {
        guard let until = worker.until else { return demand(false, "a pulse without a ring") }
        demand(worker.isAlive && !worker.isStopped, "a pulse of a process that does not run")
        demand(world.time.now < until, "a pulse past the end")
        judgeLoudness()
    }

    func delivered(_ worker: SimulatedWorker) {
        deliveries[worker.owner.pid, default: 0] += 1
        demand(deliveries[worker.owner.pid] == 1, "worker \(worker.owner.pid) delivered twice")
        demand(ends[worker.owner.pid] == nil, "worker \(worker.owner.pid) ended before it delivered")
    }

    func ended(_ worker: SimulatedWorker, _ reason: EndReason) {
        note("ended \(reason)")
        ends[worker.owner.pid, default: 0] += 1
        demand(ends[worker.owner.pid] == 1, "worker \(worker.owner.pid) ended twice")
        if reason == .timeout, let until = worker.until {
            demand(world.time.now >= until, "timed out before its time, by another clock")
        }
    }

    func missed(_ worker: SimulatedWorker) {
        note("missed")
        missedByWorker[worker.owner.pid, default: 0] += 1
        missedByID[worker.push.id, default: 0] += 1
        demand(missedByWorker[worker.owner.pid] == 1, "worker \(worker.owner.pid) told of a missed call twice")
    }

    func toldOfDead(_ calls: [Call]) {
        for call in calls {
            note("missed of a dead worker")
            missedByID[call.key.text, default: 0] += 1
            guard strangerWrote == nil, let pid = call.owner?.pid else { continue }
            missedByWorker[pid, default: 0] += 1
            demand(missedByWorker[pid] == 1, "ring of worker \(pid) told of twice")
        }
    }

    func personActs(on call: Call) {
        note("answer or decline")
        harmlessIDs.insert(call.key.text)
    }

    func appCame() {
        note("app in front")
        harmlessIDs.formUnion(["", "0", "1", "2"])
    }

    func strangerCame() {
        note("stranger")
        strangerWrote = world.time.now
        world.time.after(.milliseconds(40)) { [self] in strangerWrote = world.time.now }
    }

    func left(_ worker: SimulatedWorker) {
        demand(deliveries[worker.owner.pid] == 1, "worker \(worker.owner.pid) left without delivering")
        let rang = rings[worker.owner.pid] != nil
        demand(!rang || ends[worker.owner.pid] == 1, "worker \(worker.owner.pid) left a ring behind")
    }

    /// After each change of ours: where a ring is on, apps read when it began.
    func judgeFile() {
        let ledger = world.file.ledger
        let hasStart = ledger.root["keyStartCallTime"] != nil
        let isRinging = !ledger.rings.isEmpty
        demand(hasStart || !isRinging, "a ring without keyStartCallTime")
    }

    /// Two may be loud until the younger has looked.
    private func judgeLoudness() {
        let loud = world.workers.filter { $0.isHeard && $0.mode == .loud }
        guard loud.count > 1, loud.allSatisfy({ !isExcused($0, since: world.time.now - .seconds(3)) }) else {
            twoLoudSince = nil
            return
        }
        let since = twoLoudSince ?? world.time.now
        twoLoudSince = since
        demand(world.time.now - since <= SimulatedWorker.interval + Self.slack, "two calls ring loud")
    }

    /// Once everybody has left and the dead are told of.
    func judgeTheEnd() {
        let ledger = world.file.ledger
        demand(world.workers.allSatisfy { !$0.isAlive }, "a worker never leaves")
        demand(ledger.rings.isEmpty && !ledger.calls.contains { $0.state == .ringing }, "a ring is stuck")
        demand(ledger.root["keyStartCallTime"] == nil, "keyStartCallTime is stuck")
        guard strangerWrote == nil else { return }
        for (id, requests) in requestsByID {
            let missed = missedByID[id] ?? 0
            demand(missed <= requests, "\(missed) missed of \(requests) requests for \(id)")
            demand(missed > 0 || !mustBeMissed(id), "nobody was told of \(id)")
        }
    }

    /// Whether nothing but what leaves a missed call can have ended the calls of `id`.
    private func mustBeMissed(_ id: String) -> Bool {
        guard !harmlessIDs.contains(id), !world.troubles.kills else { return false }
        return world.workers.allSatisfy { worker in
            guard case .hangup(let reason) = worker.push.kind else { return true }
            return reason.leavesMissedCall
        }
    }

    /// A process that was stopped in between sees it late, and a stranger may have written it away.
    private func isExcused(_ worker: SimulatedWorker, since instant: Instant) -> Bool {
        let wasStopped = worker.isStopped || worker.wentOn.map { $0 >= instant - .milliseconds(500) } ?? false
        return wasStopped || strangerWrote.map { $0 + .milliseconds(600) >= instant } ?? false
    }

    private func note(_ what: String) { seen[what, default: 0] += 1 }
}
