public import BootTime
public import EventLoop
public import Events

/// Stamps what happens to one notification, and hands it to whoever listens.
public final class EventReporter {
    private let timers: any TimerSource
    private let id: String
    private let whole: Instant
    private let listeners: [(Event) -> Void]

    /// A reporter for the request `id`, whose bytes were there at `whole`; listeners are told in order.
    public init(timers: any TimerSource, id: String, whole: Instant, listeners: [(Event) -> Void]) {
        self.timers = timers
        self.id = id
        self.whole = whole
        self.listeners = listeners
    }

    /// Tells that `body` happens now.
    public func report(_ body: Event.Body) {
        let now = timers.now
        let event = Event(at: (now - whole).seconds, boot: now.seconds, id: id, body: body)
        for listener in listeners { listener(event) }
    }
}
