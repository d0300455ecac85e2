/// The subscribers, and their demand.
public enum Subscribers {
    /// How publishing ends.
    public enum Completion<Failure: Error> {
        /// With nothing more to come.
        case finished
        /// By an error.
        case failure(Failure)
    }

    /// How many values a subscriber wants.
    public struct Demand: Comparable, Hashable, Sendable {
        /// How many; nil for all.
        public let max: Int?

        private init(limit: Int?) { max = limit }

        /// All.
        public static let unlimited = Demand(limit: nil)
        /// None.
        public static let none = Demand(limit: 0)

        /// So many, which is not negative.
        public static func max(_ value: Int) -> Demand {
            precondition(value >= 0, "nobody wants fewer values than none")
            return Demand(limit: value)
        }

        /// Both together.
        public static func + (left: Demand, right: Demand) -> Demand {
            guard let first = left.max, let second = right.max else { return .unlimited }
            let (sum, overflows) = first.addingReportingOverflow(second)
            return overflows ? .unlimited : Demand(limit: sum)
        }

        /// More by `right`.
        public static func += (left: inout Demand, right: Demand) { left = left + right }

        /// One fewer, and none from none.
        var spent: Demand { Demand(limit: max.map { Swift.max($0 - 1, 0) }) }

        /// Whether `left` is less.
        public static func < (left: Demand, right: Demand) -> Bool {
            guard let first = left.max else { return false }
            return right.max.map { first < $0 } ?? true
        }
    }

    /// Calls a closure with each value. Source: Apple, `Subscribers.Sink`.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
        private let lock = NSRecursiveLock()
        private var subscription: (any Subscription)?
        private var isOver = false
        private let onCompletion: (Completion<Failure>) -> Void
        private let onValue: (Input) -> Void

        /// Calls `receiveValue` with each value, and at the end `receiveCompletion`.
        public init(
            receiveCompletion: @escaping (Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
        ) {
            onCompletion = receiveCompletion
            onValue = receiveValue
        }

        /// It has subscribed: once; another subscription is cancelled.
        public func receive(subscription: any Subscription) {
            let isWanted = lock.withLock {
                guard !isOver, self.subscription == nil else { return false }
                self.subscription = subscription
                return true
            }
            if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
        }

        /// There is a value.
        public func receive(_ input: Input) -> Demand {
            if !lock.withLock({ isOver }) { onValue(input) }
            return .none
        }

        /// There is nothing more.
        public func receive(completion: Completion<Failure>) {
            let isNews = lock.withLock {
                defer { (isOver, subscription) = (true, nil) }
                return !isOver
            }
            if isNews { onCompletion(completion) }
        }

        /// Takes no more.
        public func cancel() {
            let subscription = lock.withLock {
                defer { (isOver, self.subscription) = (true, nil) }
                return self.subscription
            }
            subscription?.cancel()
        }
    }
}

extension Subscribers.Completion: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}

extension Publisher {
    /// Calls `receiveValue` with each value, and at the end `receiveCompletion`, until the returned object is released.
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let sink = Subscribers.Sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        receive(subscriber: sink)
        return AnyCancellable(sink)
    }
}

extension Publisher where Failure == Never {
    /// Calls `receiveValue` with each value, until the returned object is released.
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }

    /// Sets the property at `keyPath` of `object` to each value, until the returned object is released.
    public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
        sink { object[keyPath: keyPath] = $0 }
    }
}
