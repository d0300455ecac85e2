import BelfrySyscalls
import CBelfryNATS
import Glibc

/// A connection of libnats. Whoever has it is alone with it: it is read, written and closed by one thread at a time,
/// and closed when it is let go.
///
/// libnats reads without its lock. All that closes a connection is therefore done where it is read: libnats calls
/// nobody back about it, which would be from its threads at any time, and the state is looked at instead.
@safe
final class LineConnection: @unchecked Sendable {
    // Unchecked: it is handed from the thread that made it to the loop's, once.

    private let pointer: OpaquePointer
    private let door: LineDoor
    private var subscriptions: [OpaquePointer] = unsafe []

    /// Takes the connection `pointer`, which is attached to `door`.
    init(_ pointer: OpaquePointer, door: LineDoor) {
        unsafe self.pointer = pointer
        self.door = door
    }

    deinit {
        door.inbox.close()
        // Destroying one that has something to send waits half a second for the broker. What the kernel takes at once
        // is sent, and of the rest nothing.
        if unsafe natsConnection_Buffered(pointer) > 0 {
            unsafe natsConnection_ProcessWriteEvent(pointer)
            if unsafe natsConnection_Buffered(pointer) > 0, door.socket >= 0 {
                shutdown(door.socket, Int32(SHUT_RDWR))
                unsafe natsConnection_ProcessWriteEvent(pointer)
            }
        }
        // Before its subscriptions, each of which would tell the broker that it ends.
        unsafe natsConnection_Close(pointer)
        unsafe subscriptions.forEach { unsafe natsSubscription_Destroy($0) }
        // From here on libnats' threads call nothing but the inbox, which they keep as long.
        unsafe natsConnection_Destroy(pointer)
    }

    /// Readable when ``heed()`` has something to do.
    var descriptor: Int32 { door.poll.number }

    /// The broker's identity, which is another one each time that it starts.
    var serverID: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { room in
            guard let start = room.baseAddress,
                unsafe natsConnection_GetConnectedServerId(pointer, start, room.count) == NATS_OK
            else { return "" }
            return unsafe String(cString: start)
        }
    }

    /// Whether it is closed, for good.
    var isClosed: Bool { unsafe (door.isBroken || natsConnection_IsClosed(pointer)) }

    /// Reads and writes what can be, without waiting. True if something was read.
    func heed() -> Bool {
        let ready = door.ready
        let isReadable = ready & ~EPOLLOUT.rawValue != 0
        if isReadable { unsafe natsConnection_ProcessReadEvent(pointer) }
        if ready & EPOLLOUT.rawValue != 0 { unsafe natsConnection_ProcessWriteEvent(pointer) }
        return isReadable
    }

    /// How many bytes wait to be sent.
    var waitingBytes: Int { Int(max(0, unsafe natsConnection_Buffered(pointer))) }

    /// What is wrong with it, and libnats' words for that.
    var lastError: (status: natsStatus, text: String) {
        var text: UnsafePointer<CChar>?
        let status = unsafe natsConnection_GetLastError(pointer, &text)
        return unsafe (status, text.map { unsafe String(cString: $0) } ?? "")
    }

    /// Listens to `subject`; false if it cannot.
    func subscribe(_ subject: String) -> Bool {
        guard let subscription = unsafe door.inbox.subscribe(pointer, to: subject) else { return false }
        unsafe subscriptions.append(subscription)
        return true
    }

    /// Sends `bytes` to `subject`; false if it cannot.
    func publish(_ subject: String, reply: String?, headers: [(name: String, value: String)], _ bytes: [UInt8]) -> Bool
    {
        guard let count = Int32(exactly: bytes.count) else { return false }
        var message: OpaquePointer?
        let made = unsafe bytes.withUnsafeBytes { bytes in
            unsafe natsMsg_Create(
                &message, subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count)
        }
        guard made == NATS_OK, let message = unsafe message else { return false }
        defer { unsafe natsMsg_Destroy(message) }
        for header in headers {
            guard unsafe natsMsgHeader_Set(message, header.name, header.value) == NATS_OK else { return false }
        }
        return unsafe natsConnection_PublishMsg(pointer, message) == NATS_OK
    }

    /// The messages that came.
    func takeMessages() -> [ArrivedMessage] { door.inbox.takeAll() }
}
