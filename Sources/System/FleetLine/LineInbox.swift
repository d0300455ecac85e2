import BelfrySyscalls
import CBelfryLinux
import CBelfryNATS
import Glibc

/// The messages of one line that libnats has taken apart, between its thread for them and the loop.
///
/// A subscription that is asked for its messages throws away the broker's "no responders", and with it whose question
/// that was; one that calls back keeps it. That thread does no more than put a message here and write an eventfd.
final class LineInbox: Sendable {
    private struct State: Sendable {
        var messages: [ArrivedMessage] = []
        var isClosed = false
    }

    private let state = LockedValue(State())
    private let eventDescriptor: OwnedDescriptor

    init() throws(SystemError) {
        eventDescriptor = OwnedDescriptor(
            owning: try checked("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) })
    }

    /// Readable while there are messages.
    var descriptor: Int32 { eventDescriptor.number }

    /// Puts `message` in, from any thread.
    func put(_ message: ArrivedMessage) {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            state.messages.append(message)
            return state.messages.count == 1
        }
        guard isFirst else { return }
        var one: UInt64 = 1
        let size = unsafe withUnsafeBytes(of: &one) { unsafe write(descriptor, $0.baseAddress, $0.count) }
        precondition(size == 8, "writing an eventfd: errno \(errno)")
    }

    /// Takes out all.
    func takeAll() -> [ArrivedMessage] {
        var count: UInt64 = 0
        _ = unsafe withUnsafeMutableBytes(of: &count) { unsafe read(descriptor, $0.baseAddress, $0.count) }
        return state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Keeps nothing from now on.
    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
        _ = dropped
    }

    /// Subscribes `connection` to `subject`, for this inbox, which lives until libnats' thread is done with the
    /// subscription. Nil if that fails.
    func subscribe(_ connection: OpaquePointer, to subject: String) -> OpaquePointer? {
        let kept = unsafe Unmanaged.passRetained(self)
        var subscription: OpaquePointer?
        // The first one begins the thread, which inherits the mask.
        let status = withSignalsBlocked {
            unsafe natsConnection_Subscribe(&subscription, connection, subject, messageCame, kept.toOpaque())
        }
        guard status == NATS_OK, let subscription = unsafe subscription else {
            unsafe kept.release()
            return nil
        }
        unsafe natsSubscription_SetOnCompleteCB(subscription, subscriptionEnded, kept.toOpaque())
        return unsafe subscription
    }
}

/// A message of libnats, which ends with it.
@safe
final class ArrivedMessage: @unchecked Sendable {
    // Unchecked: one thread at a time has it.

    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe natsMsg_Destroy(pointer) }

    /// What it says.
    func read() -> LineMessage {
        let count = Int(unsafe natsMsg_GetDataLength(pointer))
        let reply = unsafe natsMsg_GetReply(pointer).map { unsafe String(cString: $0) }
        let headers = headers()
        let status = headers["Status"].flatMap { Int($0) }
        let isUnheard = unsafe natsMsg_IsNoResponders(pointer)
        return unsafe LineMessage(
            kind: isUnheard ? .noResponders : status.map { .status($0) } ?? .published,
            subject: String(cString: natsMsg_GetSubject(pointer)), reply: reply?.isEmpty == true ? nil : reply,
            headers: headers, bytes: Array(UnsafeRawBufferPointer(start: natsMsg_GetData(pointer), count: count)))
    }

    private func headers() -> [String: String] {
        var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        var count: Int32 = 0
        guard unsafe natsMsgHeader_Keys(pointer, &names, &count) == NATS_OK, let names = unsafe names else {
            return [:]
        }
        defer { unsafe free(names) }
        var headers: [String: String] = [:]
        for index in 0..<Int(count) {
            var value: UnsafePointer<CChar>?
            guard let name = unsafe names[index], unsafe natsMsgHeader_Get(pointer, name, &value) == NATS_OK else {
                continue
            }
            unsafe headers[String(cString: name)] = unsafe value.map { unsafe String(cString: $0) } ?? ""
        }
        return headers
    }
}

private func messageCame(
    _ connection: OpaquePointer?, _ subscription: OpaquePointer?, _ message: OpaquePointer?,
    _ inbox: UnsafeMutableRawPointer?
) {
    guard let message = unsafe message, let inbox = unsafe inbox else { return }
    unsafe Unmanaged<LineInbox>.fromOpaque(inbox).takeUnretainedValue().put(ArrivedMessage(message))
}

private func subscriptionEnded(_ inbox: UnsafeMutableRawPointer?) {
    guard let inbox = unsafe inbox else { return }
    unsafe Unmanaged<LineInbox>.fromOpaque(inbox).release()
}
