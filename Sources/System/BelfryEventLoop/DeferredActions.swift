import BelfrySyscalls
import CBelfrySystemd

/// What is to be done in the next iteration, in order: one sd-event source for all of it.
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

/// What is to be done after all that is ready has had its turn, in order: a new sd-event source each time.
///
/// Of what is ready, sd-event takes first what has been so for longest. A source that is deferred has been ready since
/// it was made, so one that is kept always comes first, and one that is new after all that was found ready before.
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
        // Not at once: what was found ready in this very iteration is as old as a source that is made in it.
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
            // Without memory it is done too early rather than never.
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
