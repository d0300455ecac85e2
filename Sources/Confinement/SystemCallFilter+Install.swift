internal import CLinux
internal import Glibc
public import Syscalls

extension SystemCallFilter {
    /// Puts the filter on every thread of this process for good, with `verdict` for every call that has none.
    ///
    /// Needs no-new-privileges. Fails with ENOSYS or EINVAL where the kernel was built without filters.
    public func install(otherwise verdict: SystemCallVerdict) throws(SystemError) {
        var program = self.program(otherwise: verdict).map { instruction in
            sock_filter(
                code: instruction.code, jt: instruction.skipIfTrue, jf: instruction.skipIfFalse, k: instruction.operand)
        }
        precondition(program.count <= 4_096, "the kernel takes 4096 instructions")
        let count = UInt16(program.count)
        let result = unsafe program.withUnsafeMutableBufferPointer {
            unsafe clinux_seccomp_install($0.baseAddress, count)
        }
        // With TSYNC a positive result is a thread that could not follow.
        guard result == 0 else {
            throw SystemError(errno: result > 0 ? ESRCH : errno, call: "seccomp", subject: "filter")
        }
    }
}
