internal import CSystemd
internal import Syscalls

/// What is to be done in the next iteration, in order: one sd-event source for all of it.
@safe
final class DeferredActions {
    private var source: DeferSource?
    private var actions: [DeferredAction] = []

    func add(
        on event: OpaquePointer,
        thread: LoopThread,
        description: String,
        _ action: @escaping () -> Void
    ) -> any ScheduledTimer {
        let deferredAction = DeferredAction(description: description, action: action)
        actions.append(deferredAction)
        if actions.count == 1 { unsafe arm(on: event, thread: thread) }
        return deferredAction
    }

    private func arm(on event: OpaquePointer, thread: LoopThread) {
        if let source { return source.arm() }
        let made = DeferSource(description: "deferred", thread: thread)
        do {
            try unsafe made.attach(to: event) { [unowned self] in perform() }
        } catch {
            // It needs memory and nothing else.
            preconditionFailure("\(error)")
        }
        source = made
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

/// An sd-event source that is due in the next iteration each time it is armed.
private final class DeferSource: LoopSource {
    private var action: (() -> Void)?

    func attach(to event: OpaquePointer, _ action: @escaping () -> Void) throws(SystemError) {
        self.action = action
        try unsafe attach("sd_event_add_defer") { source, userdata in
            unsafe sd_event_add_defer(event, &source, deferFired, userdata)
        }
    }

    func arm() {
        enable(.once)
    }

    override func cancelled() { action = nil }

    fileprivate func fire() { action?() }
}

private func deferFired(_ source: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?) -> Int32 {
    unsafe object(userdata, as: DeferSource.self).fire()
    return 0
}
