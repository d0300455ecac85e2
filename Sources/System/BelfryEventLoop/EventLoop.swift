public import BelfrySyscalls

/// What a driver needs of a loop: time, actions for later, and notice of outside events.
///
/// The real one is ``Loop``, over sd-event; a simulation plays another one, over a machine that it plays.
public protocol EventLoop: TimerSource {
    /// What ``watch(descriptor:events:description:_:)`` answers.
    associatedtype DescriptorWatch: LoopWatch
    /// What ``watchDirectory(_:description:_:)`` answers.
    associatedtype DirectoryWatch: LoopWatch
    /// What ``onDeath(of:description:_:)`` answers.
    associatedtype ProcessWatch: LoopWatch

    /// Calls `action` once in the next iteration, after the actions that were deferred before it.
    @discardableResult
    func afterThis(description: String, _ action: @escaping () -> Void) -> any ScheduledTimer

    /// Calls `action` once after the call backs of everything that is ready now, however many iterations they take: for
    /// work that is cheaper when done once for many of them.
    @discardableResult
    func afterReady(description: String, _ action: @escaping () -> Void) -> any ScheduledTimer

    /// Calls `action` whenever `descriptor` is ready for one of `events`, or hung up, or failed.
    func watch(
        descriptor: Int32, events: Readiness, description: String, _ action: @escaping (Readiness) -> Void
    ) throws(SystemError) -> DescriptorWatch

    /// Calls `action` after something in `directory` was made, written, renamed or removed.
    func watchDirectory(
        _ directory: Int32, description: String, _ action: @escaping () -> Void
    ) throws(SystemError) -> DirectoryWatch

    /// Calls `action` once when `process`, which may be anybody's, has ended; in the next iteration if it has already.
    @discardableResult
    func onDeath(
        of process: ProcessIdentity, description: String, _ action: @escaping () -> Void
    ) throws(SystemError) -> ProcessWatch

    /// Dispatches events until ``stop()``.
    func run()

    /// Makes ``run()`` return after the call back that is being made now; before ``run()``, it returns at once.
    func stop()
}

extension EventLoop {
    /// The same as ``afterThis(description:_:)``, on a loop that calls back all that is ready in one iteration.
    @discardableResult
    public func afterReady(description: String, _ action: @escaping () -> Void) -> any ScheduledTimer {
        afterThis(description: description, action)
    }
}

/// Something a loop listens to, until it is cancelled.
public protocol LoopWatch: AnyObject {
    /// Ends it: it never calls back again. Cancelling twice does nothing.
    func cancel()
}

extension Loop: EventLoop {}
extension LoopSource: LoopWatch {}
extension DirectorySource: LoopWatch {}
extension ProcessSource: LoopWatch {}
