import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger
import RingEar
import Glibc

/// A program that comes to a ringing worker's ear, and asks nothing of its ring.
enum EarVisitor: CaseIterable {
    /// Says nothing.
    case silent
    case speaksNonsense
    /// Says something sensible of a call that does not ring there: at once, half a second later, in as many bytes as a
    /// message may have, or in one more.
    case asksOfAnother, asksLate, asksLong, asksTooLong
    /// Hangs up at once.
    case leaves

    fileprivate var speaksAfter: Int64? {
        switch self {
        case .silent, .leaves: nil
        case .speaksNonsense, .asksOfAnother, .asksLong, .asksTooLong: 0
        case .asksLate: 500_000
        }
    }

    fileprivate func message(of group: String, call: String) -> [UInt8] {
        let message = Array(#"{"group":"\#(group)","call":"\#(call)","ask":"answer"}"#.utf8)
        func padded(to count: Int) -> [UInt8] { message + [UInt8](repeating: 32, count: count - message.count) }
        return switch self {
        case .silent, .leaves: []
        case .speaksNonsense: Array("nonsense".utf8)
        case .asksOfAnother, .asksLate: message
        case .asksLong: padded(to: EarLimits.bytes)
        case .asksTooLong: padded(to: EarLimits.bytes + 1)
        }
    }
}

/// The limits of an ear, as docs/operations.md has them.
private enum EarLimits {
    static let bytes = 1_024
    static let patience: Int64 = 1_000_000
    static let waiting = 64
    static let open = 16
}

extension Machine {
    /// The ear of `process`, if others find it.
    func ear(of process: PlayedProcess) -> PlayedSocket? {
        let name = "\(process.owner.pid)-\(process.owner.start).ear"
        for folder in node(at: "/run/rings")?.names.values ?? [:].values {
            if let ear = folder.names[name] { return ear.listener }
        }
        return nil
    }
}

extension World {
    /// Lays an ear that nobody listens at where `worker` makes its own.
    func layOldEar(of worker: PlayedWorker) {
        machine.spawn().perform { [self] in
            let before = machine.numbersCount
            let folder = ledgerFile(of: worker.push.group).folder
            // The folder is what is opened last.
            guard (try? folder.open(makes: true)) == true, machine.numbersCount > before,
                let node = machine.files[machine.numbersCount]?.node
            else { return }
            let owner = worker.process.owner
            machine.set("\(owner.pid)-\(owner.start).ear", in: node, to: machine.make(.socket, in: node))
            withExtendedLifetime(folder) {}
        }
    }

    func comeToEar(_ visitors: [EarVisitor], every gap: Int64, worker number: Int, isShort: Bool) {
        let ringing = workers.filter { worker in
            guard let window = worker.account.window else { return false }
            return worker.isAlive && worker.account.isRinging && worker.now - window.start > .milliseconds(100)
        }
        guard !ringing.isEmpty else { return }
        let worker = ringing[number % ringing.count]
        guard let ear = machine.ear(of: worker.process) else { return }
        if isShort { isShortOfDescriptors(worker, left: 0) }
        let visit = EarVisit(worker: worker, ear: ear, visitors: visitors)
        for (index, visitor) in visitors.enumerated() {
            machine.time.after(Int64(index) * gap) { [self] in come(visitor, to: visit) }
        }
        machine.time.after(2_500_000) { [self] in come(.speaksNonsense, to: visit) }
        machine.time.after(400_000) { [oracle] in oracle.judgeOpen(visit) }
        machine.time.after(2_500_000 + Oracle.slack) { [oracle] in oracle.judgeDescriptors(visit) }
    }

    private func come(_ visitor: EarVisitor, to visit: EarVisit) {
        guard !visit.isOver else { return }
        let client = PlayedSocket()
        let waiting = visit.ear.waiting?.count ?? 0
        guard visit.ear.connect(client) == nil else {
            return oracle.demand(waiting >= EarLimits.waiting, "an ear turns away a visitor behind \(waiting)")
        }
        oracle.note("visitor at an ear")
        oracle.demand(waiting < EarLimits.waiting, "more than \(waiting) visitors wait at an ear")
        visit.clients.append(client)
        guard visitor != .leaves else { return client.close() }
        let call = "\(visitor) \(visit.clients.count)"
        let group = groups[visit.worker.push.group].text
        guard let delay = visitor.speaksAfter else { return oracle.judgeSilent(client, visit) }
        machine.time.after(delay) { [self] in
            guard client.send(visitor.message(of: group, call: call)) else { return }
            oracle.judgeSpeaker(visitor, call, client, visit)
        }
    }
}

/// Some who come to one ear.
final class EarVisit {
    let worker: PlayedWorker
    let ear: PlayedSocket
    let visitors: [EarVisitor]
    var clients: [PlayedSocket] = []
    /// How many descriptors the worker had before.
    let descriptors: Int

    init(worker: PlayedWorker, ear: PlayedSocket, visitors: [EarVisitor]) {
        (self.worker, self.ear, self.visitors) = (worker, ear, visitors)
        descriptors = worker.process.descriptors
    }

    /// Whether the ear is there no more.
    var isOver: Bool { ear.isClosed || !worker.isAlive }

    fileprivate var isCrowd: Bool { visitors.count > EarLimits.open }

    /// How long a visitor may have to wait until it is heard.
    fileprivate var wait: Int64 {
        guard worker.process.descriptorsMax != nil else { return isCrowd ? 200_000 : 0 }
        // One after the other, since there is one descriptor for them all.
        return 200_000 + Int64(visitors.count) * (EarLimits.patience + 200_000)
    }
}

/// Whoever comes to an ear is heard, or turned away in time (S5, and the limits in docs/operations.md), also by a
/// worker that has no descriptor left (R14).
extension Oracle {
    fileprivate func judgeSilent(_ client: PlayedSocket, _ visit: EarVisit) {
        let (since, time) = (world.machine.time.now, world.machine.time)
        time.after(EarLimits.patience * 9 / 10) { [self] in
            let isHeard =
                !(client.peer?.isClosed ?? true) || visit.isOver || visit.isCrowd
                || !isPunctual(visit.worker)
            demand(isHeard, "worker \(visit.worker.number) gives a visitor too little time")
        }
        time.after(EarLimits.patience + Self.slack + visit.wait) { [self] in
            demand(isDone(client, visit, since: since), "worker \(visit.worker.number) keeps a silent visitor")
        }
    }

    fileprivate func judgeSpeaker(_ visitor: EarVisitor, _ call: String, _ client: PlayedSocket, _ visit: EarVisit) {
        let since = world.machine.time.now
        world.machine.time.after(Self.slack + visit.wait) { [self] in
            let name = "worker \(visit.worker.number)"
            demand(isDone(client, visit, since: since), "\(name) keeps a visitor that has spoken")
            switch visitor {
            case .silent, .speaksNonsense, .leaves: break
            case .asksTooLong: demand(!heardAtEars.contains(call), "\(name) hears too long a message")
            case .asksOfAnother, .asksLate, .asksLong:
                let isHeard = heardAtEars.contains(call) || visit.isOver || visit.isCrowd
                demand(isHeard || hasStoodStill(visit.worker, since: since), "\(name) does not hear \(visitor)")
            }
        }
    }

    private func isDone(_ client: PlayedSocket, _ visit: EarVisit, since: Int64) -> Bool {
        (client.peer?.isClosed ?? true) || visit.isOver || hasStoodStill(visit.worker, since: since)
    }

    fileprivate func judgeOpen(_ visit: EarVisit) {
        guard !visit.isOver, !hasStoodStill(visit.worker, since: world.machine.time.now) else { return }
        let open = visit.clients.count { !($0.peer?.isClosed ?? true) } - (visit.ear.waiting?.count ?? 0)
        demand(open <= EarLimits.open, "\(open) connections to an ear are open")
    }

    /// What visitors cost does not grow with their number.
    fileprivate func judgeDescriptors(_ visit: EarVisit) {
        guard !visit.isOver, !hasStoodStill(visit.worker, since: world.machine.time.now) else { return }
        let more = visit.worker.process.descriptors - visit.descriptors
        demand(more <= 6, "worker \(visit.worker.number) keeps \(more) descriptors after its visitors")
    }

    /// R7, R10: whoever wants the ring to end finds its ear.
    func judgeEar(of worker: PlayedWorker) {
        guard mayHaveEars else { return }
        demand(world.machine.ear(of: worker.process) != nil, "worker \(worker.number) rings without an ear")
    }

    /// Whoever asked at the ear of a ring hears of its end as soon as it is silent, and waits for an ear for 100 ms at
    /// most.
    func judgeAsker(_ process: PlayedProcess, since: Instant, heardBy owner: PlayedWorker?) {
        guard isPunctual(process) else { return }
        let waited = now - since
        demand(waited <= .milliseconds(105), "\(process.pid) waits \(waited.seconds) s for an ear")
        guard let owner, isPunctual(owner), earsHear, !world.plan.surroundings.isSoundDead else { return }
        demand(
            waited.microseconds <= Self.slack, "\(process.pid) waits \(waited.seconds) s for a ring that is silent")
    }
}
