import CBelfryLinux
import Glibc

/// Two connected stream sockets, close-on-exec.
public struct SocketPair: ~Copyable, Sendable {
    /// One of them.
    public let reading: OwnedDescriptor
    /// The other.
    public let writing: OwnedDescriptor

    /// Makes them (`socketpair`).
    public init() throws(SystemError) {
        var numbers: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try checked("socketpair") {
            unsafe numbers.withUnsafeMutableBufferPointer { unsafe socketpair(AF_UNIX, kind, 0, $0.baseAddress) }
        }
        reading = OwnedDescriptor(owning: numbers[0])
        writing = OwnedDescriptor(owning: numbers[1])
    }
}
