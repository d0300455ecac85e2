import BelfryConfinement
import BelfrySyscalls
import CBelfryLinux
import Glibc

/// The rights that the endpoint gives up before it reads a stranger's first byte: it has its listeners, its state and
/// the push socket, and needs nothing else.
///
/// As in the fetcher, protections that the kernel lacks are left out.
enum EndpointConfinement {
    /// Gives up binding, sockets of the internet, starting programs, and all files except those below `statePath`,
    /// those that libraries read, the folder of the push socket, where it looks whether the socket exists, and the
    /// runtime directory, where it looks for those who follow pushes.
    static func confine(statePath: String, runtimePath: String, pushSocketPath: String) {
        // First: the kernel demands it of an unprivileged process before Landlock and filters.
        try? ProcessConfinement.forbidPrivileges()
        let folder = pushSocketPath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let readable = [
            "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/ssl/openssl.cnf", "/etc/localtime",
            "/usr/share/zoneinfo", "/proc/self", folder.joined(separator: "/"), runtimePath,
        ]
        try? Landlock.confine(readable: readable, writable: [statePath], ports: [])
        try? filter.install(otherwise: .allow)
    }

    private static var filter: SystemCallFilter {
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
            Int(SYS_socket), .allow, inCases: [[.argument(0, is: UInt32(AF_UNIX))]], otherwise: .fail(EAFNOSUPPORT))
        // Written memory never becomes code; libraries are mapped as code from the start.
        let code = UInt32(PROT_EXEC)
        filter.add(Int(SYS_mprotect), .kill, inCases: [[.argument(2, under: code, is: code)]], otherwise: .allow)
        let writableCode = UInt32(PROT_WRITE | PROT_EXEC)
        filter.add(
            Int(SYS_mmap), .kill, inCases: [[.argument(2, under: writableCode, is: writableCode)]], otherwise: .allow)
        return filter
    }
}
