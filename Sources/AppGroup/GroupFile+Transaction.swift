internal import BootTime
public import EventLoop
internal import PropertyList
internal import Syscalls

/// How a transaction ended, without its value.
struct TransactionEnd {
    let outcome: GroupOutcome
    let warnings: [GroupWarning]
    let waited: TimeSpan
}

extension GroupFile {
    /// Changes the file under its lock: `change` gets what it says, and what it leaves is written where it differs.
    ///
    /// `change` runs exactly once, always: where the file cannot be read, locked or written it runs on what could be
    /// read, or on nothing, and the outcome says that it failed. A lock that is held is tried again after 1, 2, 4, 8
    /// and then every 16 ms on `timers`; one whose holder changes nothing for 500 ms, or 2 s if it is at work all the
    /// time, is passed over with a warning. Where the lock is free and nothing of this object waits, which is the rule,
    /// `completion` is called before this returns. Transactions of one object run in order; one that is begun inside
    /// `change` runs after it.
    /// - Returns: the transaction where it has yet to end, else nil.
    @discardableResult
    public func transact<Result>(
        on timers: any TimerSource,
        _ change: @escaping (inout GroupEdit) -> Result,
        completion: @escaping (GroupTransaction<Result>) -> Void
    ) -> PendingTransaction? {
        var value: Result?
        let transaction = PendingTransaction(file: self, timers: timers) { edit in
            value = change(&edit)
        } complete: { end in
            guard let value else { preconditionFailure("a transaction ended without its change") }
            completion(GroupTransaction(value: value, end: end))
        }
        waiting.append(transaction)
        if waiting.count == 1 { proceed() }
        return waiting.contains { $0 === transaction } ? transaction : nil
    }

    /// Changes the file as ``transact(on:_:completion:)`` does and waits for it: for the command line.
    ///
    /// Where the lock is held this runs `loop`, whose other call backs are made meanwhile, so it must not run already.
    public func transactAndWait<Result>(
        on loop: Loop,
        _ change: @escaping (inout GroupEdit) -> Result
    ) -> GroupTransaction<Result> {
        var ended: GroupTransaction<Result>?
        var isRunning = false
        let pending = transact(on: loop, change) { transaction in
            ended = transaction
            if isRunning { loop.stop() }
        }
        isRunning = true
        if pending != nil { loop.run() }
        isRunning = false
        // Somebody else may have stopped the loop first.
        pending?.finishNow()
        guard let ended else { preconditionFailure("a transaction did not end") }
        return ended
    }

    /// Ends the transactions that wait, up to `last`, without waiting for the lock any longer.
    func finish(through last: PendingTransaction) {
        guard !isChanging, waiting.contains(where: { $0 === last }) else { return }
        while let first = waiting.first {
            first.isHurried = true
            attempt(first)
            if first === last { break }
        }
        proceed()
    }

    /// Tries the first that waits, and those after it once it has ended.
    private func proceed() {
        while !isChanging, let first = waiting.first, first.timer == nil, attempt(first) {}
    }

    /// True if it has ended; else it is tried again later.
    @discardableResult
    private func attempt(_ transaction: PendingTransaction) -> Bool {
        transaction.timer?.cancel()
        transaction.timer = nil
        guard let end = perform(transaction) else { return false }
        waiting.removeFirst()
        transaction.complete(end)
        return true
    }

    /// Tries again at `instant`. The timer keeps the file, so that a change is made even if nobody else keeps it.
    func retry(_ transaction: PendingTransaction, at instant: Instant) {
        transaction.timer = transaction.timers.schedule(at: instant, description: "group-lock") {
            transaction.timer = nil
            self.proceed()
        }
    }
}

extension GroupTransaction {
    fileprivate init(value: Result, end: TransactionEnd) {
        self.init(value: value, outcome: end.outcome, warnings: end.warnings, waited: end.waited)
    }
}
