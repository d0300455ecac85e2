public import BelfryProtocol
public import BelfryTerms

/// One notification between its arrival and its one delivery: rule R1, and the delivery once the reply that
/// ``ReplyStateMachine`` waits for has come or is overdue. No clock and no I/O.
///
///     idle ── arrived ──▶ asked ─┬─ admitted ──▶ received ── handler, death, timer ──▶ delivered
///          │                     ├─ timer ───────────────────────────────────────────────┤
///          │                     └─ refused                                              │
///          └── no extension acts on it ──────────────────────────────────────────────────┘
public struct InterceptionStateMachine: Sendable {
    private enum State: Sendable {
        /// The state before the notification arrived.
        case idle
        /// The state while the extension has yet to say whether it takes the notification.
        case asked(Arrival)
        /// The state once the extension has taken it, or no extension will. It is delivered if no reply is awaited.
        case received(Arrival)
        /// The state after the extension refused it: nothing changes it.
        case refused
    }

    private struct Arrival: Sendable {
        let original: NotificationContent
        let passthrough: PassthroughReason?
        let mayBeFiltered: Bool
        var reply: ReplyStateMachine
        /// Whether an app was handed the push.
        var isWithApp = false

        /// The delivery of `content`, or its filtering: by the extension's reply without text, or since no reply came.
        /// That the worker has to stop before a reply is nothing that the extension has decided.
        func delivery(by usual: Deliverer, _ content: NotificationContent) -> Effect {
            let isFiltered =
                mayBeFiltered && (usual == .extension ? !content.hasAlertText : !reply.isStopped)
            return isFiltered ? .filter(deliverer(usual), content) : .deliver(deliverer(usual), content)
        }

        /// As whom the content is delivered: `usual`, unless the extension only accompanies it or has to stop.
        func deliverer(_ usual: Deliverer) -> Deliverer {
            passthrough != nil ? isWithApp ? .app : .passthrough : reply.isStopped ? .stopped : usual
        }
    }

    /// What the driver has to do.
    public enum Effect: Equatable, Sendable {
        /// Report the notification as received.
        case report
        /// Report the notification as rejected.
        case reject(Rejection)
        /// Run the extension on the request, within the budget.
        case runExtension(Budget)
        /// Feed ``InterceptionStateMachine/timerFired(at:)`` at this instant, instead of at the one asked for before.
        case wake(at: Instant)
        /// Tell the extension that its time is nearly over.
        case timeWillExpire
        /// Deliver the content.
        case deliver(Deliverer, NotificationContent)
        /// Deliver the content, and show nothing of it.
        case filter(Deliverer, NotificationContent)
        /// Warn that the extension's changes were ignored, because what it handed over has no alert text.
        case warnNoAlertText
        /// Warn that the content handler was called a second time, or too late, and that this changed nothing.
        case warnHandlerCalledAgain
        /// Tell the extension that the content was delivered: anything it hands over from now on is ignored.
        case endExtension
    }

    private var state = State.idle

    /// A machine at which nothing has arrived.
    public init() {}

    /// Whether the extension has taken the notification, or no extension will.
    public var hasReceived: Bool {
        if case .received = state { true } else { false }
    }

    /// Whether the content was delivered.
    public var isDelivered: Bool {
        if case .received(let arrival) = state { !arrival.reply.isAwaited } else { false }
    }

    /// The notification arrived; `passthrough` says why it is not intercepted (R1). If it `hasExtension`, the extension
    /// is asked whether it takes the notification.
    ///
    /// An extension may act on the notification even if it is not intercepted: then what it hands over is delivered as
    /// a pass-through. If the notification `mayBeFiltered`, content without text, and a reply that never comes, have
    /// nothing shown (R2).
    public mutating func arrived(
        _ content: NotificationContent, passthrough: PassthroughReason?, budget: Budget, hasExtension: Bool,
        mayBeFiltered: Bool = false
    ) -> [Effect] {
        // Only our own driver feeds the notification, and it does so once.
        guard case .idle = state else { preconditionFailure("arrived in \(state): one machine is one notification") }
        // An extension that has not begun gets no word that its time is nearly over.
        let reply = ReplyStateMachine(within: budget, isTold: true)
        var arrival = Arrival(
            original: content, passthrough: passthrough, mayBeFiltered: mayBeFiltered && passthrough == nil,
            reply: reply)
        guard hasExtension else {
            // There is no extension whose reply could be awaited.
            _ = arrival.reply.died()
            state = .received(arrival)
            return [.report, .deliver(.passthrough, content)]
        }
        state = .asked(arrival)
        return [.wake(at: budget.end)]
    }

    /// The extension takes the notification. It has what is left of the budget. A stop that came before does not count
    /// here: the driver feeds it again.
    public mutating func admitted() -> [Effect] {
        // A verdict that comes too late finds the notification delivered.
        guard case .asked(var arrival) = state else { return [] }
        let budget = arrival.reply.budget
        // An extension that only accompanies a push gets no word about its time.
        arrival.reply = ReplyStateMachine(within: budget, isTold: arrival.passthrough != nil)
        state = .received(arrival)
        return [.report] + wake(arrival) + [.runExtension(budget)]
    }

    /// The extension does not take the notification.
    public mutating func refused(_ rejection: Rejection) -> [Effect] {
        guard case .asked = state else { return [] }
        state = .refused
        return [.reject(rejection)]
    }

    /// The extension called its content handler with `changed`, a copy made at that moment (R2).
    public mutating func handlerCalled(with changed: NotificationContent) -> [Effect] {
        // Only a running extension has a handler.
        guard case .received(var arrival) = state else { preconditionFailure("a handler called in \(state)") }
        guard arrival.reply.replied() else { return [.warnHandlerCalledAgain] }
        // A push that shows nothing, such as a voip push, may be handed over without text.
        if changed.hasAlertText || arrival.passthrough != nil { return deliver(.extension, changed, of: arrival) }
        if arrival.mayBeFiltered { return deliver(.extension, changed, of: arrival) }
        let warning: [Effect] = arrival.reply.isStopped ? [] : [.warnNoAlertText]
        return warning + deliver(.extension, arrival.original, of: arrival)
    }

    /// The built-in service handed `content` over, and nothing of it is to be shown: the caller is blocked (R24).
    public mutating func withheld(_ content: NotificationContent) -> [Effect] {
        // Only what has the notification hands it over.
        guard case .received(var arrival) = state else { preconditionFailure("withheld in \(state)") }
        guard arrival.reply.replied() else { return [.warnHandlerCalledAgain] }
        state = .received(arrival)
        return [.filter(arrival.deliverer(.extension), content), .endExtension]
    }

    /// The timer that ``Effect/wake(at:)`` asked for fired. If it fires early, it is asked for again (R3).
    public mutating func timerFired(at now: Instant) -> [Effect] {
        switch state {
        case .asked(var arrival):
            guard arrival.reply.timePassed(to: now) == .end else { return wake(arrival) }
            return [.report] + deliver(.expiry, arrival.original, of: arrival)
        case .received(var arrival):
            let due = arrival.reply.timePassed(to: now)
            if due == .end { return deliver(.expiry, arrival.original, of: arrival) }
            state = .received(arrival)
            return wake(arrival) + (due == .timeWillExpire ? [.timeWillExpire] : [])
        case .idle, .refused: return []
        }
    }

    /// The extension's process ended, perhaps without having called its handler.
    public mutating func extensionDied() -> [Effect] {
        // A process may end at any time.
        guard case .received(var arrival) = state, arrival.reply.died() else { return [] }
        state = .received(arrival)
        return [arrival.delivery(by: .crash, arrival.original)]
    }

    /// The extension waited for its turn and has begun only now: it has `budget` (R3). One that only accompanies a
    /// push gets no word about its time.
    public mutating func extensionBegan(within budget: Budget) -> [Effect] {
        guard case .received(var arrival) = state else { return [] }
        guard arrival.reply.began(within: budget, isTold: arrival.passthrough != nil) else { return [] }
        state = .received(arrival)
        return wake(arrival)
    }

    /// An app was handed the push that the extension accompanies.
    public mutating func handedToApp() {
        guard case .received(var arrival) = state else { return }
        arrival.isWithApp = true
        state = .received(arrival)
    }

    /// The worker has to stop from `now` on (R17). An extension that has yet to say whether it takes the notification
    /// gets no more time for that than for a best attempt. A second stop changes nothing.
    public mutating func stop(at now: Instant) -> [Effect] {
        switch state {
        case .asked(var arrival):
            defer { state = .asked(arrival) }
            return stop(&arrival, at: now)
        case .received(var arrival):
            defer { state = .received(arrival) }
            return stop(&arrival, at: now)
        // A signal may come at any time.
        case .idle, .refused: return []
        }
    }

    private func stop(_ arrival: inout Arrival, at now: Instant) -> [Effect] {
        let due = arrival.reply.due
        // No effect: the driver itself tells the extension to stop, which says more than that its time is nearly over.
        _ = arrival.reply.stop(at: now)
        return arrival.reply.due == due ? [] : wake(arrival)
    }

    private func wake(_ arrival: Arrival) -> [Effect] { arrival.reply.due.map { [.wake(at: $0)] } ?? [] }

    private mutating func deliver(_ usual: Deliverer, _ content: NotificationContent, of arrival: Arrival) -> [Effect] {
        state = .received(arrival)
        return [arrival.delivery(by: usual, content), .endExtension]
    }
}
