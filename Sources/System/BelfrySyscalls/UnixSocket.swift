public import Glibc

/// Connects the socket `number` to the Unix socket at `path`.
///
/// - Throws: also if `path` is longer than an address can hold (`ENAMETOOLONG`).
public func connectUnixSocket(_ number: Int32, to path: String) throws(SystemError) {
    var address = try UnixAddress(path)
    try checked("connect", on: path) { unsafe address.withPointer { unsafe connect(number, $0, $1) } }
}

/// A socket of sequenced packets, which never makes anybody wait and is closed in children (`socket`).
public func makePacketSocket() throws(SystemError) -> OwnedDescriptor {
    let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    return OwnedDescriptor(owning: try checked("socket") { socket(AF_UNIX, kind, 0) })
}

/// The next packet that `socket` has received, cut off after `bytesMax` + 1 bytes; empty if its peer has closed it, nil
/// if none has come yet.
///
/// - Throws: `ECONNRESET` if the peer died.
public func receivePacket(from socket: Int32, bytesMax: Int) throws(SystemError) -> [UInt8]? {
    var packet = [UInt8](repeating: 0, count: bytesMax + 1)
    do throws(SystemError) {
        let count = try checked("recv") {
            unsafe packet.withUnsafeMutableBytes { unsafe recv(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
        }
        return Array(packet.prefix(count))
    } catch  where error.errno == EAGAIN {
        return nil
    }
}

/// Sends `packet` at once, or fails.
public func sendPacket(_ packet: [UInt8], to socket: Int32) throws(SystemError) {
    try checked("send") {
        unsafe packet.withUnsafeBytes {
            unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
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
    public mutating func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
