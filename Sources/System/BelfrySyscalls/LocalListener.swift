import CBelfryLinux
import Glibc

/// Listens on this machine alone, at a TCP port that the system chooses and `port` becomes. The socket does not block.
public func listenLocally(backlog: Int32, port: inout UInt16) throws(SystemError) -> OwnedDescriptor {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let listener = OwnedDescriptor(owning: try checked("socket") { socket(AF_INET, kind, 0) })
    let number = listener.number
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    try unsafe withUnsafeMutablePointer(to: &address) { pointer throws(SystemError) in
        try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic throws(SystemError) in
            try checked("bind", on: "127.0.0.1") { unsafe bind(number, generic, size) }
            try checked("listen", on: "127.0.0.1") { listen(number, backlog) }
            try checked("getsockname", on: "127.0.0.1") { unsafe getsockname(number, generic, &size) }
        }
    }
    port = UInt16(bigEndian: address.sin_port)
    return listener
}
