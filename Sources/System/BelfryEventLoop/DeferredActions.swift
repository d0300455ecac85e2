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
