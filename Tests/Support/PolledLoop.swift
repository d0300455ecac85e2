public import BelfryEventLoop
public import BelfrySyscalls
public import BelfryTerms
import Glibc

/// A loop whose time is moved by hand, while its descriptors are real: what waits for both is tested to the millisecond
/// and never waits itself. Directories and processes it does not watch.
public final class PolledLoop: EventLoop {
    private let timers: HandLoop
    private var watches: [Watch] = []
    private var isStopped = false

    /// A loop that stands at `start`.
    public init(at start: Instant = HandLoop().now) { timers = HandLoop(at: start) }

    /// A descriptor that is watched.
    public final class Watch: LoopWatch {
        fileprivate let descriptor: Int32
        fileprivate let events: Readiness
        fileprivate var action: ((Readiness) -> Void)?

        fileprivate init(_ descriptor: Int32, _ events: Readiness, _ action: @escaping (Readiness) -> Void) {
            self.descriptor = descriptor
            self.events = events
            self.action = action
        }

        /// Ends it.
        public func cancel() { action = nil }

        fileprivate var ready: Readiness? {
            var poll = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events.rawValue), revents: 0)
            guard unsafe Glibc.poll(&poll, 1, 0) == 1 else { return nil }
            return Readiness(rawValue: UInt32(UInt16(bitPattern: poll.revents)))
        }
    }

    /// The instant it stands at.
    public var now: Instant { timers.now }

    /// What is yet to fire, the next one first.
    public var pending: [String] { timers.pending }

    /// How many descriptors it watches.
    public var watchedCount: Int { watches.count { $0.action != nil } }

    /// Keeps `action` for when time has moved to `instant`.
    public func schedule(
        at instant: Instant, description: String, _ action: @escaping () -> Void
    ) -> any ScheduledTimer {
        timers.schedule(at: instant, description: description, action)
    }

    /// Keeps `action` for the next time that anything is moved.
    @discardableResult
    public func afterThis(description: String, _ action: @escaping () -> Void) -> any ScheduledTimer {
        timers.schedule(at: now, description: description, action)
    }

    /// Calls `action` whenever anything is moved and `descriptor` is ready then.
    public func watch(
        descriptor: Int32, events: Readiness, description: String, _ action: @escaping (Readiness) -> Void
    ) throws(SystemError) -> Watch {
        let watch = Watch(descriptor, events, action)
        watches.append(watch)
        return watch
    }

    /// Always fails.
    public func watchDirectory(
        _ directory: Int32, description: String, _ action: @escaping () -> Void
    ) throws(SystemError) -> Watch {
        throw SystemError(errno: ENOSYS, call: "watchDirectory")
    }

    /// Always fails.
    @discardableResult
    public func onDeath(
        of process: ProcessIdentity, description: String, _ action: @escaping () -> Void
    ) throws(SystemError) -> Watch {
        throw SystemError(errno: ENOSYS, call: "onDeath")
    }

    /// Does what is due and heeds what is ready, until there is no more of either. Traps where that has no end.
    public func settle() {
        var heededCount = 0
        repeat {
            timers.runUntilIdle()
            heededCount += 1
            precondition(heededCount <= Self.heededMax, "a descriptor is ready without end")
        } while heedOne()
        watches.removeAll { $0.action == nil }
    }

    private func heedOne() -> Bool {
        for watch in watches {
            guard let action = watch.action, let ready = watch.ready else { continue }
            action(ready)
            return true
        }
        return false
    }

    /// Moves on by `span`, one timer after another, and settles after each.
    public func advance(by span: TimeSpan) {
        let end = now + span
        settle()
        while let due = timers.earliest, due <= end {
            timers.advance(to: max(due, now))
            settle()
        }
        timers.advance(to: end)
    }

    /// Moves on, as far as it takes, until ``stop()``.
    public func run() {
        settle()
        while !isStopped {
            guard let due = timers.earliest else { preconditionFailure("nothing will ever stop the loop") }
            timers.advance(to: max(due, now))
            settle()
        }
        isStopped = false
    }

    /// Makes ``run()`` return; before it, at once.
    public func stop() { isStopped = true }

    /// How many times descriptors are heeded at one instant at most.
    private static let heededMax = 100_000
}
