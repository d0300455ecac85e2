public import BelfryProtocol
public import BelfryTerms

/// One notification between its arrival and its one delivery: rules R1, R2, R3 and R17 without clock or I/O.
///
///     idle ── receive ──▶ intercepted ─┬─ stop ──▶ stopping ─┬─ handler, death, timer ──▶ delivered
///          ├──────────▶ accompanied ───┘                     │
///          │                 └── handler, death, timer ──────┤
///          └── nothing to wait for ──────────────────────────┘
public struct InterceptionStateMachine: Sendable {
    private enum State: Sendable {
        /// Nothing has been received.
        case idle
        /// The extension has the content and may change it; `told` once it knows that its time is nearly over.
        case intercepted(NotificationContent, Budget, told: Bool)
        /// R1 lets the content through as it came, but the extension takes effect all the same and says when.
        case accompanied(NotificationContent, Budget)
        /// The worker was told to stop: what the extension hands over until then is delivered `by`, else the original.
        case stopping(NotificationContent, by: Deliverer, until: Instant)
        /// The content was handed over; whatever comes changes nothing.
        case delivered
    }

    /// What the driver has to do.
    public enum Effect: Equatable, Sendable {
        /// Run the extension on the request, within the budget.
        case runExtension(Budget)
        /// Feed ``InterceptionStateMachine/timerFired(at:)`` at this instant; the one asked for before is forgotten.
        case wake(at: Instant)
        /// Tell the extension that its time is nearly over.
        case timeWillExpire
        /// Hand the content over.
        case deliver(Deliverer, NotificationContent)
        /// The extension's changes were ignored: what it handed over has no alert text.
        case warnNoAlertText
        /// The content handler was called a second time, or too late, and nothing came of it.
        case warnHandlerCalledAgain
        /// The extension may no longer change anything: what it hands over from now on counts no more.
        case endExtension
    }

    /// How long an extension has to hand over its best attempt once the worker was told to stop (R17).
    public static let stopPatience = TimeSpan.seconds(1)

    private var state = State.idle

    /// A machine that has received nothing.
    public init() {}

    /// Whether the content was handed over.
    public var isDelivered: Bool {
        if case .delivered = state { true } else { false }
    }

    /// The notification arrived; `passthrough` says why it is not intercepted (R1).
    ///
    /// If `isAccompanied`, an extension acts on what is not intercepted too: it runs, and the content is delivered as a
    /// pass-through once it has said that it is done.
    public mutating func receive(
        _ content: NotificationContent, passthrough: PassthroughReason?, budget: Budget, isAccompanied: Bool = false
    ) -> [Effect] {
        switch (state, passthrough) {
        case (.idle, nil):
            state = .intercepted(content, budget, told: false)
            return [.wake(at: budget.willExpire), .runExtension(budget)]
        case (.idle, _?) where isAccompanied:
            state = .accompanied(content, budget)
            return [.wake(at: budget.end), .runExtension(budget)]
        case (.idle, _?):
            state = .delivered
            return [.deliver(.passthrough, content)]
        case (.intercepted, _), (.accompanied, _), (.stopping, _), (.delivered, _):
            preconditionFailure("receive in \(state): one machine is one notification")
        }
    }

    /// The notification arrived, and its extension did not say in time whether it takes it: it goes `by` expiry or stop
    /// as it came, or passes through.
    public mutating func receiveUnadmitted(_ content: NotificationContent, by: Deliverer) -> [Effect] {
        switch state {
        case .idle: return deliver(by, content)
        case .intercepted, .accompanied, .stopping, .delivered:
            preconditionFailure("receive in \(state): one machine is one notification")
        }
    }

    /// The extension called its content handler with `changed`, which was copied as it did.
    public mutating func handlerCalled(with changed: NotificationContent) -> [Effect] {
        switch state {
        case .intercepted(let original, _, _):
            guard changed.hasAlertText else { return [.warnNoAlertText] + deliver(.extension, original) }
            return deliver(.extension, changed)
        // A push that shows nothing, as a voip push does, may be handed over without text.
        case .accompanied: return deliver(.passthrough, changed)
        case .stopping(let original, let by, _):
            return deliver(by, changed.hasAlertText || by == .passthrough ? changed : original)
        case .delivered: return [.warnHandlerCalledAgain]
        // Only an extension that runs has a handler, and it runs after `receive`.
        case .idle: preconditionFailure("a handler called before anything was received")
        }
    }

    /// The timer that ``Effect/wake(at:)`` asked for fired; one that fires early changes nothing.
    public mutating func timerFired(at now: Instant) -> [Effect] {
        switch state {
        case .intercepted(let original, let budget, let told):
            guard now < budget.end else { return deliver(.expiry, original) }
            guard now >= budget.willExpire else { return [.wake(at: budget.willExpire)] }
            state = .intercepted(original, budget, told: true)
            return [.wake(at: budget.end)] + (told ? [] : [.timeWillExpire])
        case .accompanied(let original, let budget):
            return now < budget.end ? [.wake(at: budget.end)] : deliver(.passthrough, original)
        case .stopping(let original, let by, let until):
            return now < until ? [.wake(at: until)] : deliver(by, original)
        case .idle, .delivered: return []
        }
    }

    /// The extension's process ended without having called its handler.
    public mutating func extensionDied() -> [Effect] {
        switch state {
        case .intercepted(let original, _, _): return died(.crash, original)
        case .accompanied(let original, _): return died(.passthrough, original)
        case .stopping(let original, let by, _): return died(by, original)
        case .idle, .delivered: return []
        }
    }

    /// The worker was told to stop at `now`: the extension has ``stopPatience`` to hand over its best attempt, and
    /// never longer than its budget. Being told so again changes nothing.
    public mutating func stop(at now: Instant) -> [Effect] {
        switch state {
        case .intercepted(let original, let budget, _): return stop(original, by: .stopped, at: now, budget)
        case .accompanied(let original, let budget): return stop(original, by: .passthrough, at: now, budget)
        case .idle, .stopping, .delivered: return []
        }
    }

    private mutating func stop(
        _ original: NotificationContent, by: Deliverer, at now: Instant, _ budget: Budget
    ) -> [Effect] {
        let until = min(now + Self.stopPatience, budget.end)
        state = .stopping(original, by: by, until: until)
        return [.wake(at: until)]
    }

    private mutating func deliver(_ by: Deliverer, _ content: NotificationContent) -> [Effect] {
        state = .delivered
        return [.deliver(by, content), .endExtension]
    }

    private mutating func died(_ by: Deliverer, _ original: NotificationContent) -> [Effect] {
        state = .delivered
        return [.deliver(by, original)]
    }
}
