public import BelfryEventLoop
public import BelfryProtocol
public import BelfryTerms

/// Stamps what happens to one notification, and hands it to whoever listens.
public final class EventReporter {
    private let timers: any TimerSource
    private let id: String
    private let receivedAt: Instant
    private let listeners: [(Event) -> Void]
    /// What happened before the first event could be told; nil from then on.
    private var early: [Event.Body]? = []

    /// A reporter for the request `id`, whose bytes were all there at `receivedAt`; listeners are told in order.
    public init(timers: any TimerSource, id: String, receivedAt: Instant, listeners: [(Event) -> Void]) {
        self.timers = timers
        self.id = id
        self.receivedAt = receivedAt
        self.listeners = listeners
    }

    /// Tells that `body` happens now; what happens before `received` or `rejected` is told right after it.
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
