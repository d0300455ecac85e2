/// The publishers that operators return.
public enum Publishers {
    /// Turns each value of another publisher into a value, none, or an end.
    public struct Transformed<Upstream: Publisher, Output, Failure: Error>: Publisher {
        enum Step {
            case value(Output)
            /// A value, and then the end.
            case last(Output)
            case none
            case end(Subscribers.Completion<Failure>)
        }

        fileprivate let upstream: Upstream
        /// Makes the function that one subscription calls with each value.
        fileprivate let makeStep: () -> (Upstream.Output) -> Step
        fileprivate let end: (Subscribers.Completion<Upstream.Failure>) -> Subscribers.Completion<Failure>

        /// Subscribes `subscriber`.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Failure {
            upstream.receive(subscriber: Relay<Upstream, Output, Failure>(self, AnySubscriber(subscriber)))
        }
    }
}

/// Stands between a publisher and the subscriber to its transformed values.
private final class Relay<Upstream: Publisher, Output, Failure: Error>: Subscriber, Subscription {
    typealias Input = Upstream.Output

    private let lock = NSRecursiveLock()
    private var target: AnySubscriber<Output, Failure>?
    private var upstream: (any Subscription)?
    private let step: (Upstream.Output) -> Publishers.Transformed<Upstream, Output, Failure>.Step
    private let end: (Subscribers.Completion<Upstream.Failure>) -> Subscribers.Completion<Failure>

    init(
        _ publisher: Publishers.Transformed<Upstream, Output, Failure>, _ target: AnySubscriber<Output, Failure>
    ) {
        self.target = target
        step = publisher.makeStep()
        end = publisher.end
    }

    func receive(subscription: any Subscription) {
        let target = lock.withLock {
            upstream = subscription
            return self.target
        }
        target?.receive(subscription: self)
    }

    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        guard let target = lock.withLock({ target }) else { return .none }
        switch step(input) {
        case .value(let output): return target.receive(output)
        case .last(let output):
            // First, since `finish` forgets the upstream, and the subscriber may make it publish again.
            lock.withLock { upstream }?.cancel()
            _ = target.receive(output)
            finish(.finished)
            return .none
        // The subscriber still waits for a value, so ask for another one.
        case .none: return .max(1)
        case .end(let completion):
            // First, since `finish` forgets the upstream.
            lock.withLock { upstream }?.cancel()
            finish(completion)
            return .none
        }
    }

    func receive(completion: Subscribers.Completion<Upstream.Failure>) { finish(end(completion)) }

    func request(_ demand: Subscribers.Demand) { lock.withLock { upstream }?.request(demand) }

    func cancel() {
        let upstream = lock.withLock {
            defer { (target, self.upstream) = (nil, nil) }
            return self.upstream
        }
        upstream?.cancel()
    }

    private func finish(_ completion: Subscribers.Completion<Failure>) {
        let target = lock.withLock {
            defer { (self.target, upstream) = (nil, nil) }
            return self.target
        }
        target?.receive(completion: completion)
    }
}

extension Publisher {
    /// Each value as `transform` returns it.
    public func map<Result>(
        _ transform: @escaping (Output) -> Result
    ) -> Publishers.Transformed<Self, Result, Failure> {
        .init(upstream: self, makeStep: { { .value(transform($0)) } }, end: { $0 })
    }

    /// The property at `keyPath` of each value.
    public func map<Result>(_ keyPath: KeyPath<Output, Result>) -> Publishers.Transformed<Self, Result, Failure> {
        map { $0[keyPath: keyPath] }
    }

    /// Each value as `transform` returns it, until it throws.
    public func tryMap<Result>(
        _ transform: @escaping (Output) throws -> Result
    ) -> Publishers.Transformed<Self, Result, any Error> {
        .init(
            upstream: self,
            makeStep: {
                { value in
                    do { return .value(try transform(value)) } catch { return .end(.failure(error)) }
                }
            },
            end: { completion in
                if case .failure(let error) = completion { .failure(error) } else { .finished }
            })
    }

    /// Each value as `transform` returns it, without nil.
    public func compactMap<Result>(
        _ transform: @escaping (Output) -> Result?
    ) -> Publishers.Transformed<Self, Result, Failure> {
        .init(upstream: self, makeStep: { { transform($0).map { .value($0) } ?? .none } }, end: { $0 })
    }

    /// The values for which `isIncluded` returns true.
    public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Transformed<Self, Output, Failure> {
        compactMap { isIncluded($0) ? $0 : nil }
    }

    /// All values but the first `count`.
    public func dropFirst(_ count: Int = 1) -> Publishers.Transformed<Self, Output, Failure> {
        .init(
            upstream: self,
            makeStep: {
                var left = count
                return { value in
                    guard left > 0 else { return .value(value) }
                    left -= 1
                    return .none
                }
            }, end: { $0 })
    }

    /// The first value, and then the end.
    public func first() -> Publishers.Transformed<Self, Output, Failure> { first { _ in true } }

    /// The first value for which `predicate` returns true, and then the end.
    public func first(
        where predicate: @escaping (Output) -> Bool
    ) -> Publishers.Transformed<Self, Output, Failure> {
        .init(
            upstream: self, makeStep: { { predicate($0) ? .last($0) : .none } }, end: { $0 })
    }

    /// The same, with a look at each value, and at the end.
    public func handleEvents(
        receiveOutput: ((Output) -> Void)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil
    ) -> Publishers.Transformed<Self, Output, Failure> {
        .init(
            upstream: self,
            makeStep: {
                { value in
                    receiveOutput?(value)
                    return .value(value)
                }
            },
            end: { completion in
                receiveCompletion?(completion)
                return completion
            })
    }

    /// What `nextPartialResult` makes of each value and its last result, which is `initialResult` at first.
    public func scan<Result>(
        _ initialResult: Result, _ nextPartialResult: @escaping (Result, Output) -> Result
    ) -> Publishers.Transformed<Self, Result, Failure> {
        .init(
            upstream: self,
            makeStep: {
                var result = initialResult
                return { value in
                    result = nextPartialResult(result, value)
                    return .value(result)
                }
            }, end: { $0 })
    }

    /// The values that differ from the one before, by `predicate`.
    public func removeDuplicates(
        by predicate: @escaping (Output, Output) -> Bool
    ) -> Publishers.Transformed<Self, Output, Failure> {
        .init(
            upstream: self,
            makeStep: {
                var last: Output?
                return { value in
                    defer { last = value }
                    return last.map { predicate($0, value) } == true ? .none : .value(value)
                }
            }, end: { $0 })
    }

    /// The same values, with the error as `transform` returns it.
    public func mapError<NewFailure: Error>(
        _ transform: @escaping (Failure) -> NewFailure
    ) -> Publishers.Transformed<Self, Output, NewFailure> {
        .init(
            upstream: self, makeStep: { { .value($0) } },
            end: { completion in
                if case .failure(let error) = completion { .failure(transform(error)) } else { .finished }
            })
    }
}

extension Publisher where Output: Equatable {
    /// The values that differ from the one before.
    public func removeDuplicates() -> Publishers.Transformed<Self, Output, Failure> { removeDuplicates(by: ==) }
}

extension Publisher where Failure == Never {
    /// The same, of a type that could fail.
    public func setFailureType<NewFailure: Error>(
        to failureType: NewFailure.Type
    ) -> Publishers.Transformed<Self, Output, NewFailure> {
        .init(upstream: self, makeStep: { { .value($0) } }, end: { _ in .finished })
    }
}
