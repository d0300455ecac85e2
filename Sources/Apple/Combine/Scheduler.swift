import Dispatch

/// How long until something is done, as schedulers take it. Source: Apple, `SchedulerTimeIntervalConvertible`.
public protocol SchedulerTimeIntervalConvertible {
    /// So many seconds.
    static func seconds(_ seconds: Int) -> Self
    /// So many seconds.
    static func seconds(_ seconds: Double) -> Self
    /// So many thousandths of a second.
    static func milliseconds(_ milliseconds: Int) -> Self
    /// So many millionths of a second.
    static func microseconds(_ microseconds: Int) -> Self
    /// So many thousand-millionths of a second.
    static func nanoseconds(_ nanoseconds: Int) -> Self
}

/// Where, and when, values are passed on. Source: Apple, `Scheduler`.
public protocol Scheduler<SchedulerTimeType> {
    /// A time of it.
    associatedtype SchedulerTimeType: Strideable where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible
    /// What it takes beside.
    associatedtype SchedulerOptions

    /// This time.
    var now: SchedulerTimeType { get }

    /// Calls `action` as soon as it can.
    func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)

    /// Calls `action` at `date`.
    func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void)
}

extension Scheduler {
    /// Calls `action` as soon as it can.
    public func schedule(_ action: @escaping () -> Void) { schedule(options: nil, action) }

    /// Calls `action` at `date`.
    public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
        schedule(after: date, tolerance: .seconds(0), options: nil, action)
    }
}

/// A time of the schedulers that are here: seconds since the system was started.
public struct ScheduledTime: Strideable, Hashable, Sendable {
    let seconds: Double

    static var now: ScheduledTime { ScheduledTime(seconds: Double(DispatchTime.now().uptimeNanoseconds) / 1e9) }

    /// How long it is until `other`.
    public func distance(to other: ScheduledTime) -> Stride { .seconds(other.seconds - seconds) }

    /// The time so much later.
    public func advanced(by stride: Stride) -> ScheduledTime { ScheduledTime(seconds: seconds + stride.timeInterval) }

    /// How long something takes.
    public struct Stride: SignedNumeric, Comparable, Hashable, ExpressibleByFloatLiteral,
        SchedulerTimeIntervalConvertible, Sendable
    {
        /// It in seconds.
        public let timeInterval: Double

        private init(timeInterval: Double) { self.timeInterval = timeInterval }

        /// So many seconds.
        public init(floatLiteral value: Double) { timeInterval = value }
        /// So many seconds.
        public init(integerLiteral value: Int) { timeInterval = Double(value) }
        /// So many seconds; nil for a number that no real is.
        public init?<Source: BinaryInteger>(exactly source: Source) {
            guard let value = Double(exactly: source) else { return nil }
            timeInterval = value
        }

        /// So many seconds.
        public static func seconds(_ seconds: Int) -> Stride { .seconds(Double(seconds)) }
        /// So many seconds.
        public static func seconds(_ seconds: Double) -> Stride { Stride(timeInterval: seconds) }
        /// So many thousandths of a second.
        public static func milliseconds(_ milliseconds: Int) -> Stride { .seconds(Double(milliseconds) / 1e3) }
        /// So many millionths of a second.
        public static func microseconds(_ microseconds: Int) -> Stride { .seconds(Double(microseconds) / 1e6) }
        /// So many thousand-millionths of a second.
        public static func nanoseconds(_ nanoseconds: Int) -> Stride { .seconds(Double(nanoseconds) / 1e9) }

        /// It without its sign, in seconds.
        public var magnitude: Double { timeInterval.magnitude }

        /// Which is shorter.
        public static func < (left: Stride, right: Stride) -> Bool { left.timeInterval < right.timeInterval }
        /// Both together.
        public static func + (left: Stride, right: Stride) -> Stride {
            .seconds(left.timeInterval + right.timeInterval)
        }
        /// What is left of the first.
        public static func - (left: Stride, right: Stride) -> Stride {
            .seconds(left.timeInterval - right.timeInterval)
        }
        /// The product of their seconds.
        public static func * (left: Stride, right: Stride) -> Stride {
            .seconds(left.timeInterval * right.timeInterval)
        }
        /// The product of their seconds.
        public static func *= (left: inout Stride, right: Stride) { left = left * right }
    }
}

extension ScheduledTime {
    /// What the schedulers that are here take beside: nothing.
    public struct Options: Sendable {
        /// None.
        public init() {}
    }
}

extension Scheduler where SchedulerTimeType == ScheduledTime {
    /// This time.
    public var now: ScheduledTime { .now }
}

/// Work that a queue takes although its code makes no promise of threads, as on iOS.
private struct Work: @unchecked Sendable {
    let action: () -> Void
}

extension DispatchQueue: Scheduler {
    /// A time of it.
    public typealias SchedulerTimeType = ScheduledTime
    /// Nothing beside.
    public typealias SchedulerOptions = ScheduledTime.Options

    /// Calls `action` on the queue.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        let work = Work(action: action)
        async { work.action() }
    }

    /// Calls `action` on the queue at `date`.
    public func schedule(
        after date: ScheduledTime, tolerance: ScheduledTime.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        let work = Work(action: action)
        asyncAfter(deadline: .now() + max(0, now.distance(to: date).timeInterval)) { work.action() }
    }
}

extension RunLoop: Scheduler {
    /// A time of it.
    public typealias SchedulerTimeType = ScheduledTime
    /// Nothing beside.
    public typealias SchedulerOptions = ScheduledTime.Options

    /// Calls `action` in the loop, in its default mode.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        schedule(after: now, tolerance: .seconds(0), options: options, action)
    }

    /// Calls `action` in the loop, in its default mode, at `date`.
    public func schedule(
        after date: ScheduledTime, tolerance: ScheduledTime.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        let work = Work(action: action)
        // By a timer, since one wakes the loop also from another thread.
        let fire = Date(timeIntervalSinceNow: max(0, now.distance(to: date).timeInterval))
        add(Timer(fire: fire, interval: 0, repeats: false) { _ in work.action() }, forMode: .default)
    }
}

extension OperationQueue: Scheduler {
    /// A time of it.
    public typealias SchedulerTimeType = ScheduledTime
    /// Nothing beside.
    public typealias SchedulerOptions = ScheduledTime.Options

    /// Calls `action` as an operation.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        let work = Work(action: action)
        addOperation { work.action() }
    }

    /// Calls `action` as an operation at `date`.
    public func schedule(
        after date: ScheduledTime, tolerance: ScheduledTime.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        DispatchQueue.global().schedule(after: date) { self.schedule(action) }
    }
}
