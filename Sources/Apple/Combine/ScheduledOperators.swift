extension Publishers {
    /// Passes the values of another publisher on by a scheduler.
    public struct Scheduled<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// What a value is.
        public typealias Output = Upstream.Output
        /// How it fails.
        public typealias Failure = Upstream.Failure

        enum Way {
            /// Each, so much later.
            case each(later: Context.SchedulerTimeType.Stride?)
            /// The last, once nothing came for so long.
            case last(quiet: Context.SchedulerTimeType.Stride)
            /// One in each interval: its first or its latest.
            case one(each: Context.SchedulerTimeType.Stride, isLatest: Bool)
        }

        fileprivate let upstream: Upstream
        fileprivate let context: Context
        fileprivate let options: Context.SchedulerOptions?
        fileprivate let way: Way

        /// Subscribes `subscriber`.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Failure {
            upstream.receive(subscriber: ScheduledRelay(self, AnySubscriber(subscriber)))
        }
    }
}

/// Stands between a publisher and the subscriber to its scheduled values.
private final class ScheduledRelay<Upstream: Publisher, Context: Scheduler>: Subscriber, Subscription {
    typealias Input = Upstream.Output
    typealias Failure = Upstream.Failure

    private let lock = NSRecursiveLock()
    private let publisher: Publishers.Scheduled<Upstream, Context>
    private var target: AnySubscriber<Input, Failure>?
    private var upstream: (any Subscription)?
    /// What the subscriber still takes, where it does not get every value.
    private var demand = Subscribers.Demand.none
    private var waiting: Input?
    private var turn = 0
    private var isPaused = false

    init(_ publisher: Publishers.Scheduled<Upstream, Context>, _ target: AnySubscriber<Input, Failure>) {
        self.publisher = publisher
        self.target = target
    }

    private var takesEach: Bool { if case .each = publisher.way { true } else { false } }

    func receive(subscription: any Subscription) {
        let target = lock.withLock {
            upstream = subscription
            return self.target
        }
        target?.receive(subscription: self)
        if !takesEach { subscription.request(.unlimited) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        let context = publisher.context
        switch publisher.way {
        case .each(nil): context.schedule(options: publisher.options) { self.pass(input) }
        case .each(let later?): context.schedule(after: context.now.advanced(by: later)) { self.pass(input) }
        case .last(let quiet):
            let turn = lock.withLock {
                waiting = input
                self.turn += 1
                return self.turn
            }
            context.schedule(after: context.now.advanced(by: quiet)) { self.passWaiting(of: turn) }
        case .one(let interval, let isLatest): thin(input, interval, isLatest: isLatest)
        }
        return .none
    }

    /// Passes the first value of an interval on at once, and at its end what came meanwhile.
    private func thin(_ input: Input, _ interval: Context.SchedulerTimeType.Stride, isLatest: Bool) {
        let isFirst = lock.withLock {
            guard isPaused else {
                isPaused = true
                return true
            }
            if isLatest || waiting == nil { waiting = input }
            return false
        }
        guard isFirst else { return }
        publisher.context.schedule(options: publisher.options) { self.passOne(input) }
        rest(interval)
    }

    private func rest(_ interval: Context.SchedulerTimeType.Stride) {
        let context = publisher.context
        context.schedule(after: context.now.advanced(by: interval)) {
            let next: Input? = self.lock.withLock {
                defer { self.waiting = nil }
                if self.waiting == nil { self.isPaused = false }
                return self.waiting
            }
            guard let next else { return }
            self.passOne(next)
            self.rest(interval)
        }
    }

    /// Passes a value that was asked for on, and asks for as many as the subscriber says.
    private func pass(_ input: Input) {
        guard let target = lock.withLock({ target }) else { return }
        let more = target.receive(input)
        if more > .none { lock.withLock { upstream }?.request(more) }
    }

    private func passWaiting(of turn: Int) {
        let input: Input? = lock.withLock {
            guard turn == self.turn else { return nil }
            defer { waiting = nil }
            return waiting
        }
        if let input { passOne(input) }
    }

    /// Passes a value on if the subscriber takes one more.
    private func passOne(_ input: Input) {
        let target: AnySubscriber<Input, Failure>? = lock.withLock {
            guard demand > .none else { return nil }
            demand = demand.spent
            return self.target
        }
        guard let target else { return }
        let more = target.receive(input)
        lock.withLock { demand += more }
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        let context = publisher.context
        // After the values that are on their way: an end that overtook them would lose them.
        switch publisher.way {
        case .each(nil): context.schedule(options: publisher.options) { self.finish(completion) }
        case .each(let later?): context.schedule(after: context.now.advanced(by: later)) { self.finish(completion) }
        case .last, .one:
            context.schedule(options: publisher.options) {
                self.passWaiting(of: self.lock.withLock { self.turn })
                self.finish(completion)
            }
        }
    }

    private func finish(_ completion: Subscribers.Completion<Failure>) {
        let target = lock.withLock {
            defer { (self.target, upstream) = (nil, nil) }
            return self.target
        }
        target?.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) {
        if takesEach {
            lock.withLock { upstream }?.request(demand)
        } else {
            lock.withLock { self.demand += demand }
        }
    }

    func cancel() {
        let upstream = lock.withLock {
            defer { (target, self.upstream, waiting) = (nil, nil, nil) }
            return self.upstream
        }
        upstream?.cancel()
    }
}

extension Publisher {
    /// The same values, received where `scheduler` says.
    public func receive<Context: Scheduler>(
        on scheduler: Context, options: Context.SchedulerOptions? = nil
    ) -> Publishers.Scheduled<Self, Context> {
        .init(upstream: self, context: scheduler, options: options, way: .each(later: nil))
    }

    /// The same values, `interval` later.
    public func delay<Context: Scheduler>(
        for interval: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride? = nil,
        scheduler: Context, options: Context.SchedulerOptions? = nil
    ) -> Publishers.Scheduled<Self, Context> {
        .init(upstream: self, context: scheduler, options: options, way: .each(later: interval))
    }

    /// The last value of each time in which others came, once none came for `dueTime`.
    public func debounce<Context: Scheduler>(
        for dueTime: Context.SchedulerTimeType.Stride, scheduler: Context, options: Context.SchedulerOptions? = nil
    ) -> Publishers.Scheduled<Self, Context> {
        .init(upstream: self, context: scheduler, options: options, way: .last(quiet: dueTime))
    }

    /// One value in each `interval`: its latest, or its first.
    public func throttle<Context: Scheduler>(
        for interval: Context.SchedulerTimeType.Stride, scheduler: Context, latest: Bool
    ) -> Publishers.Scheduled<Self, Context> {
        .init(upstream: self, context: scheduler, options: nil, way: .one(each: interval, isLatest: latest))
    }
}
