import CBelfryLinux
import Glibc

extension SystemCallFilter {
    /// For a service that has its listeners, and starts nothing: no programs, no processes, no look into others, no
    /// signals, no listening, no sockets but of `families`, and no code that was written as data. All else is allowed.
    public static func service(sockets families: [Int32]) -> SystemCallFilter {
        var filter = SystemCallFilter()
        let forbidden = [
            SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kill, SYS_tkill,
        ]
        filter.add(forbidden.map { Int($0) }, .kill)
        #if arch(x86_64)
            filter.add([SYS_fork, SYS_vfork].map { Int($0) }, .kill)
        #endif
        filter.add([SYS_bind, SYS_listen].map { Int($0) }, .fail(EACCES))
        // glibc falls back to clone, whose flags a filter can see.
        filter.add([Int(SYS_clone3)], .fail(ENOSYS))
        let thread = UInt32(0x0001_0000 /* CLONE_THREAD */)
        filter.add(Int(SYS_clone), .allow, inCases: [[.argument(0, under: thread, is: thread)]], otherwise: .kill)
        filter.add(
            Int(SYS_socket), .allow, inCases: families.map { [.argument(0, is: UInt32($0))] },
            otherwise: .fail(EAFNOSUPPORT))
        // Written memory never becomes code; libraries are mapped as code from the start.
        let code = UInt32(PROT_EXEC)
        filter.add(Int(SYS_mprotect), .kill, inCases: [[.argument(2, under: code, is: code)]], otherwise: .allow)
        let writableCode = UInt32(PROT_WRITE | PROT_EXEC)
        filter.add(
            Int(SYS_mmap), .kill, inCases: [[.argument(2, under: writableCode, is: writableCode)]], otherwise: .allow)
        return filter
    }
}
