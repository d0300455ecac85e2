/// A publisher of the values that code sends to it. Source: Apple, `Subject`.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    /// Publishes a value.
    func send(_ value: Output)

    /// Publishes that there is nothing more.
    func send(completion: Subscribers.Completion<Failure>)
}

extension Subject where Output == Void {
    /// Publishes that something happened.
    public func send() { send(()) }
}

/// Publishes each value to those who are subscribed at that time. Source: Apple, `PassthroughSubject`.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
    private let audience = Audience<Output, Failure>()

    /// A subject.
    public init() {}

    /// Publishes a value.
    public func send(_ value: Output) { audience.send(value) }

    /// Publishes that there is nothing more.
    public func send(completion: Subscribers.Completion<Failure>) { audience.send(completion: completion) }

    /// Subscribes `subscriber`.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure { audience.add(subscriber) }
}

/// Publishes its value, and each new one. Source: Apple, `CurrentValueSubject`.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    private let audience = Audience<Output, Failure>()
    private let lock = NSRecursiveLock()
    private var current: Output

    /// A subject of `value`.
    public init(_ value: Output) { current = value }

    /// The value; a new one is published.
    public var value: Output {
        get { lock.withLock { current } }
        set { send(newValue) }
    }

    /// Publishes a value, which is kept.
    public func send(_ value: Output) {
        lock.withLock { current = value }
        audience.send(value)
    }

    /// Publishes that there is nothing more.
    public func send(completion: Subscribers.Completion<Failure>) { audience.send(completion: completion) }

    /// Subscribes `subscriber`, which gets the value at once.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure { audience.add(subscriber, first: value) }
}

/// The subscribers of a subject.
final class Audience<Output, Failure: Error> {
    private let lock = NSRecursiveLock()
    private var seats: [ObjectIdentifier: Seat<Output, Failure>] = [:]
    private var order: [ObjectIdentifier] = []
    private var completion: Subscribers.Completion<Failure>?

    func add(_ subscriber: some Subscriber<Output, Failure>, first: Output? = nil) {
        let seat = Seat(AnySubscriber(subscriber), first: first)
        let completion = lock.withLock {
            if self.completion == nil {
                let id = ObjectIdentifier(seat)
                seats[id] = seat
                order.append(id)
                seat.leave = { [weak self] in self?.remove(id) }
            }
            return self.completion
        }
        subscriber.receive(subscription: seat)
        if let completion { seat.finish(completion) }
    }

    func send(_ value: Output) {
        for seat in lock.withLock({ completion == nil ? order.compactMap { seats[$0] } : [] }) { seat.take(value) }
    }

    func send(completion: Subscribers.Completion<Failure>) {
        let all = lock.withLock {
            defer { (seats, order) = ([:], []) }
            guard self.completion == nil else { return [Seat<Output, Failure>]() }
            self.completion = completion
            return order.compactMap { seats[$0] }
        }
        for seat in all { seat.finish(completion) }
    }

    private func remove(_ id: ObjectIdentifier) {
        lock.withLock {
            seats[id] = nil
            order.removeAll { $0 == id }
        }
    }
}

/// One subscription: its demand, and the value that waits for it.
final class Seat<Output, Failure: Error>: Subscription, @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private var subscriber: AnySubscriber<Output, Failure>?
    private var demand = Subscribers.Demand.none
    /// The last value of a subject that keeps one, until it is asked for.
    private var waiting: Output?
    private let keepsLast: Bool
    var leave: (() -> Void)?

    init(_ subscriber: AnySubscriber<Output, Failure>, first: Output?) {
        self.subscriber = subscriber
        waiting = first
        keepsLast = first != nil
    }

    func request(_ demand: Subscribers.Demand) {
        let first: Output? = lock.withLock {
            self.demand += demand
            guard self.demand > .none, let first = waiting else { return nil }
            waiting = nil
            return first
        }
        if let first { take(first) }
    }

    /// Delivers a value if there is demand; else it waits if the subject keeps its last value, and is lost if not.
    func take(_ value: Output) {
        let target: AnySubscriber<Output, Failure>? = lock.withLock {
            guard demand > .none else {
                if keepsLast { waiting = value }
                return nil
            }
            demand = demand.spent
            return subscriber
        }
        guard let target else { return }
        // Without the lock: the subscriber may cancel, or ask for more.
        let more = target.receive(value)
        lock.withLock { demand += more }
    }

    func finish(_ completion: Subscribers.Completion<Failure>) {
        let target = lock.withLock {
            defer { subscriber = nil }
            return subscriber
        }
        target?.receive(completion: completion)
    }

    func cancel() {
        lock.withLock { (subscriber, waiting) = (nil, nil) }
        leave?()
    }
}
