public import BelfrySyscalls

/// A process a loop waits for the end of; calls back once.
public final class ProcessSource {
    private let thread: LoopThread
    private var descriptor: OwnedDescriptor?
    private var source: DescriptorSource?
    private var deferred: (any ScheduledTimer)?
    private var action: (() -> Void)?

    fileprivate init(thread: LoopThread, action: @escaping () -> Void) {
        self.thread = thread
        self.action = action
    }

    /// Ends it: nothing is called back any more. The process goes on. Cancelling twice does nothing.
    public func cancel() {
        thread.assertCurrent()
        action = nil
        source?.cancel()
        source = nil
        deferred?.cancel()
        deferred = nil
        descriptor = nil
    }

    fileprivate func watch(_ owned: consuming OwnedDescriptor, on loop: Loop, description: String) throws(SystemError) {
        let number = owned.number
        descriptor = consume owned
        try watch(number, on: loop, description: description)
    }

    fileprivate func watch(_ number: Int32, on loop: Loop, description: String) throws(SystemError) {
        // The loop keeps the source, the source this object, until one of them ends.
        source = try loop.watch(descriptor: number, events: .readable, description: description) { _ in self.fire() }
    }

    fileprivate func fireSoon(on loop: Loop, description: String) {
        deferred = loop.afterThis(description: description) { self.fire() }
    }

    private func fire() {
        let action = action
        cancel()
        action?()
    }
}

extension Loop {
    /// Calls `action` once when `child` has ended, with how it ended; in the next iteration if it has already.
    @discardableResult
    public func onExit(
        of child: ChildProcess,
        description: String,
        _ action: @escaping (ChildExit) -> Void
    ) throws(SystemError) -> ProcessSource {
        assertOnLoop()
        let source = ProcessSource(thread: thread) {
            do {
                action(try child.waitUntilExit())
            } catch {
                // Its pidfd said that it has ended, and only this object waits for it.
                preconditionFailure("\(error)")
            }
        }
        try source.watch(child.pidDescriptor, on: self, description: description)
        return source
    }

    /// Calls `action` once when `process`, which may be anybody's, has ended; in the next iteration if it has already.
    @discardableResult
    public func onDeath(
        of process: ProcessIdentity,
        description: String,
        _ action: @escaping () -> Void
    ) throws(SystemError) -> ProcessSource {
        assertOnLoop()
        let source = ProcessSource(thread: thread, action: action)
        guard let descriptor = try process.openDescriptor() else {
            source.fireSoon(on: self, description: description)
            return source
        }
        try source.watch(descriptor, on: self, description: description)
        return source
    }
}
