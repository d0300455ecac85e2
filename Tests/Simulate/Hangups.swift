import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import CallLedger
import GroupLedger

/// What comes of a hangup that is in the ledger, whoever stands still and whatever becomes of the file: R8, and when
/// its connection ends, by docs/protocol.md.
struct HangupMemory {
    /// What the ledger says of the call since the hangup was decided.
    let state: CallState
    let since: Int64
    let until: Int64
    /// Since when everybody can know of it, in the simulation's time; nil before that.
    var laidAt: Int64?
    /// Whether a later call of the id may have come since it was decided.
    var isOutdated = false
}

extension Oracle {
    /// How long a connection waits for the file, at least if nothing is wrong and at most.
    private static let waitsMin = TimeSpan.seconds(2)
    private static let waitsMax = TimeSpan.seconds(3)

    /// `worker`, which hangs up, has decided that `ledger` says so.
    func hangsUp(_ worker: PlayedWorker, _ ledger: Ledger) {
        guard !worker.push.id.isEmpty, let call = ledger.call(CallKey(worker.push.id)), call.state != .ringing else {
            return
        }
        worker.account.hangup = HangupMemory(
            state: call.state, since: call.since.microseconds, until: call.until.microseconds)
        let (time, name) = (world.machine.time, "worker \(worker.number)")
        time.after(Self.waitsMax.microseconds + Self.slack) { [self] in
            demand(worker.account.hasClosed || !isPunctual(worker), "\(name) keeps a hangup's connection for long")
        }
    }

    /// What `worker` has decided lies where everybody finds it.
    func hangupIsLaid(by worker: PlayedWorker) {
        guard worker.push.kind.isHangup, worker.process.descriptorsMax == nil else { return }
        worker.account.hangup?.laidAt = world.machine.time.now
    }

    /// The connection of `worker` ends: if it has hung up, the file has that or cannot be written, or was waited for.
    func closesHangup(_ worker: PlayedWorker) {
        guard let hangup = worker.account.hangup, let decidedAt = worker.account.decidedAt, isPunctual(worker),
            worker.account.stoppedAt == nil, now < worker.deadline, !mayComeBack[worker.push.group],
            worker.account.warnings[.groupUnwritable] == nil, now - decidedAt < Self.waitsMin
        else { return }
        // Who says what another has just said has nothing to wait for.
        guard worker.process.notesLaid > 0 else { return }
        demand(fileHas(hangup, of: worker), "worker \(worker.number) ends, and the file does not have its hangup")
    }

    /// A process of ours has put a new version of the group file in `directory`: whoever waits for that has no reason
    /// to stay.
    func isWritten(in directory: PlayedNode) {
        guard let group = world.usedGroups.first(where: { world.directory(of: $0) === directory }),
            let writer = world.machine.current, !mayComeBack[group]
        else { return }
        for worker in world.workers where worker.push.group == group && worker.isAlive && !worker.account.hasClosed {
            guard let hangup = worker.account.hangup, hangup.laidAt != nil, fileHas(hangup, of: worker) else {
                continue
            }
            world.machine.time.after(Self.slack) { [self] in
                let isOver = worker.account.hasClosed || !isPunctual(worker) || !isPunctual(writer)
                demand(isOver, "worker \(worker.number) stays although the file has its hangup")
            }
        }
    }

    /// The file cannot be written, as `worker` says itself: its hangup waits for nothing.
    func hangupIsHopeless(_ worker: PlayedWorker) {
        guard worker.account.hangup != nil else { return }
        world.machine.time.after(Self.slack) { [self] in
            let isOver = worker.account.hasClosed || !isPunctual(worker)
            demand(isOver, "worker \(worker.number) stays although its hangup cannot be written")
        }
    }

    private func fileHas(_ hangup: HangupMemory, of worker: PlayedWorker) -> Bool {
        let calls = world.fileOnDisk(of: worker.push.group)?["calls"]?.dictionaryValue
        guard let entry = calls?[worker.push.id]?.dictionaryValue, case .integer(let until)? = entry["until"] else {
            return false
        }
        // A later call takes its place.
        if case .integer(let since)? = entry["since"], since > hangup.since { return true }
        return entry["state"] != .string("ringing") && until >= hangup.until
    }

    /// R8: a call whose hangup everybody could know of before its request came does not ring.
    func judgeMemory(of worker: PlayedWorker) {
        let push = worker.push
        guard !push.id.isEmpty, push.sentAt == nil, !mayComeBack[push.group], worker.process.descriptorsMax == nil
        else { return }
        let workers = world.workers.filter { $0.push.group == push.group && $0.push.id == push.id }
        // Whoever stood still over a decision about the call did not know of the hangup, and decided for a later ring.
        let wentOn = workers.compactMap(\.process.wentOn).max() ?? 0
        let hungUp = workers.first { other in
            guard let hangup = other.account.hangup, !hangup.isOutdated, let laidAt = hangup.laidAt, laidAt > wentOn,
                [.hangup, .answered, .declined].contains(hangup.state)
            else { return false }
            return laidAt < worker.arrivedAt && hangup.until > now.microseconds
        }
        demand(hungUp == nil, "worker \(worker.number) rings, and its call was hung up before it came")
    }

    /// The call of `worker` rings, or may have been sent after all hangups: what was known of its id before is over.
    func forgetsHangups(of worker: PlayedWorker) {
        for other in world.workers where other.push.group == worker.push.group && other.push.id == worker.push.id {
            other.account.hangup?.isOutdated = true
        }
    }
}

extension Oracle {
    /// `belfry answer` or `belfry decline` says that it has ended that call, and ends with 0, although the file could
    /// not be written as it began (docs/operations.md).
    func endsWithZero(of ended: EndedCall, group: Int) {
        let time = world.machine.time.now
        // Who waits for the lock takes as long to see that it is free, and only then that the disk takes nothing.
        let isLockAwaited = world.plan.happenings.contains { happening in
            guard case .lockHeld(_, let microseconds, _) = happening.what else { return false }
            return (happening.at...happening.at + microseconds + 20_000).contains(time)
        }
        guard !world.canWriteFile(of: group), !mayComeBack[group], !isLockAwaited else { return }
        let entry = world.fileOnDisk(of: group)?["calls"]?.dictionaryValue?[ended.call.key.text]?.dictionaryValue
        demand(
            entry?["state"] == .string(ended.state.rawValue),
            "a command says that it has \(ended.state) “\(ended.call.key.text)”, and the file does not")
    }
}
