import CBelfryLinux
import Glibc

/// Connects the socket `number` to the Unix socket at `path`.
///
/// - Throws: also if `path` is longer than an address can hold (`ENAMETOOLONG`).
public func connectUnixSocket(_ number: Int32, to path: String) throws(SystemError) {
    var address = try UnixAddress(path)
    try checked("connect", on: path) {
        if let played { return played.connect(number, path) }
        return unsafe address.withPointer { unsafe connect(number, $0, $1) }
    }
}

/// A stream socket, close-on-exec, that is connected to the Unix socket at `path` (`socket`, `connect`).
///
/// - Parameter waits: whether the socket blocks; then connecting waits for room in a full backlog, and does not fail
///   with `EAGAIN`.
public func connectStream(to path: String, waits: Bool) throws(SystemError) -> OwnedDescriptor {
    let socket = try makeStreamSocket(waits: waits)
    try connectUnixSocket(socket.number, to: path)
    return socket
}

/// A stream socket, close-on-exec, blocking if it `waits` (`socket`).
public func makeStreamSocket(waits: Bool) throws(SystemError) -> OwnedDescriptor {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (waits ? 0 : SOCK_NONBLOCK.rawValue))
    return OwnedDescriptor(owning: try checked("socket") { socket(AF_UNIX, kind, 0) })
}

/// A stream socket that listens at `path`, which must be free, for this user alone, and does not block.
public func listenPrivately(at path: String, backlog: Int32) throws(SystemError) -> OwnedDescriptor {
    let listener = try makeStreamSocket(waits: false)
    try bindUnixSocket(listener.number, to: path)
    // Before `listen`, since from then on others could connect.
    try checked("chmod", on: path) { unsafe chmod(path, 0o600) }
    try listen(at: listener.number, backlog: backlog)
    return listener
}

/// Gives the socket `number` the address `path` (`bind`).
///
/// - Throws: also if `path` is longer than an address can hold (`ENAMETOOLONG`).
public func bindUnixSocket(_ number: Int32, to path: String) throws(SystemError) {
    var address = try UnixAddress(path)
    try checked("bind", on: path) {
        if let played { return played.bind(number, path) }
        return unsafe address.withPointer { unsafe bind(number, $0, $1) }
    }
}

/// The address of a Unix socket in the file system.
public struct UnixAddress {
    private var address = sockaddr_un()

    /// The address `path`.
    ///
    /// - Throws: `ENAMETOOLONG` if it is longer than an address can hold.
    public init(_ path: String) throws(SystemError) {
        // The path's end is a zero, which is no part of it.
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemError(errno: ENAMETOOLONG, call: "sockaddr_un", subject: path)
        }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    }

    /// Calls `body` with the address as bind(2) and connect(2) take it.
    fileprivate mutating func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
