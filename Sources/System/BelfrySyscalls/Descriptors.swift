import CBelfryLinux
import Glibc

/// A file descriptor that has one owner and is closed when its owner ends.
///
/// The code that makes a descriptor sets close-on-exec in the same call. A value that is dropped closes its descriptor
/// and does not trap: in a worker that rings, a trap would cost a call.
public struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number, valid as long as this value lives.
    public let number: Int32

    /// Takes `number`, which no other code may close from now on.
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

/// Closes `number`. The result is ignored except for EBADF, which traps: on Linux the descriptor is gone whatever
/// close(2) returns.
func closeDescriptor(_ number: Int32) {
    guard SystemCall.close(number) == -1 else { return }
    precondition(errno != EBADF, "closing descriptor \(number), which is not open")
}

/// The two ends of a pipe.
@frozen
public struct DescriptorPair: ~Copyable, Sendable {
    /// The end for reading.
    public var reading: OwnedDescriptor
    /// The end for writing.
    public var writing: OwnedDescriptor

    /// Makes a pipe, both ends close-on-exec (`pipe2`).
    public static func pipe() throws(SystemError) -> DescriptorPair {
        var numbers: [Int32] = [-1, -1]
        try checked("pipe2") {
            unsafe numbers.withUnsafeMutableBufferPointer { unsafe pipe2($0.baseAddress!, O_CLOEXEC) }
        }
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

/// Allows this process, and what it starts, as many descriptors as `count`, if it may have as many; a limit that is
/// higher stays (setrlimit(2)). The usual one, 1,024, is for programs that call select(2).
public func allowDescriptors(_ count: Int) {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(count) else { return }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    unsafe setrlimit(resource, &limit)
}

/// What kind of file `descriptor` is: S_IFSOCK, S_IFIFO, …; 0 if it is not open.
public func fileKind(of descriptor: Int32) -> UInt32 {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
}

/// Whether `descriptor` is ready for `event`, POLLIN or POLLOUT, or has failed or hung up, at this moment or within so
/// many milliseconds (`poll`).
public func isReady(_ descriptor: Int32, for event: Int32, within milliseconds: Int32 = 0) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return unsafe poll(&entry, 1, milliseconds) > 0
}

/// Writes to a descriptor that others share, never blocks, and leaves the descriptor's flags as they are: flags belong
/// to the open file, and so to everybody who shares it.
public struct NonBlockingOutput: ~Copyable {
    /// The result of a write.
    public enum Outcome: Hashable, Sendable {
        /// So many bytes were taken, perhaps not all.
        case wrote(Int)
        /// Nothing is taken at this moment: to be tried again once ``NonBlockingOutput/number`` is writable.
        case full
        /// Nothing will ever be taken again.
        case failed
    }

    private enum Kind {
        /// A socket, written with MSG_DONTWAIT.
        case socket
        /// A pipe or terminal that was opened anew, so that its flags are ours alone.
        case reopened
        /// A pipe or terminal that cannot be opened anew, such as a terminal handed over by another user: poll(2) is
        /// asked before each write, which is short, since poll(2) promises room for a few bytes only.
        case polled
        /// A regular file, for which a write never blocks.
        case immediate
    }

    /// Bytes written at a time to a pipe or terminal for which only poll(2) says whether a write would block.
    public static let politeBytesMax = 512

    /// The descriptor that is written to, to be watched for writability.
    public let number: Int32
    private let kind: Kind
    /// The pipe or terminal that was opened anew; nil for the other kinds.
    private let reopened: OwnedDescriptor?
    private let politeBytesMax: Int

    /// Writes to `descriptor`, which the caller still owns. If only poll(2) says whether a write would block, at most
    /// `politeBytesMax` bytes are written at a time.
    public init(_ descriptor: Int32, politeBytesMax: Int = Self.politeBytesMax) {
        self.politeBytesMax = politeBytesMax
        let file = fileKind(of: descriptor)
        let isShared = file == S_IFIFO || file == S_IFCHR
        let opened =
            isShared
            ? unsafe open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : -1
        reopened = opened >= 0 ? OwnedDescriptor(owning: opened) : nil
        number = opened >= 0 ? opened : descriptor
        kind = file == S_IFSOCK ? .socket : opened >= 0 ? .reopened : isShared ? .polled : .immediate
    }

    /// Writes what can be written of `bytes` at once. A peer that left is a failure, and SIGPIPE except for sockets.
    public borrowing func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
        while true {
            let count = unsafe bytes.withUnsafeBytes { unsafe writeOnce($0) }
            if count >= 0 { return .wrote(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .full : .failed
        }
    }

    /// How many of the bytes that were written the peer has not read, in the kernel's own measure; 0 where that is not
    /// known, as of a pipe.
    public borrowing func unreadBytes() -> Int {
        var bytes: Int32 = 0
        guard kind == .socket, unsafe clinux_bytes_unread(number, &bytes) == 0 else { return 0 }
        return Int(bytes)
    }

    private borrowing func writeOnce(_ buffer: UnsafeRawBufferPointer) -> Int {
        switch kind {
        case .socket:
            return unsafe send(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        case .reopened, .immediate: return unsafe Glibc.write(number, buffer.baseAddress, buffer.count)
        case .polled:
            guard isReady(number, for: POLLOUT) else {
                errno = EAGAIN
                return -1
            }
            return unsafe Glibc.write(number, buffer.baseAddress, min(buffer.count, politeBytesMax))
        }
    }
}
