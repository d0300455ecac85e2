import BelfrySyscalls
import CBelfrySystemd

/// Something a loop listens to, until it is cancelled or the loop ends.
///
/// The loop keeps it alive: dropping the handle does not end it.
@safe
public class LoopSource {
    /// Its name in traces.
    public let description: String
    let thread: LoopThread
    private var pointer: OpaquePointer?

    init(description: String, thread: LoopThread) {
        self.description = description
        self.thread = thread
    }

    /// Whether it may still call back.
    public var isActive: Bool { unsafe pointer != nil }

    /// Ends it: it never calls back again, not even if it is due already. What it holds is released now, or as soon as
    /// its own call back returns. Cancelling twice does nothing.
    public final func cancel() {
        thread.assertCurrent()
        // A source that is not attached to its loop yet holds its call back too.
        guard let ending = unsafe pointer else { return cancelled() }
        unsafe pointer = nil
        cancelled()
        // The loop holds the one reference (a floating source): sinking it drops that reference, which ends the source.
        unsafe trapUnlessOK(
            systemd.event_source_set_enabled(ending, Enablement.off.rawValue), "sd_event_source_set_enabled")
        unsafe trapUnlessOK(systemd.event_source_set_floating(ending, 0), "sd_event_source_set_floating")
    }

    /// Lets go of what the call back holds, if it still does.
    func cancelled() {}

    /// Makes it call back always, once, or not at all; does nothing once it is cancelled.
    func enable(_ enablement: Enablement) {
        unsafe withSource("sd_event_source_set_enabled") {
            unsafe systemd.event_source_set_enabled($0, enablement.rawValue)
        }
    }

    /// Calls `body` with the sd-event source; does nothing once it is cancelled.
    func withSource(_ call: StaticString, _ body: (OpaquePointer) -> Int32) {
        thread.assertCurrent()
        guard let source = unsafe pointer else { return }
        unsafe trapUnlessOK(body(source), call)
    }

    /// Makes the sd-event source that calls this object back, which then lives as long as that source.
    func attach(
        _ call: StaticString,
        _ add: (_ source: inout OpaquePointer?, _ userdata: UnsafeMutableRawPointer) -> Int32
    ) throws(SystemError) {
        thread.assertCurrent()
        var source: OpaquePointer?
        let retained = unsafe Unmanaged.passRetained(self)
        let result = unsafe add(&source, retained.toOpaque())
        guard result >= 0, let source = unsafe source else {
            unsafe retained.release()
            throw SystemError(negated: result, call: call.description, subject: description)
        }
        unsafe trapUnlessOK(
            systemd.event_source_set_destroy_callback(source, destroyed), "sd_event_source_set_destroy_callback")
        unsafe trapUnlessOK(
            systemd.event_source_set_description(source, description), "sd_event_source_set_description")
        unsafe trapUnlessOK(systemd.event_source_set_floating(source, 1), "sd_event_source_set_floating")
        _ = unsafe systemd.event_source_unref(source)
        unsafe pointer = source
    }

    fileprivate func destroyedByLoop() {
        unsafe pointer = nil
        cancelled()
    }
}

/// How often a source calls back, in sd-event's numbers.
enum Enablement: Int32 {
    case off = 0
    case always = 1
    case once = -1
}

/// Releases the Swift object exactly when its source dies, be it inside its own call back.
private func destroyed(_ userdata: UnsafeMutableRawPointer?) {
    guard let userdata = unsafe userdata else { return }
    unsafe Unmanaged<LoopSource>.fromOpaque(userdata).takeRetainedValue().destroyedByLoop()
}

/// The source behind `userdata`, which sd-event hands to its call back.
func loopSource<Source: LoopSource>(_ userdata: UnsafeMutableRawPointer?, as type: Source.Type) -> Source {
    guard let userdata = unsafe userdata else { preconditionFailure("a call back without its \(type)") }
    return unsafe Unmanaged<Source>.fromOpaque(userdata).takeUnretainedValue()
}

/// Traps if `result` is a failure: sd-event refuses such a call only through a defect of ours, or for want of memory.
func trapUnlessOK(_ result: Int32, _ call: StaticString) {
    precondition(result >= 0, "\(SystemError(negated: result, call: call.description))")
}

/// A descriptor a loop watches. It must be cancelled before its descriptor is closed: left on a closed connection it
/// spins.
@safe
public final class DescriptorSource: LoopSource {
    private var action: ((Readiness) -> Void)?

    init(
        on event: OpaquePointer,
        thread: LoopThread,
        descriptor: Int32,
        events: Readiness,
        description: String,
        action: @escaping (Readiness) -> Void
    ) throws(SystemError) {
        self.action = action
        super.init(description: description, thread: thread)
        try unsafe attach("sd_event_add_io") { source, userdata in
            unsafe systemd.event_add_io(event, &source, descriptor, events.rawValue, descriptorReady, userdata)
        }
    }

    /// Watches for `events` from now on. Hangup and error call back even for an empty set, again
    /// and again for as long as they last.
    public func setEvents(_ events: Readiness) {
        unsafe withSource("sd_event_source_set_io_events") {
            unsafe systemd.event_source_set_io_events($0, events.rawValue)
        }
    }

    override func cancelled() { action = nil }

    fileprivate func fire(_ readiness: Readiness) { action?(readiness) }
}

private func descriptorReady(
    _ source: OpaquePointer?,
    _ descriptor: Int32,
    _ events: UInt32,
    _ userdata: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe loopSource(userdata, as: DescriptorSource.self).fire(Readiness(rawValue: events))
    // A negative return would disable the source without a word.
    return 0
}

/// What a descriptor is ready for.
public struct Readiness: OptionSet, Sendable {
    /// The bits of epoll(7).
    public let rawValue: UInt32

    /// A set of epoll bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Something can be read, be it the end of the input.
    public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    /// Something can be written.
    public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The peer has closed, at least for writing to us; asked for or not, a full close always calls back.
    public static let hangup = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLRDHUP.rawValue)
    /// It failed; always calls back.
    public static let error = Readiness(rawValue: EPOLLERR.rawValue)
}
