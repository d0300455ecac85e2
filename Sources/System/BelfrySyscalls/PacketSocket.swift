import CBelfryLinux
import Glibc

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
