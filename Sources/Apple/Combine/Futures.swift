/// One value that comes at some time, for earlier and later subscribers. Source: Apple, `Future`.
public final class Future<Output, Failure: Error>: Publisher {
    /// The function to call with the value.
    public typealias Promise = (Result<Output, Failure>) -> Void

    private let lock = NSRecursiveLock()
    private var result: Result<Output, Failure>?
    private var waiting: [OneValue<Output, Failure>] = []

    /// Calls `attemptToFulfill` at once; the first result that is promised there counts.
    public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
        attemptToFulfill { self.fulfill($0) }
    }

    /// Subscribes `subscriber`.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
        let seat = OneValue(AnySubscriber(subscriber))
        let result = lock.withLock {
            if self.result == nil { waiting.append(seat) }
            return self.result
        }
        subscriber.receive(subscription: seat)
        // Only now: a subscriber must have its subscription before a value.
        if let result { seat.have(result) }
    }

    private func fulfill(_ result: Result<Output, Failure>) {
        let seats = lock.withLock {
            guard self.result == nil else { return [OneValue<Output, Failure>]() }
            self.result = result
            defer { waiting = [] }
            return waiting
        }
        for seat in seats { seat.have(result) }
    }
}

/// A subscription to one result, which is delivered once it is there and was asked for.
final class OneValue<Output, Failure: Error>: Subscription {
    private let lock = NSRecursiveLock()
    private var subscriber: AnySubscriber<Output, Failure>?
    private var result: Result<Output, Failure>?
    private var isAsked = false

    init(_ subscriber: AnySubscriber<Output, Failure>) { self.subscriber = subscriber }

    func have(_ result: Result<Output, Failure>) {
        lock.withLock { self.result = result }
        handOver()
    }

    func request(_ demand: Subscribers.Demand) {
        lock.withLock { isAsked = isAsked || demand > .none }
        handOver()
    }

    func cancel() { lock.withLock { subscriber = nil } }

    private func handOver() {
        let (target, value): (AnySubscriber<Output, Failure>?, Result<Output, Failure>?) = lock.withLock {
            guard let subscriber, let result else { return (nil, nil) }
            // An error is delivered without demand.
            if case .success = result, !isAsked { return (nil, nil) }
            self.subscriber = nil
            return (subscriber, result)
        }
        switch value {
        case .success(let output):
            _ = target?.receive(output)
            target?.receive(completion: .finished)
        case .failure(let error): target?.receive(completion: .failure(error))
        case nil: break
        }
    }
}

/// One value. Source: Apple, `Just`.
public struct Just<Output>: Publisher {
    /// It does not fail.
    public typealias Failure = Never
    /// The value.
    public let output: Output

    /// The value `output`.
    public init(_ output: Output) { self.output = output }

    /// Subscribes `subscriber`.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Never {
        let seat = OneValue(AnySubscriber(subscriber))
        subscriber.receive(subscription: seat)
        seat.have(.success(output))
    }
}

/// An error at once. Source: Apple, `Fail`.
public struct Fail<Output, Failure: Error>: Publisher {
    /// The error.
    public let error: Failure

    /// The error `error`.
    public init(error: Failure) { self.error = error }

    /// The error `failure`, of a publisher of `outputType`.
    public init(outputType: Output.Type, failure: Failure) { error = failure }

    /// Subscribes `subscriber`.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
        let seat = OneValue(AnySubscriber(subscriber))
        subscriber.receive(subscription: seat)
        seat.have(.failure(error))
    }
}

/// No value. Source: Apple, `Empty`.
public struct Empty<Output, Failure: Error>: Publisher {
    /// Whether it ends at once; else never.
    public let completeImmediately: Bool

    /// No value.
    public init(completeImmediately: Bool = true) { self.completeImmediately = completeImmediately }

    /// Subscribes `subscriber`.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
        let seat = Seat(AnySubscriber(subscriber), first: nil)
        subscriber.receive(subscription: seat)
        if completeImmediately { seat.finish(.finished) }
    }
}
