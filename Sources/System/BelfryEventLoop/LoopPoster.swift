import BelfrySyscalls
import CBelfryLinux
import Glibc

/// The way into a loop from other threads.
///
/// Everything else of a loop belongs to its thread; this may be used from any, also after the loop has ended.
public final class LoopPoster: Sendable {
    private struct State {
        var actions: [@Sendable () -> Void] = []
        /// Set from the one write to the event descriptor until the loop has read it.
        var isWakePending = false
        var isClosed = false
    }

    private let state = LockedValue(State())
    private let eventDescriptor: OwnedDescriptor

    init() throws(SystemError) {
        eventDescriptor = OwnedDescriptor(
            owning: try checked("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
        )
    }

    /// Has `action` called on the loop, after the actions that were posted before. False, and nothing happens, once the
    /// loop has ended.
    @discardableResult
    public func post(_ action: @escaping @Sendable () -> Void) -> Bool {
        let (isOpen, needsWake) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.actions.append(action)
            defer { state.isWakePending = true }
            return (true, !state.isWakePending)
        }
        if needsWake { wake() }
        return isOpen
    }

    func attach(to event: OpaquePointer, thread: LoopThread) throws(SystemError) {
        _ = try unsafe DescriptorSource(
            on: event, thread: thread, descriptor: eventDescriptor.number, events: .readable, description: "posted"
        ) { [unowned self] _ in performPosted() }
    }

    /// Drops what is posted and refuses further posts.
    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { state.actions = [] }
            return state.actions
        }
        // Released outside the lock: what an action holds may post as it goes.
        _ = dropped
    }

    /// Performs the actions that have been posted so far. Those that are posted meanwhile wait for the next iteration,
    /// so that timers and descriptors get their turns.
    private func performPosted() {
        var count: UInt64 = 0
        let size = unsafe withUnsafeMutableBytes(of: &count) {
            unsafe read(eventDescriptor.number, $0.baseAddress, $0.count)
        }
        precondition(size == 8 || errno == EAGAIN || errno == EINTR, "reading an eventfd: errno \(errno)")
        let batch = state.withLock { state in
            // Cleared before the actions run, so that an action that posts wakes the loop again.
            state.isWakePending = false
            defer { state.actions = [] }
            return state.actions
        }
        for action in batch { action() }
    }

    private func wake() {
        var one: UInt64 = 1
        let size = unsafe withUnsafeBytes(of: &one) { unsafe write(eventDescriptor.number, $0.baseAddress, $0.count) }
        // One write is outstanding at most, so the counter can never be full.
        precondition(size == 8, "writing an eventfd: errno \(errno)")
    }
}
