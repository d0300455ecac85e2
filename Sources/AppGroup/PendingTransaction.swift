internal import BootTime
internal import EventLoop

/// A transaction that has begun and has not ended.
public final class PendingTransaction {
    let timers: any TimerSource
    let change: (inout GroupEdit) -> Void
    let complete: (TransactionEnd) -> Void
    let begun: Instant
    var patience: LockPatience
    var timer: (any ScheduledTimer)?
    /// Set where it must end at its next try.
    var isHurried = false
    private weak let file: GroupFile?

    init(
        file: GroupFile,
        timers: any TimerSource,
        change: @escaping (inout GroupEdit) -> Void,
        complete: @escaping (TransactionEnd) -> Void
    ) {
        self.file = file
        self.timers = timers
        self.change = change
        self.complete = complete
        begun = timers.now
        patience = LockPatience(begun: timers.now)
    }

    /// Makes the change at once, those of the same file that wait before it first, without the lock where it is held:
    /// for a program that ends. Nothing happens once it has ended.
    public func finishNow() { file?.finish(through: self) }
}
