public import BelfryEventLoop
public import BelfryPropertyList
public import BelfrySyscalls
public import BelfryTerms

/// How a transaction ended, without its value.
struct TransactionEnd {
    let outcome: GroupOutcome
    let warnings: [GroupWarning]
    let waited: TimeSpan
}

extension GroupFile {
    /// Changes the file under its lock: `change` gets the contents, and the result is written if it differs.
    ///
    /// `change` always runs: if the file cannot be read, locked or written, it runs on what could be read, or on an
    /// empty file, and the outcome says that it failed. It runs once, and again only if another program replaced the
    /// file meanwhile or removed its folder: then on the new contents, and the last run counts. A lock that is held is
    /// tried again after 1, 2, 4, 8 and then every 16 ms on `timers`; if its holder changes nothing for 500 ms, the
    /// lock is ignored with a warning. The lock of a holder that is at work is never ignored: after a second that is a
    /// failure, EWOULDBLOCK, with a warning unless other processes pass the lock on among themselves. If the lock is
    /// free and nothing of this object waits, which is the rule, `completion` is called before this returns.
    /// Transactions of one object run in order; one that is begun inside `change` runs after it.
    public func transact<Result>(
        on timers: any TimerSource,
        _ change: @escaping (inout GroupEdit) -> Result,
        completion: @escaping (GroupTransaction<Result>) -> Void
    ) {
        transact(on: timers, unless: { false }, change) { transaction in
            guard let transaction else { preconditionFailure("a transaction ended without its change") }
            completion(transaction)
        }
    }

    /// Changes the file as ``transact(on:_:completion:)`` does, but if the lock is held and `isObsolete` returns true,
    /// the change is dropped, and `completion` gets nil.
    public func transact<Result>(
        on timers: any TimerSource,
        unless isObsolete: @escaping () -> Bool,
        _ change: @escaping (inout GroupEdit) -> Result,
        completion: @escaping (GroupTransaction<Result>?) -> Void
    ) {
        var value: Result?
        let transaction = PendingTransaction(timers: timers, isObsolete: isObsolete) { edit in
            value = change(&edit)
        } complete: { end in
            completion(value.map { GroupTransaction(value: $0, end: end) })
        }
        waiting.append(transaction)
        if waiting.count == 1 { proceed() }
    }

    /// Changes the file as ``transact(on:_:completion:)`` does and waits for it: for the command line.
    ///
    /// If the lock is held, this runs `loop`, whose other call backs are made meanwhile, so it must not run already.
    public func transactAndWait<Result>(
        on loop: any EventLoop,
        _ change: @escaping (inout GroupEdit) -> Result
    ) -> GroupTransaction<Result> {
        var ended: GroupTransaction<Result>?
        transact(on: loop, change) { transaction in
            ended = transaction
            loop.stop()
        }
        // If it has ended already, the loop stops at once.
        loop.run()
        guard let ended else { preconditionFailure("somebody else stopped the loop of a transaction") }
        return ended
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

    /// Tries again at `instant`. The timer holds a reference to the file, so that a change is made even if the caller
    /// has let go of it.
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

/// What a transaction changes.
public struct GroupEdit {
    /// What the file says, to be changed in place; empty if it could not be read.
    public var root: PropertyListDictionary
    /// Set it if the change must outlive a power cut: the file is then written through to the disk (fsync), which may
    /// take long, also if it says the same already.
    public var isDurable = false
    /// The file as the transaction found it.
    public let found: GroupSnapshot
    /// Whether the lock is held: without it others may write at the same time.
    public let isLocked: Bool
}

/// The outcome of a transaction's change.
public enum GroupOutcome: Hashable, Sendable {
    /// It is in the file.
    case written
    /// It changed nothing, so nothing was written.
    case unchanged
    /// It was made, but the file could not be written: no other process will see it.
    case failed(SystemError)
}

/// How a transaction went.
public struct GroupTransaction<Result> {
    /// What the change returned.
    public let value: Result
    /// What became of it.
    public let outcome: GroupOutcome
    /// What the operator should know.
    public let warnings: [GroupWarning]
    /// How long it waited for its turn.
    public let waited: TimeSpan
}

/// Something the operator should know of the group file.
public enum GroupWarning: Hashable, Sendable {
    /// Written without the lock: `holder` kept it too long, nil if that is not known. Or the lock could not be
    /// made.
    case locked(holder: Int32?, detail: String)
    /// The file could not be read and was set aside as `keptAs`.
    case corrupt(keptAs: String, detail: String)

    /// Its code in a `warning` event.
    public var code: WarningCode {
        switch self {
        case .locked: .groupLocked
        case .corrupt: .groupCorrupt
        }
    }

    /// What happened, for people.
    public var detail: String {
        switch self {
        case .locked(_, let detail), .corrupt(_, let detail): detail
        }
    }
}

/// A transaction that has begun and has not ended.
final class PendingTransaction {
    let timers: any TimerSource
    let isObsolete: () -> Bool
    let change: (inout GroupEdit) -> Void
    let complete: (TransactionEnd) -> Void
    let begun: Instant
    var patience: LockPatience
    var timer: (any ScheduledTimer)?

    init(
        timers: any TimerSource,
        isObsolete: @escaping () -> Bool,
        change: @escaping (inout GroupEdit) -> Void,
        complete: @escaping (TransactionEnd) -> Void
    ) {
        self.timers = timers
        self.isObsolete = isObsolete
        self.change = change
        self.complete = complete
        begun = timers.now
        patience = LockPatience(begun: timers.now)
    }
}

/// How long a transaction tries for the lock, and how often.
struct LockPatience {
    /// What to do about a lock that is held.
    enum Advice: Hashable {
        /// Try again at this instant.
        case again(Instant)
        /// Write without the lock: its holder is stopped.
        case passOver
        /// Write nothing: the longest wait is over, and the holder is at work, or other processes pass the lock on
        /// among themselves.
        case giveUp(isPassedOn: Bool)
    }

    /// How long one process may keep the lock without any change to the file: after that it counts as stopped.
    static let stuckTime = TimeSpan.milliseconds(500)
    /// How long a holder must have been seen asleep. One look is not enough: a process may release the lock between the
    /// two questions, who holds it and what that process does. By the next look it has changed the file.
    static let asleepTime = TimeSpan.milliseconds(16)
    /// How long a transaction waits in all, however busy the others are.
    static let totalTime = TimeSpan.seconds(1)
    /// The longest time between two tries.
    static let intervalMax = TimeSpan.milliseconds(16)

    private let begun: Instant
    private var progressAt: Instant
    private var asleepSince: Instant?
    private var identity: FileIdentity?
    private var tries = 0

    init(begun: Instant) {
        self.begun = begun
        progressAt = begun
    }

    /// What to do after the lock was found held while the file was `identity`.
    ///
    /// A busy lock is not a stuck one: a holder that changes the file releases it soon. `isHolderBusy` is called only
    /// if the file does not change.
    mutating func advice(at now: Instant, file identity: FileIdentity?, isHolderBusy: () -> Bool) -> Advice {
        if tries == 0 || identity != self.identity { (progressAt, asleepSince) = (now, nil) }
        self.identity = identity
        let end = begun + LockPatience.totalTime
        let stuckAt = progressAt + LockPatience.stuckTime
        let isStuck = now >= stuckAt
        if now >= stuckAt - LockPatience.asleepTime {
            asleepSince = isHolderBusy() ? nil : asleepSince ?? now
            if isStuck, let asleepSince, now >= asleepSince + LockPatience.asleepTime { return .passOver }
        }
        // A holder that was seen asleep is checked once more even if the time is up, since such a holder is not at
        // work.
        let certainAt = isStuck ? asleepSince.map { $0 + LockPatience.asleepTime } : nil
        guard now < end || certainAt != nil else { return .giveUp(isPassedOn: !isStuck) }
        let interval = TimeSpan.milliseconds(1 << Int64(min(tries, 4)))
        tries += 1
        let next = [stuckAt - LockPatience.asleepTime, stuckAt, certainAt ?? end, end].filter { $0 > now }.min() ?? end
        return .again(min(now + min(interval, LockPatience.intervalMax), next))
    }
}
