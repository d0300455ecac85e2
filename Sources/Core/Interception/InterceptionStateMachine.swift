public import BelfryProtocol
public import BelfryTerms

/// One notification between its arrival and its one delivery: rules R1, R2 and R3 without clock or I/O.
///
///     idle ── receive ──▶ intercepted ── told ──▶ (still intercepted) ── handler, death, stop, end ──▶ delivered
///          └─────────────── passed through ─────────────────────────────────────────────────────────▲
public struct InterceptionStateMachine: Sendable {
    private enum State: Sendable {
        case idle
        case intercepted(NotificationContent, Budget, told: Bool)
        case delivered
    }

    /// What the driver has to do.
    public enum Effect: Equatable, Sendable {
        /// Run the extension on the request; it has until `deadline`.
        case runExtension(deadline: Instant)
        /// Feed ``InterceptionStateMachine/timerFired(at:)`` at this instant; the one asked for before is forgotten.
        case wake(at: Instant)
        /// Tell the extension that its time is nearly over.
        case tellTimeWillExpire
        /// Hand the content over.
        case deliver(Deliverer, NotificationContent)
        /// The extension's changes were ignored: what it handed over has no alert text.
        case warnNoAlertText
        /// The content handler was called a second time, or too late, and nothing came of it.
        case warnHandlerCalledAgain
        /// The extension may no longer change anything: end its process, forget its handler.
        case endExtension
    }

    private var state = State.idle

    /// A machine that has received nothing.
    public init() {}

    /// Whether the content was handed over.
    public var isDelivered: Bool {
        if case .delivered = state { true } else { false }
    }

    /// The notification arrived; `passthrough` says why it is not intercepted.
    public mutating func receive(
        _ content: NotificationContent, passthrough: PassthroughReason?, budget: Budget
    ) -> [Effect] {
        switch state {
        case .idle:
            guard passthrough == nil else {
                state = .delivered
                return [.deliver(.passthrough, content)]
            }
            state = .intercepted(content, budget, told: false)
            return [.wake(at: budget.willExpire), .runExtension(deadline: budget.end)]
        case .intercepted, .delivered:
            preconditionFailure("receive in \(state): one machine is one notification")
        }
    }

    /// The extension called its content handler with `changed`, which was copied as it did.
    public mutating func handlerCalled(with changed: NotificationContent) -> [Effect] {
        switch state {
        case .intercepted(let original, _, _):
            state = .delivered
            guard changed.hasAlertText else {
                return [.warnNoAlertText, .deliver(.extension, original), .endExtension]
            }
            return [.deliver(.extension, changed), .endExtension]
        case .delivered: return [.warnHandlerCalledAgain]
        case .idle: preconditionFailure("a handler called before anything was received")
        }
    }

    /// The timer that ``Effect/wake(at:)`` asked for fired; one that fires early changes nothing.
    public mutating func timerFired(at now: Instant) -> [Effect] {
        switch state {
        case .intercepted(let original, let budget, let told):
            if now >= budget.end {
                state = .delivered
                return [.deliver(.expiry, original), .endExtension]
            }
            guard now >= budget.willExpire else { return [.wake(at: budget.willExpire)] }
            state = .intercepted(original, budget, told: true)
            return [.wake(at: budget.end)] + (told ? [] : [.tellTimeWillExpire])
        case .idle, .delivered: return []
        }
    }

    /// The extension's process ended without having called its handler.
    public mutating func extensionDied() -> [Effect] {
        switch state {
        case .intercepted(let original, _, _):
            state = .delivered
            return [.deliver(.crash, original)]
        case .idle, .delivered: return []
        }
    }

    /// The worker was told to stop; `bestAttempt` is what the extension has so far, nil for nothing.
    public mutating func stop(bestAttempt: NotificationContent?) -> [Effect] {
        switch state {
        case .intercepted(let original, _, _):
            state = .delivered
            let best = bestAttempt.flatMap { $0.hasAlertText ? $0 : nil } ?? original
            return [.deliver(.stopped, best), .endExtension]
        case .idle, .delivered: return []
        }
    }
}
