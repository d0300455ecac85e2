extension NotificationCenter {
    /// Publishes notifications as they are posted. Source: Apple, `NotificationCenter.Publisher`.
    public struct Publisher: Combine.Publisher {
        /// A notification.
        public typealias Output = Notification
        /// It does not fail.
        public typealias Failure = Never

        /// Where they are posted.
        public let center: NotificationCenter
        /// Their name.
        public let name: Notification.Name
        /// Who posts them; nil for all.
        public let object: AnyObject?

        /// The notifications `name` of `object` that are posted at `center`.
        public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
            self.center = center
            self.name = name
            self.object = object
        }

        /// Subscribes `subscriber`, on the thread that posts.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Notification, Downstream.Failure == Never {
            let seat = Seat(AnySubscriber<Notification, Never>(subscriber), first: nil)
            let observer = Observer(center)
            seat.leave = { observer.leave() }
            // The centre holds the subscription until it is cancelled, as it does on iOS.
            observer.watch(name, object) { seat.take($0) }
            subscriber.receive(subscription: seat)
        }
    }

    /// The notifications `name` of `object`, as they are posted.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
        Publisher(center: self, name: name, object: object)
    }
}

/// Observes a notification centre until it leaves.
private final class Observer: @unchecked Sendable {
    private let center: NotificationCenter
    private let lock = NSLock()
    private var token: (any NSObjectProtocol)?
    private var take: ((Notification) -> Void)?

    init(_ center: NotificationCenter) { self.center = center }

    func watch(_ name: Notification.Name, _ object: AnyObject?, _ take: @escaping (Notification) -> Void) {
        lock.withLock { self.take = take }
        let token = center.addObserver(forName: name, object: object, queue: nil) { notification in
            self.lock.withLock { self.take }?(notification)
        }
        lock.withLock { self.token = token }
    }

    func leave() {
        let token = lock.withLock {
            defer { (self.token, take) = (nil, nil) }
            return self.token
        }
        if let token { center.removeObserver(token) }
    }
}
