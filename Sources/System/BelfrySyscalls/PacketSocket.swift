import CBelfryLinux
import Glibc

/// A socket of sequenced packets, non-blocking and close-on-exec (`socket`).
public func makePacketSocket() throws(SystemError) -> OwnedDescriptor {
    let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    return OwnedDescriptor(owning: try checked("socket") { played?.socket() ?? socket(AF_UNIX, kind, 0) })
}

/// The next packet that `socket` has received, cut off after `bytesMax` + 1 bytes; empty if its peer has closed it, nil
/// if none has come yet.
///
/// - Throws: `ECONNRESET` if the peer died.
public func receivePacket(from socket: Int32, bytesMax: Int) throws(SystemError) -> [UInt8]? {
    var packet = [UInt8](repeating: 0, count: bytesMax + 1)
    do throws(SystemError) {
        let count = try checked("recv") {
            unsafe packet.withUnsafeMutableBytes { buffer in
                if let played { return unsafe played.recv(socket, buffer) }
                return unsafe recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            }
        }
        return Array(packet.prefix(count))
    } catch  where error.errno == EAGAIN {
        return nil
    }
}

/// Sends `packet` at once, or fails.
public func sendPacket(_ packet: [UInt8], to socket: Int32) throws(SystemError) {
    try checked("send") {
        unsafe packet.withUnsafeBytes { buffer in
            if let played { return unsafe played.send(socket, buffer) }
            return unsafe send(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
    }
}

/// Has `socket` wait for connections, `backlog` of which may wait to be accepted (`listen`).
public func listen(at socket: Int32, backlog: Int32) throws(SystemError) {
    try checked("listen") { played?.listen(socket, backlog) ?? listen(socket, backlog) }
}

/// The next connection that waits at `socket`, of this user or root (`accept4`), non-blocking; nil if none waits. Never
/// blocks, not even at a socket that does.
///
/// - Throws: if there is no descriptor or no memory for the connection, which then keeps waiting.
public func acceptOurs(at socket: Int32) throws(SystemError) -> OwnedDescriptor? {
    guard let descriptor = try accept(at: socket, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)) else {
        return nil
    }
    guard played == nil else { return descriptor }
    guard let user = peer(of: descriptor.number)?.user, user == geteuid() || user == 0 else { return nil }
    return descriptor
}

/// Whether this process itself listens at the socket that `socket` is connected to (`SO_PEERCRED`).
public func isListenedToHere(_ socket: Int32) -> Bool {
    played == nil && peer(of: socket)?.process == getpid()
}

/// Who is at the other end of `socket` (`SO_PEERCRED`); nil if that is unknown, as with a pipe.
public func peer(of socket: Int32) -> (process: Int32, user: UInt32)? {
    var (process, user): (Int32, UInt32) = (0, 0)
    return unsafe clinux_peer(socket, &process, &user) == 0 ? (process, user) : nil
}

/// The same as ``acceptOurs(at:)``, but from any user, and blocking, as a program expects of its standard input.
public func acceptAnyone(at socket: Int32) throws(SystemError) -> OwnedDescriptor? {
    try accept(at: socket, Int32(SOCK_CLOEXEC.rawValue))
}

private func accept(at socket: Int32, _ flags: Int32) throws(SystemError) -> OwnedDescriptor? {
    // A service manager hands over blocking sockets and shares their flags, so they cannot be made non-blocking here.
    guard played != nil || isReady(socket, for: POLLIN) else { return nil }
    do throws(SystemError) {
        return OwnedDescriptor(
            owning: try checked("accept4") { played?.accept(socket) ?? accept4(socket, nil, nil, flags) })
    } catch  where [EAGAIN, EINTR, ECONNABORTED].contains(error.errno) {
        // The peer may have left again.
        return nil
    }
}

/// Ends the connection of `socket` both ways: its peer learns of it even if the socket stays open (`shutdown`).
public func endConnection(_ socket: Int32) {
    if let played { return played.shutdown(socket) }
    shutdown(socket, Int32(SHUT_RDWR))
}
