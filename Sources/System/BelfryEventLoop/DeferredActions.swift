import BelfrySyscalls
import CBelfrySystemd

/// The actions for the next iteration, in order: one sd-event source for all of them.
@safe
final class DeferredActions {
    private let source: DeferSource
    private var actions: [DeferredAction] = []

    init(thread: LoopThread) { source = DeferSource(description: "deferred", thread: thread) }

    /// Makes the source now, armed if something waits already.
    func attach(to event: OpaquePointer) throws(SystemError) {
        try unsafe source.attach(to: event) { [unowned self] in perform() }
        source.enable(actions.isEmpty ? .off : .once)
    }

    func add(description: String, _ action: @escaping () -> Void) -> any ScheduledTimer {
        let deferredAction = DeferredAction(description: description, action: action)
        actions.append(deferredAction)
        if actions.count == 1 { source.enable(.once) }
        return deferredAction
    }

    private func perform() {
        let batch = actions
        actions = []
        for deferredAction in batch { deferredAction.perform() }
    }
}

/// The actions that run after every source that is ready now has had its turn, in order: a new sd-event source each
/// time.
///
/// sd-event dispatches first the source that has been ready for longest. A deferred source has been ready since it was
/// made, so one that is kept always comes first, and a new one comes after all that were found ready before.
@safe
final class QueuedActions {
    private let thread: LoopThread
    private var event: OpaquePointer?
    private var actions: [DeferredAction] = []
    private var source: DeferSource?

    init(thread: LoopThread) { self.thread = thread }

    /// From now on sources can be made.
    func attach(to event: OpaquePointer) { unsafe self.event = event }

    func add(
        description: String, _ action: @escaping () -> Void, deferred: DeferredActions
    ) -> any ScheduledTimer {
        let queued = DeferredAction(description: description, action: action)
        actions.append(queued)
        // Not at once: a source made now is as old as those that were found ready in this iteration.
        if actions.count == 1 { _ = deferred.add(description: "queued") { [unowned self] in makeSource() } }
        return queued
    }

    private func makeSource() {
        guard let event = unsafe event else { return perform() }
        let source = DeferSource(description: "queued", thread: thread)
        do throws(SystemError) {
            try unsafe source.attach(to: event) { [unowned self] in perform() }
            self.source = source
        } catch {
            // Without memory for the source, run the actions too early rather than never.
            perform()
        }
    }

    private func perform() {
        source?.cancel()
        source = nil
        let batch = actions
        actions = []
        for action in batch { action.perform() }
    }
}

/// One action to be done in the next iteration.
private final class DeferredAction: ScheduledTimer {
    let description: String
    private var action: (() -> Void)?

    init(description: String, action: @escaping () -> Void) {
        self.description = description
        self.action = action
    }

    func perform() {
        let action = action
        self.action = nil
        action?()
    }

    func cancel() { action = nil }
}

/// An sd-event source that is due in the next iteration each time it is enabled once.
private final class DeferSource: LoopSource {
    private var action: (() -> Void)?

    func attach(to event: OpaquePointer, _ action: @escaping () -> Void) throws(SystemError) {
        self.action = action
        try unsafe attach("sd_event_add_defer") { source, userdata in
            unsafe systemd.event_add_defer(event, &source, deferFired, userdata)
        }
    }

    override func cancelled() { action = nil }

    fileprivate func fire() { action?() }
}

private func deferFired(_ source: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?) -> Int32 {
    unsafe loopSource(userdata, as: DeferSource.self).fire()
    return 0
}
