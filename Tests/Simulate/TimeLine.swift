import BelfryProtocol
import BelfryTerms

/// When a ring begins and ticks (R6, R7), by the times that its events state: between what a worker decides and what it
/// tells it may stand still.
extension Oracle {
    func judgeTimes(_ event: Event, of worker: PlayedWorker) {
        let at = Instant(microseconds: Int64((event.boot * 1e6).rounded()))
        switch event.body {
        case .ringing:
            if worker.account.beganAt == nil { judgeBeginning(of: worker, at: at) }
            worker.account.beganAt = worker.account.beganAt ?? at
            worker.account.modeToldAt = at
        case .tick(let n, _): judgeTick(n, of: worker, at: at)
        default: break
        }
    }

    /// R6: missed ticks are not made up for, be it that they were missed before the ring began or since.
    private func judgeTick(_ n: Int64, of worker: PlayedWorker, at instant: Instant) {
        let name = "worker \(worker.number)"
        guard let window = worker.account.window, let beganAt = worker.account.beganAt else { return }
        let interval = world.plan.surroundings.interval
        let due = window.start + interval * n
        demand(due > beganAt, "\(name) makes tick \(n), which was due before it rang")
        // It may have stood still since it made the tick.
        demand(due + interval > instant || hasJustGoneOn(worker), "\(name) makes tick \(n), and the next one is due")
    }

    /// R7: what is over is not heard. `worker` has sounded at `instant`.
    func judgeSound(of worker: PlayedWorker, at instant: Instant) {
        guard let window = worker.account.window, let modeToldAt = worker.account.modeToldAt else { return }
        // The sound of a ring that begins, or goes on in another mode, follows the word of that.
        let isAsTold = worker.account.pulses <= worker.account.pulsesDue
        let decided = isAsTold ? modeToldAt : instant
        demand(decided < window.end, "worker \(worker.number) sounds past its end")
    }
}
