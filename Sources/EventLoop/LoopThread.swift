internal import Glibc

/// The thread a loop belongs to: the one that made it.
package struct LoopThread: Sendable {
    private let identity = pthread_self()

    /// The calling thread.
    package init() {}

    /// Whether the caller runs on it.
    package var isCurrent: Bool { pthread_equal(identity, pthread_self()) != 0 }

    /// Traps off the loop's thread: sd-event has no lock, so going on would corrupt memory.
    func assertCurrent(_ function: StaticString = #function) {
        precondition(isCurrent, "\(function) called off the loop's own thread")
    }
}
