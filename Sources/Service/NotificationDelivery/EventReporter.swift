public import BelfryEventLoop
public import BelfryProtocol
public import BelfryTerms

/// Stamps the events of one notification with time and id, and hands them to all listeners.
public final class EventReporter {
    private let timers: any TimerSource
    private let id: String
    private let receivedAt: Instant
    private let listeners: [(Event) -> Void]
    /// Events that happened before `received` or `rejected`, which must come first; nil once one of these was sent.
    private var early: [Event.Body]? = []

    /// A reporter for the request `id`, which had arrived completely at `receivedAt`. Listeners are called in order.
    public init(timers: any TimerSource, id: String, receivedAt: Instant, listeners: [(Event) -> Void]) {
        self.timers = timers
        self.id = id
        self.receivedAt = receivedAt
        self.listeners = listeners
    }

    /// Reports that `body` happens now. An event that comes before `received` or `rejected` is reported right after it.
    public func report(_ body: Event.Body) {
        guard let early else { return send(body) }
        switch body {
        case .received, .rejected:
            self.early = nil
            send(body)
            for body in early { send(body) }
        default: self.early = early + [body]
        }
    }

    private func send(_ body: Event.Body) {
        let now = timers.now
        let event = Event(at: (now - receivedAt).seconds, boot: now.seconds, id: id, body: body)
        for listener in listeners { listener(event) }
    }
}
