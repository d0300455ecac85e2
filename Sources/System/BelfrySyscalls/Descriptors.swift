import CBelfryLinux
import Glibc

/// A file descriptor that has one owner and is closed when its owner ends.
///
/// Whoever makes one sets close-on-exec as it is born. Forgetting it closes it: in a worker that rings, a trap would
/// cost a call.
public struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number, valid as long as this value lives.
    public let number: Int32

    /// Takes `number`, which nobody else closes from now on.
    public init(owning number: Int32) {
        precondition(number >= 0, "\(number) is no descriptor")
        self.number = number
    }

    deinit { closeDescriptor(number) }

    /// Closes it now.
    public consuming func close() {}

    /// Gives the number away; the caller closes it.
    public consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// Another descriptor of the same open file, close-on-exec as well (`F_DUPFD_CLOEXEC`), above standard error.
    public borrowing func duplicate() throws(SystemError) -> OwnedDescriptor {
        let source = number
        return OwnedDescriptor(
            owning: try checked("fcntl", on: "F_DUPFD_CLOEXEC") { fcntl(source, F_DUPFD_CLOEXEC, 3) })
    }
}

/// Closes `number`. Its result is dropped but for EBADF, which traps: on Linux the descriptor is gone whatever close(2)
/// says.
func closeDescriptor(_ number: Int32) {
    guard Glibc.close(number) == -1 else { return }
    precondition(errno != EBADF, "closing descriptor \(number), which is not open")
}

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

/// Opens `/dev/null` for each of the descriptors 0, 1 and 2 that the caller closed, so that nothing this program opens
/// later takes that number and is read or written by mistake. The first thing a program does.
public func openMissingStandardDescriptors() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
        // The lowest free number is the missing one, since those below it are open.
        _ = unsafe open("/dev/null", O_RDWR)
    }
}
