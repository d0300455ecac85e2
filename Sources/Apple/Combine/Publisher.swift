@_exported public import Foundation

/// Something that can be stopped. Source: Apple, `Cancellable`.
public protocol Cancellable {
    /// Stops it.
    func cancel()
}

extension Cancellable {
    /// Keeps it in `collection`, which stops it when it is released.
    public func store<Collection: RangeReplaceableCollection>(in collection: inout Collection)
    where Collection.Element == AnyCancellable { collection.append(AnyCancellable(self)) }

    /// Keeps it in `set`, which stops it when it is released.
    public func store(in set: inout Set<AnyCancellable>) { set.insert(AnyCancellable(self)) }
}

/// Stops something when it is released. Source: Apple, `AnyCancellable`.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
    private let lock = NSLock()
    private var stop: (() -> Void)?

    /// Calls `cancel` once: when it is cancelled, or released.
    public init(_ cancel: @escaping () -> Void) { stop = cancel }

    /// Stops `canceller` once: when it is cancelled, or released.
    public init<Other: Cancellable>(_ canceller: Other) { stop = { canceller.cancel() } }

    deinit { cancel() }

    /// Stops it, unless that was done already.
    public func cancel() {
        let stop = lock.withLock {
            defer { self.stop = nil }
            return self.stop
        }
        stop?()
    }

    /// Whether both are the same.
    public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

    /// Hashes which one it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The link between a publisher and a subscriber. Source: Apple, `Subscription`.
public protocol Subscription: Cancellable {
    /// Asks for `demand` further values.
    func request(_ demand: Subscribers.Demand)
}

/// Receives values. Source: Apple, `Subscriber`.
public protocol Subscriber<Input, Failure> {
    /// What a value is.
    associatedtype Input
    /// How it fails.
    associatedtype Failure: Error

    /// It has subscribed.
    func receive(subscription: any Subscription)

    /// There is a value. Returns how many more are wanted.
    func receive(_ input: Input) -> Subscribers.Demand

    /// There is nothing more.
    func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
    /// There is a value.
    public func receive() -> Subscribers.Demand { receive(()) }
}

/// Sends values over time. Source: Apple, `Publisher`.
public protocol Publisher<Output, Failure> {
    /// What a value is.
    associatedtype Output
    /// How it fails.
    associatedtype Failure: Error

    /// Subscribes `subscriber`.
    func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure
}

extension Publisher {
    /// Subscribes `subscriber`.
    public func subscribe<Downstream: Subscriber>(_ subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure { receive(subscriber: subscriber) }

    /// Subscribes `subject`, until the returned object is released.
    public func subscribe<Target: Subject>(_ subject: Target) -> AnyCancellable
    where Target.Output == Output, Target.Failure == Failure {
        sink(receiveCompletion: { subject.send(completion: $0) }, receiveValue: { subject.send($0) })
    }

    /// The same without its type.
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}

/// A publisher without its type. Source: Apple, `AnyPublisher`.
public struct AnyPublisher<Output, Failure: Error>: Publisher {
    private let subscribe: (AnySubscriber<Output, Failure>) -> Void

    /// `publisher`, without its type.
    public init<Other: Publisher>(_ publisher: Other) where Other.Output == Output, Other.Failure == Failure {
        subscribe = { publisher.receive(subscriber: $0) }
    }

    /// Subscribes `subscriber`.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure { subscribe(AnySubscriber(subscriber)) }
}

/// A subscriber without its type. Source: Apple, `AnySubscriber`.
public struct AnySubscriber<Input, Failure: Error>: Subscriber {
    private let onSubscription: (any Subscription) -> Void
    private let onValue: (Input) -> Subscribers.Demand
    private let onCompletion: (Subscribers.Completion<Failure>) -> Void

    /// `subscriber`, without its type.
    public init<Other: Subscriber>(_ subscriber: Other) where Other.Input == Input, Other.Failure == Failure {
        onSubscription = { subscriber.receive(subscription: $0) }
        onValue = { subscriber.receive($0) }
        onCompletion = { subscriber.receive(completion: $0) }
    }

    /// It has subscribed.
    public func receive(subscription: any Subscription) { onSubscription(subscription) }

    /// There is a value.
    public func receive(_ input: Input) -> Subscribers.Demand { onValue(input) }

    /// There is nothing more.
    public func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
}
