public import BelfryEventLoop
public import BelfrySyscalls
public import BelfryTerms
import CBelfrySystemd

/// Why a call over the bus got no answer.
public struct BusFailure: Error, Hashable, Sendable {
    /// The error's name, such as `org.freedesktop.DBus.Error.ServiceUnknown`.
    public let name: String
    /// What it means, for people.
    public let text: String

    /// A failure.
    public init(name: String, text: String) {
        self.name = name
        self.text = text
    }
}

/// A connection to the user's session bus, or to the machine's system bus, on a loop of ours (sd-bus,
/// `sd_bus_attach_event`).
///
/// Nothing here waits: a call's answer comes from the loop, as late as it likes. A connection that is lost stays so.
@safe
public final class SessionBus {
    private let loop: Loop
    private let bus: OpaquePointer

    /// Gets every signal and method call that comes, and returns whether it was for us.
    public var onMessage: (BusMessage) -> Bool = { _ in false }
    /// Called once when the connection is lost.
    public var onLost: () -> Void = {}

    /// Connects to the bus that `DBUS_SESSION_BUS_ADDRESS` names, else to `$XDG_RUNTIME_DIR/bus` (`sd_bus_open_user`).
    /// Fails if no bus listens there; a bus that listens but does not answer is noticed later.
    ///
    /// - Parameter isSystem: whether it is the machine's instead, which `DBUS_SYSTEM_BUS_ADDRESS` names, or
    ///   /run/dbus/system_bus_socket (`sd_bus_open_system`).
    public init(on loop: Loop, isSystem: Bool = false) throws(SystemError) {
        let calls = try BusLibrary.opened.get().calls
        var opened: OpaquePointer?
        let result = unsafe isSystem ? calls.open_system(&opened) : calls.open_user(&opened)
        guard result >= 0, let opened = unsafe opened else {
            throw SystemError(negated: result, call: isSystem ? "sd_bus_open_system" : "sd_bus_open_user")
        }
        self.loop = loop
        unsafe bus = opened
        do throws(SystemError) {
            try unsafe loop.attach("sd_bus_attach_event") { unsafe calls.attach_event(opened, $0, 0) }
            try addFilter()
        } catch {
            close()
            throw error
        }
    }

    deinit {
        close()
        _ = unsafe sdBus.unref(bus)
    }

    /// Ends the connection: nothing comes over it any more. Closing twice does nothing.
    public func close() {
        _ = unsafe sdBus.detach_event(bus)
        unsafe sdBus.close(bus)
    }

    /// Calls a method, and then `done` with what it answers, in a later iteration; without a limit of time if `within`
    /// is nil.
    ///
    /// - Parameter starts: whether the bus may start the service with that name.
    public func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ values: [BusValue] = [],
        starts: Bool = false, within: TimeSpan? = nil,
        done: @escaping (Result<[BusValue], BusFailure>) -> Void = { _ in }
    ) {
        do throws(SystemError) {
            var made: OpaquePointer?
            try checked(
                unsafe sdBus.message_new_method_call(bus, &made, destination, path, interface, member),
                "sd_bus_message_new_method_call")
            guard let made = unsafe made else { return }
            let message = unsafe MessageReference(owning: made)
            try checked(unsafe sdBus.message_set_auto_start(made, starts ? 1 : 0), "sd_bus_message_set_auto_start")
            try message.append(values)
            var slot: OpaquePointer?
            let box = unsafe Unmanaged.passRetained(ReplyBox(done)).toOpaque()
            let microseconds = within.map { UInt64(max(1, $0.microseconds)) } ?? .max
            let result = unsafe sdBus.call_async(bus, &slot, made, replied, box, microseconds)
            guard result >= 0, let slot = unsafe slot else {
                unsafe Unmanaged<ReplyBox>.fromOpaque(box).release()
                throw SystemError(negated: result, call: "sd_bus_call_async")
            }
            unsafe float(slot)
        } catch {
            loop.afterThis(description: "bus call") {
                done(.failure(BusFailure(name: "org.freedesktop.DBus.Error.Disconnected", text: "\(error)")))
            }
        }
    }

    /// Calls a method of the bus itself.
    public func callBus(
        _ member: String, _ values: [BusValue], done: @escaping (Result<[BusValue], BusFailure>) -> Void = { _ in }
    ) {
        let name = "org.freedesktop.DBus"
        call(name, "/org/freedesktop/DBus", name, member, values, done: done)
    }

    /// Sends a signal to all listeners.
    public func emit(_ path: String, _ interface: String, _ member: String, _ values: [BusValue]) {
        var made: OpaquePointer?
        guard unsafe sdBus.message_new_signal(bus, &made, path, interface, member) >= 0, let made = unsafe made else {
            return
        }
        let message = unsafe MessageReference(owning: made)
        guard (try? message.append(values)) != nil else { return }
        _ = unsafe sdBus.send(bus, made, nil)
    }

    private func addFilter() throws(SystemError) {
        var slot: OpaquePointer?
        // Unowned by sd-bus: the filter goes with the connection, which this object owns.
        let result = unsafe sdBus.add_filter(bus, &slot, filtered, Unmanaged.passUnretained(self).toOpaque())
        guard result >= 0, let slot = unsafe slot else { throw SystemError(negated: result, call: "sd_bus_add_filter") }
        _ = unsafe sdBus.slot_set_floating(slot, 1)
        _ = unsafe sdBus.slot_unref(slot)
    }

    /// Has the connection own `slot`, whose box is released with it.
    private func float(_ slot: OpaquePointer) {
        _ = unsafe sdBus.slot_set_destroy_callback(slot, replyDestroyed)
        _ = unsafe sdBus.slot_set_floating(slot, 1)
        _ = unsafe sdBus.slot_unref(slot)
    }

    private func checked(_ result: Int32, _ call: String) throws(SystemError) {
        guard result >= 0 else { throw SystemError(negated: result, call: call) }
    }

    fileprivate func take(_ message: OpaquePointer) -> Bool {
        let message = BusMessage(unsafe MessageReference(sharing: message))
        guard message.interface == "org.freedesktop.DBus.Local", message.member == "Disconnected" else {
            return onMessage(message)
        }
        // Later, since `lost` may release this connection, which is in the middle of a callback.
        let lost = onLost
        loop.afterThis(description: "bus lost") { lost() }
        return false
    }
}

/// The closure that waits for a reply.
private final class ReplyBox {
    let done: (Result<[BusValue], BusFailure>) -> Void

    init(_ done: @escaping (Result<[BusValue], BusFailure>) -> Void) { self.done = done }
}

private func filtered(
    _ message: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<csystemd_bus_error>?
) -> Int32 {
    guard let message = unsafe message, let userdata = unsafe userdata else { return 0 }
    let bus = unsafe Unmanaged<SessionBus>.fromOpaque(userdata).takeUnretainedValue()
    return unsafe bus.take(message) ? 1 : 0
}

private func replied(
    _ message: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<csystemd_bus_error>?
) -> Int32 {
    guard let message = unsafe message, let userdata = unsafe userdata else { return 0 }
    let box = unsafe Unmanaged<ReplyBox>.fromOpaque(userdata).takeUnretainedValue()
    if let failure = unsafe sdBus.message_get_error(message), let name = unsafe failure.pointee.name {
        let text = unsafe failure.pointee.message.map { unsafe String(cString: $0) } ?? ""
        box.done(.failure(BusFailure(name: unsafe String(cString: name), text: text)))
    } else {
        box.done(.success(unsafe MessageReference(sharing: message).values()))
    }
    return 1
}

private func replyDestroyed(_ userdata: UnsafeMutableRawPointer?) {
    guard let userdata = unsafe userdata else { return }
    unsafe Unmanaged<ReplyBox>.fromOpaque(userdata).release()
}
