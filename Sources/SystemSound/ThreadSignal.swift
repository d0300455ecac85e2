internal import Glibc

/// Wakes one thread from another: a POSIX semaphore, since posting one never blocks.
@safe
final class ThreadSignal: @unchecked Sendable {
    // Unchecked: a semaphore is made to be shared, and its address never changes.
    private let semaphore: UnsafeMutablePointer<sem_t>

    /// A signal that nobody has raised.
    init() {
        unsafe semaphore = .allocate(capacity: 1)
        let result = unsafe sem_init(semaphore, 0, 0)
        precondition(result == 0, "a semaphore of value 0 cannot be refused, errno \(errno)")
    }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    /// Wakes the waiting thread, or lets its next wait return at once (sem_post).
    func raise() {
        // The only failure is an overflow, after two thousand million raises that nobody took: they are one wake-up.
        _ = unsafe sem_post(semaphore)
    }

    /// Blocks until it is raised (sem_wait).
    func wait() {
        while unsafe sem_wait(semaphore) != 0 {
            precondition(errno == EINTR, "waiting for a semaphore of ours failed, errno \(errno)")
        }
    }
}
