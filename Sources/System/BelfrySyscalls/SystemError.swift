import CBelfryLinux
import Glibc

/// A system call that failed: which one, on what, and why.
public struct SystemError: Error, Hashable, Sendable {
    /// The errno it failed with, positive.
    public let errno: Int32
    /// The C function that failed, such as `openat`.
    public let call: String
    /// What it was called on, such as a path; may be empty.
    public let subject: String

    /// An error of `call` on `subject`.
    public init(errno: Int32, call: String, subject: String = "") {
        self.errno = errno
        self.call = call
        self.subject = subject
    }

    /// An error of `call` as sd-event and its kin return it: a negative errno.
    public init(negated result: Int32, call: String, subject: String = "") {
        // Int32.min has no positive counterpart, and no library returns it.
        self.init(errno: result == .min ? EIO : abs(result), call: call, subject: subject)
    }

    /// What the errno means, in the C library's English: `No such file or directory`.
    public var reason: String {
        // The table's own strings, which live as long as the process; strerror(3) shares one buffer among threads.
        guard let text = unsafe strerrordesc_np(errno) else { return "error \(errno)" }
        return unsafe String(cString: text)
    }
}

extension SystemError: CustomStringConvertible {
    /// For people: `openat /path: No such file or directory`.
    public var description: String {
        subject.isEmpty ? "\(call): \(reason)" : "\(call) \(subject): \(reason)"
    }
}

/// Makes the system call `name` and returns its result; one that a signal interrupted is made again.
///
/// `body` returns -1 and sets errno if it fails. EBADF and EFAULT trap: a descriptor that is closed or a pointer that
/// is wrong is a defect of ours, and going on would act on a file that is not ours.
@discardableResult
public func checked<Result: SignedInteger>(
    _ name: StaticString,
    on subject: @autoclosure () -> String = "",
    _ body: () -> Result
) throws(SystemError) -> Result {
    while true {
        let result = body()
        guard result == -1 else { return result }
        let failure = errno
        if failure == EINTR { continue }
        precondition(
            failure != EBADF && failure != EFAULT,
            "\(name) on \(subject()): a closed descriptor or a bad pointer of ours, errno \(failure)"
        )
        throw SystemError(errno: failure, call: name.description, subject: subject())
    }
}
