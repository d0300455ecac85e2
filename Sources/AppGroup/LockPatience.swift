internal import BootTime
internal import Syscalls

/// How long a transaction tries for the lock, and how often.
struct LockPatience {
    /// How long one process may keep the lock without anything changing: then it is taken for stopped.
    static let stuckTime = TimeSpan.milliseconds(500)
    /// How long it may where it is at work all the time: among hundreds of workers one waits that long for a processor
    /// or a disk.
    static let busyTime = TimeSpan.seconds(2)
    /// How long a transaction waits in all, however busy the others are.
    static let totalTime = TimeSpan.seconds(10)
    /// The longest time between two tries.
    static let intervalMax = TimeSpan.milliseconds(16)

    private let begun: Instant
    private var progressAt: Instant
    private var identity: FileIdentity?
    private var tries = 0

    init(begun: Instant) {
        self.begun = begun
        progressAt = begun
    }

    /// When to try again after the lock was found held while the file was `identity`; nil once patience has run out.
    ///
    /// A busy lock is not a stuck one: whoever changes the file lets go of it soon. `isHolderBusy` is asked of one that
    /// does not.
    mutating func nextTry(at now: Instant, file identity: FileIdentity?, isHolderBusy: () -> Bool) -> Instant? {
        if tries == 0 || identity != self.identity { progressAt = now }
        self.identity = identity
        let endOfAll = begun + LockPatience.totalTime
        var end = min(progressAt + LockPatience.stuckTime, endOfAll)
        if now >= end, isHolderBusy() { end = min(progressAt + LockPatience.busyTime, endOfAll) }
        guard now < end else { return nil }
        let interval = TimeSpan.milliseconds(1 << Int64(min(tries, 4)))
        tries += 1
        return min(now + min(interval, LockPatience.intervalMax), end)
    }
}
