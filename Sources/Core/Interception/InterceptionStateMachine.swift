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
        /// The state before the notification was received.
        case idle
        /// The state while the extension may change the content; `told` once it was told that its time is nearly over.
        case intercepted(NotificationContent, Budget, told: Bool)
        /// The state while an extension acts on a notification that R1 does not intercept, and has not said that it is
        /// done.
        case accompanied(NotificationContent, Budget)
        /// The state after the worker was told to stop: what the extension hands over before `until` is delivered, else
        /// the original, in either case as `by`.
        case stopping(NotificationContent, by: Deliverer, until: Instant)
        /// The state after the delivery; nothing changes it.
        case delivered
    }

    /// What the driver has to do.
    public enum Effect: Equatable, Sendable {
        /// Run the extension on the request, within the budget.
        case runExtension(Budget)
        /// Feed ``InterceptionStateMachine/timerFired(at:)`` at this instant, instead of at the one asked for before.
        case wake(at: Instant)
        /// Tell the extension that its time is nearly over.
        case timeWillExpire
        /// Deliver the content.
        case deliver(Deliverer, NotificationContent)
        /// Warn that the extension's changes were ignored, because what it handed over has no alert text.
        case warnNoAlertText
        /// Warn that the content handler was called a second time, or too late, and that this changed nothing.
        case warnHandlerCalledAgain
        /// Tell the extension that the content was delivered: whatever it hands over from now on is ignored.
        case endExtension
    }

    /// How long an extension has to hand over its best attempt after the worker was told to stop (R17).
    public static let stopPatience = TimeSpan.seconds(1)

    private var state = State.idle

    /// A machine that has received nothing.
    public init() {}

    /// Whether the content was delivered.
    public var isDelivered: Bool {
        if case .delivered = state { true } else { false }
    }

    /// The notification arrived; `passthrough` says why it is not intercepted (R1).
    ///
    /// If `isAccompanied`, an extension acts on the notification even if it is not intercepted: the extension runs, and
    /// what it hands over is delivered as a pass-through.
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
        // Our own driver alone feeds the notification, and does so once.
        case (.intercepted, _), (.accompanied, _), (.stopping, _), (.delivered, _):
            preconditionFailure("receive in \(state): one machine is one notification")
        }
    }

    /// The notification arrived, and its extension did not say in time whether it takes it. The original is delivered
    /// as `by`: expiry, stop or pass-through.
    public mutating func receiveUnadmitted(_ content: NotificationContent, by: Deliverer) -> [Effect] {
        switch state {
        case .idle: return deliver(by, content)
        case .intercepted, .accompanied, .stopping, .delivered:
            preconditionFailure("receive in \(state): one machine is one notification")
        }
    }

    /// The extension called its content handler with `changed`, a copy made at that moment (R2).
    public mutating func handlerCalled(with changed: NotificationContent) -> [Effect] {
        switch state {
        case .intercepted(let original, _, _):
            guard changed.hasAlertText else { return [.warnNoAlertText] + deliver(.extension, original) }
            return deliver(.extension, changed)
        // A push that shows nothing, such as a voip push, may be handed over without text.
        case .accompanied: return deliver(.passthrough, changed)
        case .stopping(let original, let by, _):
            return deliver(by, changed.hasAlertText || by == .passthrough ? changed : original)
        case .delivered: return [.warnHandlerCalledAgain]
        // Only a running extension has a handler, and none runs before `receive`.
        case .idle: preconditionFailure("a handler called before anything was received")
        }
    }

    /// The timer that ``Effect/wake(at:)`` asked for fired. If it fires early, it is asked for again (R3).
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
        // The timer of a notification that was just delivered may still fire.
        case .idle, .delivered: return []
        }
    }

    /// The extension's process ended, perhaps without having called its handler.
    public mutating func extensionDied() -> [Effect] {
        switch state {
        case .intercepted(let original, _, _): return died(.crash, original)
        case .accompanied(let original, _): return died(.passthrough, original)
        case .stopping(let original, let by, _): return died(by, original)
        // A process may end at any time.
        case .idle, .delivered: return []
        }
    }

    /// The extension has begun only now: `budget` counts in place of the one before, which the wait was not part of
    /// (R3).
    public mutating func extensionBegan(within budget: Budget) -> [Effect] {
        guard case .intercepted(let original, _, told: false) = state else { return [] }
        state = .intercepted(original, budget, told: false)
        return [.wake(at: budget.willExpire)]
    }

    /// The worker was told to stop at `now`: the extension has ``stopPatience``, but never longer than its budget, to
    /// hand over its best attempt (R17). A second stop changes nothing.
    public mutating func stop(at now: Instant) -> [Effect] {
        switch state {
        case .intercepted(let original, let budget, _): return stop(original, by: .stopped, at: now, budget)
        case .accompanied(let original, let budget): return stop(original, by: .passthrough, at: now, budget)
        // A signal may come at any time.
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
