import BelfryAppleGround

/// A lock with the state that it guards. Source: Apple, `OSAllocatedUnfairLock`.
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
    /// A lock without state.
    public init() { self.init(uncheckedState: ()) }

    /// Waits for the lock and takes it.
    public func lock() { guarded.lock.lock() }

    /// Gives the lock up.
    public func unlock() { guarded.lock.unlock() }

    /// Takes the lock if it is free; returns whether it was.
    public func lockIfAvailable() -> Bool { guarded.lock.try() }

    /// Calls `body` while the lock is held.
    public func withLock<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
        try guarded.lock.withLock(body)
    }
}

/// How many more bytes of memory the process may use, counted as iOS does for extensions; 0 beyond the limit.
public func os_proc_available_memory() -> Int { Int(clamping: AccountedMemory.bytesLeft) }
