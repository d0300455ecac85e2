public import BootTime
internal import CSystemd
public import Syscalls

/// One thread's event loop, over sd-event: timers, descriptors, signals, processes, directories, and what other threads
/// post.
///
/// It belongs to the thread that made it. Everything but a ``LoopPoster`` and an ``Inbox`` must be used there and traps
/// elsewhere. Call backs run one after another, each to its end; whatever they ask for happens in a later iteration.
@safe
public final class Loop: TimerSource {
    let event: OpaquePointer
    let thread = LoopThread()
    /// Gives other threads a way to have something done on this one.
    public let poster: LoopPoster
    private let timers: LoopTimers
    let deferred = DeferredActions()
    var directories: [ObjectIdentifier: DirectorySource] = [:]
    var directorySignal: LoopSource?
    private var isStopRequested = false
    private var isRunning = false

    /// Makes a loop for the calling thread. Fails where descriptors or memory have run out.
    public init() throws(SystemError) {
        poster = try LoopPoster()
        timers = LoopTimers(thread: thread)
        var made: OpaquePointer?
        let result = unsafe sd_event_new(&made)
        guard result >= 0, let made = unsafe made else {
            throw SystemError(negated: result, call: "sd_event_new")
        }
        unsafe event = made
        do throws(SystemError) {
            try unsafe timers.attach(to: made)
            try unsafe poster.attach(to: made, thread: thread)
        } catch {
            unsafe sd_event_unref(made)
            throw error
        }
    }

    deinit {
        poster.close()
        // The sources float: they end with the loop, and release what they hold.
        unsafe sd_event_unref(event)
    }

    /// The current instant of CLOCK_BOOTTIME, not the start of this iteration.
    public var now: Instant { Instant(microseconds: bootTimeMicroseconds()) }

    /// Traps unless the caller is on the loop's thread.
    public func assertOnLoop(_ function: StaticString = #function) { thread.assertCurrent(function) }

    /// Whether the caller is on the loop's thread.
    public var isOnLoop: Bool { thread.isCurrent }

    /// Calls back what happens, until ``stop()``. It can be run again afterwards.
    public func run() {
        enter()
        defer { isRunning = false }
        while !isStopRequested { _ = runOnce(timeout: .max) }
        isStopRequested = false
    }

    /// Makes ``run()`` return after the call back that is being made now; before ``run()``, it returns at once.
    public func stop() {
        thread.assertCurrent()
        isStopRequested = true
    }

    /// Calls back all that is due or ready now, and what follows from it, without waiting: the loop driven by hand, for
    /// tests.
    ///
    /// Traps after ``idleIterationsMax`` iterations, since something then never comes to rest.
    public func runUntilIdle() {
        enter()
        defer { isRunning = false }
        for _ in 0..<Loop.idleIterationsMax where !runOnce(timeout: 0) { return }
        preconditionFailure("the loop did not come to rest in \(Loop.idleIterationsMax) iterations")
    }

    /// How many iterations ``runUntilIdle()`` makes at most.
    public static let idleIterationsMax = 1_000_000

    /// Calls `action` once at `instant` (1 µs accuracy), never before, and in a later iteration if that is past.
    public func schedule(
        at instant: Instant,
        description: String,
        _ action: @escaping () -> Void
    ) -> any ScheduledTimer {
        thread.assertCurrent()
        return timers.schedule(at: instant, description: description, action)
    }

    /// Calls `action` once in the next iteration, after what was deferred before it.
    @discardableResult
    public func afterThis(description: String, _ action: @escaping () -> Void) -> any ScheduledTimer {
        thread.assertCurrent()
        return unsafe deferred.add(on: event, thread: thread, description: description, action)
    }

    /// Calls `action` whenever `descriptor` is ready for one of `events`, or hung up, or failed, until it is cancelled.
    ///
    /// A regular file, a directory and `/dev/null` never need waiting for: the kernel refuses them with EPERM.
    public func watch(
        descriptor: Int32,
        events: Readiness,
        description: String,
        _ action: @escaping (Readiness) -> Void
    ) throws(SystemError) -> DescriptorSource {
        try unsafe DescriptorSource(
            on: event,
            thread: thread,
            descriptor: descriptor,
            events: events,
            description: description,
            action: action
        )
    }

    private func enter() {
        thread.assertCurrent()
        precondition(!isRunning, "the loop runs already: a call back must not run it")
        isRunning = true
    }

    /// One iteration: dispatches one source at most. False if there was nothing to do.
    private func runOnce(timeout: UInt64) -> Bool {
        let result = unsafe sd_event_run(event, timeout)
        must(result, "sd_event_run")
        return result > 0
    }
}
