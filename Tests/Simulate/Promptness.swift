import BelfryTerms
import CallLedger

/// How soon a ring falls silent (R7), or becomes loud (R10), once somebody has decided what makes it so.
extension Oracle {
    /// The rings of `key`, all if that is empty, end in the ledger, by what `process` has decided: each is silent
    /// within a tick.
    func expectSilence(of key: String, in group: Int, by process: PlayedProcess) {
        let since = now
        // What was decided may never have been laid, and a late hangup ends nothing.
        expectSilence(of: key, in: group, by: process) { $0.entries[$1]?.endedAt == since }
    }

    /// The rings of `key`, all if that is empty, are silent within a tick if `isDue` still says so of them by then. R7:
    /// those that `process` can tell at their ears do not wait for a tick, nor does who is told of a changed file.
    func expectSilence(
        of key: String, in group: Int, by process: PlayedProcess? = nil, if isDue: @escaping (Rules, String) -> Bool
    ) {
        guard isSure[group] else { return }
        let (since, machine) = (world.machine.time.now, world.machine)
        let rings = rules[group].rings(now: now).filter { key.isEmpty || $0.key == key }
        for worker in rings.compactMap(\.entry.worker) {
            let judge = { [self] in
                guard worker.account.isHeard, !isExcused(worker, since: since), isSure[group] else { return }
                demand(!isDue(rules[group], worker.push.id), "worker \(worker.number) rings on after its end")
            }
            machine.time.after(world.plan.surroundings.interval.microseconds + Self.slack, judge)
            let isHeard = process == nil ? world.plan.surroundings.noticesLost == 0 : earsHear
            // Who began to ring while others were asked at their ears, which takes a tenth of a second, was not.
            guard isHeard, let window = worker.account.window, now - window.start > .milliseconds(200) else { continue }
            machine.time.after(Self.slack) { [self] in
                if process.map(isPunctual) ?? true, isPunctual(worker.process) { judge() }
            }
        }
    }

    /// R10: nothing rings before the oldest ring of `group` any more, which is loud as soon as it hears of that.
    func expectLoudness(in group: Int) {
        guard isSure[group], earsHear, world.plan.surroundings.noticesLost == 0 else { return }
        let rang = rules[group].rings(now: now).first?.entry.worker
        world.machine.time.after(Self.slack) { [self] in
            // Who stands still does not say at its ear that it rings no longer.
            let areAllPunctual = world.workers.allSatisfy { $0.push.group != group || !$0.isAlive || isPunctual($0) }
            guard let worker = rules[group].rings(now: now).first?.entry.worker, worker === rang, isSure[group],
                areAllPunctual, worker.account.isHeard, worker.account.isToldOfNews,
                let window = worker.account.window,
                now - window.start > .milliseconds(200)
            else { return }
            let mode = worker.account.mode
            let isMuted = mode == .silent && worker.account.muting.isMuted != false
            demand(mode == .loud || isMuted, "worker \(worker.number) is the oldest, and not loud")
        }
    }
}
