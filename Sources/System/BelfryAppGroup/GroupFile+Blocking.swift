import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Glibc

extension GroupFile {
    /// Changes the file as ``transact(on:_:completion:)`` does and waits for it without a loop, on the calling thread:
    /// for foreign code, which has threads and no loop of ours. It waits for the lock for at most a second.
    ///
    /// No other transaction of this object may be waiting, such as one on a loop.
    public func transactBlocking<Result>(_ change: @escaping (inout GroupEdit) -> Result) -> GroupTransaction<Result> {
        precondition(waiting.isEmpty, "a blocking transaction behind one that a loop carries on")
        let timers = BlockingTimers()
        var ended: GroupTransaction<Result>?
        transact(on: timers, change) { ended = $0 }
        while true {
            if let ended { return ended }
            timers.waitForNext()
        }
    }
}

/// Timers that fire while their owner waits for them.
private final class BlockingTimers: TimerSource {
    private lazy var queue = TimerQueue { _ in }

    var now: Instant { Instant(microseconds: bootTimeMicroseconds()) }

    func schedule(at instant: Instant, description: String, _ action: @escaping () -> Void) -> any ScheduledTimer {
        queue.add(due: instant, description: description, action: action)
    }

    /// Waits until the next one is due, and fires it.
    func waitForNext() {
        guard let due = queue.earliest else { preconditionFailure("a transaction waits for nothing") }
        while now < due {
            let milliseconds = ((due - now).microseconds + 999) / 1_000
            // There is no descriptor to wait on: the kernel does not report when a lock is released. If interrupted,
            // wait for the rest.
            _ = poll(nil, 0, Int32(clamping: milliseconds))
        }
        queue.takeDue(at: now)?()
    }
}
