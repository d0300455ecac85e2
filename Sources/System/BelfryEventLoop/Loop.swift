public import BelfrySyscalls
public import BelfryTerms
import CBelfrySystemd
import Glibc

/// One thread's event loop, over sd-event: timers, descriptors, signals, processes, directories, and what other threads
/// post.
///
/// It belongs to the thread that made it. Everything but a ``LoopPoster`` must be used there and traps elsewhere. Call
/// backs run one after another, each to its end; anything they ask for happens in a later iteration.
@safe
public final class Loop: TimerSource {
    /// The sd-event loop, once there is one.
    private var event: OpaquePointer?
    /// The signals that it is going to listen to.
    var signalsToCome: [SignalSource] = []
    let thread = LoopThread()
    /// Gives other threads a way to have something done on this one.
    public let poster: LoopPoster
    private let timers: LoopTimers
    private let deferred: DeferredActions
    private let queued: QueuedActions
    let directories = WatchedDirectories()
    private var isStopRequested = false
    private var isRunning = false

    /// Makes a loop for the calling thread. Fails if descriptors, memory or libsystemd are missing.
    ///
    /// With `preparesLater`, most of these failures show only in ``prepare()``. Until then the loop keeps timers,
    /// deferred actions, signals and posted actions; watching a descriptor prepares it.
    public init(preparesLater: Bool = false) throws(SystemError) {
        poster = try LoopPoster()
        timers = LoopTimers(thread: thread)
        deferred = DeferredActions(thread: thread)
        queued = QueuedActions(thread: thread)
        if !preparesLater { try prepare() }
    }

    deinit {
        poster.close()
        // The sources float: they end with the loop, and release what they hold.
        if let event = unsafe event { _ = unsafe systemd.event_unref(event) }
    }

    /// Makes the loop ready to wait, which opens libsystemd and takes most of a millisecond; does nothing if it is.
    ///
    /// For a program that can do its work without waiting, and has to be quick. A loop that cannot be made ready is of
    /// no further use.
    public func prepare() throws(SystemError) {
        _ = try unsafe prepared()
    }

    /// The sd-event loop, made if it has to be.
    func prepared() throws(SystemError) -> OpaquePointer {
        thread.assertCurrent()
        if let event = unsafe event { return unsafe event }
        let calls = try SystemdLibrary.opened.get().calls
        var made: OpaquePointer?
        let result = unsafe calls.event_new(&made)
        guard result >= 0, let made = unsafe made else {
            throw SystemError(negated: result, call: "sd_event_new")
        }
        do throws(SystemError) {
            try unsafe timers.attach(to: made)
            try unsafe deferred.attach(to: made)
            unsafe queued.attach(to: made)
            try unsafe poster.attach(to: made, thread: thread)
            for signal in signalsToCome where signal.isActive { try unsafe signal.attach(to: made) }
        } catch {
            _ = unsafe calls.event_unref(made)
            throw error
        }
        signalsToCome = []
        unsafe event = made
        return unsafe made
    }

    /// Whether there is an sd-event loop to listen.
    var isPrepared: Bool { unsafe event != nil }

    /// The current instant of CLOCK_BOOTTIME, not the start of this iteration.
    public var now: Instant { Instant(microseconds: bootTimeMicroseconds()) }

    /// Traps unless the caller is on the loop's thread.
    public func assertOnLoop(_ function: StaticString = #function) { thread.assertCurrent(function) }

    /// Whether the caller is on the loop's thread.
    public var isOnLoop: Bool { thread.isCurrent }

    /// Dispatches events until ``stop()``. It can be run again afterwards.
    ///
    /// A loop that was to be prepared later is prepared by then, or stopped already.
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

    /// Calls `action` once in the next iteration, after the actions that were deferred before it.
    @discardableResult
    public func afterThis(description: String, _ action: @escaping () -> Void) -> any ScheduledTimer {
        thread.assertCurrent()
        return deferred.add(description: description, action)
    }

    /// Calls `action` once after the call backs of all sources that are ready now, and after the actions that were
    /// queued before.
    ///
    /// Sources that become ready later come later, so that one that is always ready cannot hold the action up.
    @discardableResult
    public func afterReady(description: String, _ action: @escaping () -> Void) -> any ScheduledTimer {
        thread.assertCurrent()
        return queued.add(description: description, action, deferred: deferred)
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
            on: prepared(),
            thread: thread,
            descriptor: descriptor,
            events: events,
            description: description,
            action: action
        )
    }

    /// Calls `body` with the sd-event loop, for another part of libsystemd that attaches itself to it, such as sd-bus.
    /// Errors name the operation `call`.
    public func attach(_ call: String, _ body: (OpaquePointer) -> Int32) throws(SystemError) {
        let result = try unsafe body(prepared())
        guard result >= 0 else { throw SystemError(negated: result, call: call) }
    }

    private func enter() {
        thread.assertCurrent()
        precondition(!isRunning, "the loop runs already: a call back must not run it")
        isRunning = true
    }

    /// One iteration: dispatches one source at most. False if there was nothing to do.
    private func runOnce(timeout: UInt64) -> Bool {
        guard let event = unsafe event else { preconditionFailure("a loop that runs before it is prepared") }
        let result = unsafe systemd.event_run(event, timeout)
        trapUnlessOK(result, "sd_event_run")
        return result > 0
    }
}

/// The thread a loop belongs to: the one that made it.
package struct LoopThread: Sendable {
    private let identity = pthread_self()

    /// The calling thread.
    package init() {}

    /// Whether the caller runs on it.
    package var isCurrent: Bool { pthread_equal(identity, pthread_self()) != 0 }

    /// Traps off the loop's thread: sd-event has no lock, so going on would corrupt memory.
    func assertCurrent(_ function: StaticString = #function) {
        precondition(isCurrent, "\(function) called off the loop's own thread")
    }
}
