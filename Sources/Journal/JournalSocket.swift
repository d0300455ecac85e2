internal import Glibc
internal import Syscalls

/// The way to journald: a datagram socket that never blocks.
///
/// It is connected, since only then does poll(2) tell when the journal's own queue has room again.
struct JournalSocket: ~Copyable {
    /// What became of one datagram.
    enum Outcome {
        /// The journal has it.
        case sent
        /// The journal's queue is full; it will be worth trying again.
        case full
        /// There is no journal.
        case absent
        /// The journal takes none of this size.
        case refused
    }

    private let path: String
    private var connected: OwnedDescriptor?

    /// A way to the journal that listens at `path`; nothing is opened yet.
    init(path: String) {
        self.path = path
    }

    /// What to watch for writability after ``Outcome/full``; -1 before the first send.
    var descriptor: Int32 {
        switch connected {
        case .some(let descriptor): descriptor.number
        case .none: -1
        }
    }

    /// Sends one datagram, on a new connection if the journal was restarted since the last.
    mutating func send(_ datagram: [UInt8]) -> Outcome {
        let outcome = sendOnce(datagram)
        guard outcome == .absent else { return outcome }
        connected = nil
        return sendOnce(datagram)
    }

    private mutating func sendOnce(_ datagram: [UInt8]) -> Outcome {
        if connected == nil { connected = Self.connect(to: path) }
        guard descriptor >= 0 else { return .absent }
        let count = unsafe datagram.withUnsafeBytes {
            unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        guard count < 0 else { return .sent }
        switch errno {
        case EAGAIN, ENOBUFS, ENOMEM, EINTR: return .full
        case EMSGSIZE: return .refused
        default: return .absent
        }
    }

    private static func connect(to path: String) -> OwnedDescriptor? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let flags = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let number = socket(AF_UNIX, flags, 0)
        guard number >= 0 else { return nil }
        let descriptor = OwnedDescriptor(owning: number)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { return nil }
        return descriptor
    }
}
