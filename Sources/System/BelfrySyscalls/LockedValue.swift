import Glibc

/// A value that one thread at a time may touch, under a pthread_mutex_t.
///
/// Not `Synchronization.Mutex`: the thread sanitizer sees only part of what that does, and would report false races to
/// people who run their own tests with it.
@safe
public final class LockedValue<Value: ~Copyable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    /// Locks `value` away.
    public init(_ value: consuming sending Value) {
        self.value = value
        let result = unsafe pthread_mutex_init(mutex, nil)
        precondition(result == 0, "pthread_mutex_init: error \(result)")
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Calls `body` with the value while no other thread has it.
    public func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
