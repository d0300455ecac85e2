internal import CLinux
internal import Glibc

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
