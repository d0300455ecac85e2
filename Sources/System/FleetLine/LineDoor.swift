import BelfrySyscalls
import CBelfryNATS
import Fleet
import Glibc

/// What one connection of libnats shares with its line: an epoll of its own, which the loop waits for by its
/// descriptor.
///
/// libnats wants to read and to write from its own threads too. On an epoll that is one call, which no thread need be
/// woken for.
@safe
final class LineDoor: @unchecked Sendable {
    // Unchecked: libnats guards what changes by its own lock of the connection.

    /// The epoll: readable when the connection is to be heeded.
    let poll: OwnedDescriptor
    /// What came; the epoll waits for it too.
    let inbox: LineInbox
    let pointer: UnsafeMutablePointer<cnats_door>

    init(of library: LineLibrary, to broker: BrokerAddress, credential: LineCredential) throws(SystemError) {
        poll = OwnedDescriptor(owning: try checked("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) })
        inbox = try LineInbox()
        let (poll, events) = (poll.number, inbox.descriptor)
        try checked("epoll_ctl") { cnats_wait_for_messages(poll, events) }
        guard let made = unsafe library.makeDoor(poll: poll, host: broker.host, credential: credential) else {
            throw SystemError(errno: ENOMEM, call: "calloc")
        }
        unsafe pointer = unsafe made
    }

    deinit { unsafe cnats_door_free(pointer) }

    /// Connecting has to be over after so many milliseconds.
    func limit(toMilliseconds milliseconds: Int64) {
        unsafe pointer.pointee.deadline = cnats_milliseconds() + milliseconds
    }

    /// The key is no longer needed.
    func forgetKey() { unsafe cnats_door_forget_key(pointer) }

    /// Whether another try would be signed where this one could not be; begins that.
    func takeUnlucky() -> Bool {
        defer { unsafe pointer.pointee.is_unlucky = 0 }
        return unsafe pointer.pointee.is_unlucky != 0
    }

    /// Whether the broker's end of TLS is gone, or took too long.
    var isEnded: Bool { unsafe pointer.pointee.is_ended != 0 }
    /// Whether what came by TLS was broken.
    var isBroken: Bool { unsafe pointer.pointee.is_broken != 0 }
    /// The connection's socket while it is attached.
    var socket: Int32 { unsafe pointer.pointee.socket }
    /// What the socket is ready for, in epoll's bits.
    var ready: UInt32 { unsafe cnats_ready(pointer) }
}
