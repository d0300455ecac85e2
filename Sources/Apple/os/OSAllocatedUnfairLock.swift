import BelfryAppleGround

/// A lock, and the state that it guards. Source: Apple, `OSAllocatedUnfairLock`.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    private final class Guarded {
        let lock = NSLock()
        var state: State

        init(_ state: State) { self.state = state }
    }

    private let guarded: Guarded

    /// A lock of a state that may cross threads.
    public init(initialState: State) where State: Sendable { guarded = Guarded(initialState) }

    /// A lock of any state.
    public init(uncheckedState initialState: State) { guarded = Guarded(initialState) }

    /// Calls `body` while the lock is held.
    public func withLock<Result: Sendable>(
        _ body: @Sendable (inout State) throws -> Result
    ) rethrows -> Result {
        try guarded.lock.withLock { try body(&guarded.state) }
    }

    /// Calls `body` while the lock is held.
    public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try guarded.lock.withLock { try body(&guarded.state) }
    }
}

extension OSAllocatedUnfairLock where State == Void {
    /// A lock of nothing but code.
    public init() { self.init(uncheckedState: ()) }

    /// Waits for the lock and takes it.
    public func lock() { guarded.lock.lock() }

    /// Gives the lock up.
    public func unlock() { guarded.lock.unlock() }

    /// Takes the lock if nobody holds it.
    public func lockIfAvailable() -> Bool { guarded.lock.try() }

    /// Calls `body` while the lock is held.
    public func withLock<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
        try guarded.lock.withLock(body)
    }
}

/// How many bytes of memory the process may still take, as iOS counts for extensions; 0 if it has taken too much.
public func os_proc_available_memory() -> Int { Int(clamping: AccountedMemory.bytesLeft) }
