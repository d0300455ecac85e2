internal import CLinux
internal import Glibc

/// Two descriptors that belong together: the ends of a pipe, or of a pair of sockets.
@frozen
public struct DescriptorPair: ~Copyable, Sendable {
    /// A pipe's end for reading, or one socket.
    public var reading: OwnedDescriptor
    /// A pipe's end for writing, or the other socket.
    public var writing: OwnedDescriptor

    /// A pipe, both ends close-on-exec (`pipe2`).
    public static func pipe() throws(SystemError) -> DescriptorPair {
        try unsafe make("pipe2") { unsafe pipe2($0, O_CLOEXEC) }
    }

    /// Two connected stream sockets, close-on-exec (`socketpair`).
    public static func sockets() throws(SystemError) -> DescriptorPair {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        return try unsafe make("socketpair") { unsafe socketpair(AF_UNIX, kind, 0, $0) }
    }

    private static func make(
        _ name: StaticString,
        _ body: (UnsafeMutablePointer<Int32>) -> Int32
    ) throws(SystemError) -> DescriptorPair {
        var numbers: [Int32] = [-1, -1]
        try checked(name) { unsafe numbers.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress!) } }
        return DescriptorPair(
            reading: OwnedDescriptor(owning: numbers[0]), writing: OwnedDescriptor(owning: numbers[1]))
    }
}
