import BelfryPropertyList
import BelfryTerms
import CallLedger

/// What comes of rings that the group file does not show, since a program that knows nothing of Belfry has written it.
extension Oracle {
    /// The file of `group` may have lost rings by a stranger's write. The note of a ring stays as long as that is on,
    /// and is taken along by whoever writes the file (R14): the file shows the ring again as soon as its own worker has
    /// looked, which it does for each tick.
    func ringsAreLost(from group: Int) {
        // Nobody knows what a ring is of which another one has written nonsense before.
        guard isFileSound, visitsCount == 1 else { return }
        visitsCount += 1
        let (time, visits) = (world.machine.time, visitsCount)
        for worker in world.workers where worker.push.group == group && worker.account.isRinging {
            guard let window = worker.account.window, now - window.start > .milliseconds(100) else { continue }
            time.after(world.plan.surroundings.interval.microseconds + Self.slack) { [self] in
                // What cannot be read stays as it is until somebody changes it (R13).
                guard visits == visitsCount, isPunctual(worker), worker.account.isRinging,
                    let root = world.fileOnDisk(of: group)
                else { return }
                let calls = root["calls"]?.dictionaryValue
                demand(calls?[worker.push.id] != nil, "the file does not show that “\(worker.push.id)” rings")
            }
        }
    }

    /// R13: a file that is missing or cannot be read hangs up nothing, so that nobody becomes loud for it.
    func becomesLoud(_ worker: PlayedWorker) {
        let group = worker.push.group
        guard isFileSound, world.plan.surroundings.secondCall != .loud, world.directory(of: group) != nil,
            world.fileOnDisk(of: group) == nil, isPunctual(worker),
            let own = worker.account.window
        else { return }
        let older = world.workers.first { other in
            guard other.push.group == group, other !== worker, other.account.isRinging, other.account.mode == .loud,
                other.isAlive, isPunctual(other), other.account.cause == nil, let window = other.account.window,
                other.account.warnings[.groupUnwritable] == nil
            else { return false }
            return window.start < own.start && now < window.end
        }
        demand(older == nil, "worker \(worker.number) becomes loud for a file that cannot be read")
    }
}
