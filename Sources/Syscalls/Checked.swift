internal import Glibc

/// Makes the system call `name` and returns its result; one that a signal interrupted is made again.
///
/// `body` returns -1 and sets errno where it fails. EBADF and EFAULT trap: a descriptor that is closed or a pointer
/// that is wrong is a defect of ours, and going on would act on somebody else's file.
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
