import BelfryPictures
import BelfrySyscalls
import CBelfryLinux
import Glibc

/// What the fetcher gives up, in three steps, each before the next kind of foreign bytes is read.
///
/// 1. Before the request is read: privileges, descriptors, memory, processor time, file size, the time it may exist.
/// 2. Before the network: writing files, reading any but what names and certificates need, starting programs, sockets
///    other than of the internet. The session bus is out of reach: it is an AF_UNIX socket.
/// 3. Before decoding: the network, opening anything, threads.
///
/// Steps 2 and 3 are Landlock and a system-call filter; if the kernel has only one of them, that one. The steps only
/// ever take away, so they come in this order and no step is undone.
enum FetcherConfinement {
    /// The picture is written to this descriptor, which whoever starts the fetcher has opened.
    static let pictureDescriptor: Int32 = 3
    /// The largest picture at 4 bytes a pixel, its body, the libraries and a stack for the resolver's thread. 200 MiB
    /// were enough for 8192 × 4096 pixels.
    static let addressSpaceBytes = 384 << 20
    /// Milliseconds past its limit after which a fetcher that hangs is ended.
    static let millisecondsOfGrace = 500

    /// Step 1.
    static func confineProcess() throws(SystemError) {
        ProcessConfinement.volunteerForMemoryShortage()
        try ProcessConfinement.beHumble()
        try ProcessConfinement.closeDescriptors(from: UInt32(pictureDescriptor + 1))
        ProcessConfinement.useOneArena()
        ProcessConfinement.ignoreFileSizeSignal()
        try ResourceLimit.addressSpaceBytes.lower(to: addressSpaceBytes)
        try ResourceLimit.fileBytes.lower(to: FetchLimits.writtenBytesMax)
        try ResourceLimit.descriptors.lower(to: 64)
        try confineTime(milliseconds: FetchLimits.millisecondsMax)
    }

    /// Ends the process by a signal a little after `milliseconds`, and before it used as much processor time.
    static func confineTime(milliseconds: Int) throws(SystemError) {
        try ProcessConfinement.endAfter(milliseconds: milliseconds + millisecondsOfGrace)
        try ResourceLimit.processorSeconds.lower(to: milliseconds / 1_000 + 2)
    }

    /// Step 2. `ports` are all that may be connected to; nil for any.
    static func confineToNetwork(ports: [UInt16]?) {
        // 53 for a resolver whose answer does not fit a datagram.
        try? Landlock.confine(readable: pathsRead, ports: ports.map { $0 + [53] })
        try? SystemCallLists.network.install(otherwise: .fail(ENOSYS))
    }

    /// Step 3.
    static func confineToDecoding() {
        try? ProcessConfinement.closeDescriptors(from: UInt32(pictureDescriptor + 1))
        try? ResourceLimit.processes.lower(to: 0)
        try? Landlock.confine(readable: [], ports: [])
        try? SystemCallLists.decoding.install(otherwise: .fail(ENOSYS))
    }

    /// What glibc's resolver, libcurl with OpenSSL, and gdk-pixbuf read.
    private static var pathsRead: [String] {
        var paths = [
            "/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache",
            "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/host.conf",
            "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls", "/etc/pki/ca-trust", "/etc/ca-certificates",
            "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/usr/share/pki",
        ]
        for name in ["SSL_CERT_FILE", "SSL_CERT_DIR"] {
            if let path = unsafe getenv(name), unsafe path.pointee != 0 { paths.append(unsafe String(cString: path)) }
        }
        return paths
    }
}

/// The system calls that a fetcher needs in its two filtered stages. All others fail with ENOSYS, as on a kernel that
/// is too old for them, which libraries are prepared for; what only an attacker would try kills.
enum SystemCallLists {
    /// From before the network until decoding.
    static var network: SystemCallFilter {
        var filter = SystemCallFilter()
        filter.add(shared + networkCalls, .allow)
        addForbidden(to: &filter)
        let writing = UInt32(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC) | 0o20000000 /* __O_TMPFILE */
        #if arch(x86_64)
            filter.add(
                Int(SYS_open), .allow, inCases: [[.argument(1, under: writing, is: 0)]], otherwise: .fail(EACCES))
        #endif
        filter.add(
            Int(SYS_openat), .allow, inCases: [[.argument(2, under: writing, is: 0)]], otherwise: .fail(EACCES))
        let type: UInt32 = 0xF
        filter.add(
            Int(SYS_socket), .allow,
            inCases: [
                [.argument(0, is: UInt32(AF_INET)), .argument(1, under: type, is: 1)],
                [.argument(0, is: UInt32(AF_INET)), .argument(1, under: type, is: 2)],
                [.argument(0, is: UInt32(AF_INET6)), .argument(1, under: type, is: 1)],
                [.argument(0, is: UInt32(AF_INET6)), .argument(1, under: type, is: 2)],
                // How getaddrinfo(3) learns which families this machine has.
                [.argument(0, is: UInt32(AF_NETLINK)), .argument(2, is: 0)],
            ],
            otherwise: .fail(EAFNOSUPPORT))
        // Between libcurl and its resolver's thread.
        filter.add(
            Int(SYS_socketpair), .allow, inCases: [[.argument(0, is: UInt32(AF_UNIX))]], otherwise: .fail(EAFNOSUPPORT))
        // A thread, not a process. glibc falls back from clone3, whose flags a filter cannot see.
        let thread = UInt32(0x0001_0000 /* CLONE_THREAD */)
        filter.add(Int(SYS_clone), .allow, inCases: [[.argument(0, under: thread, is: thread)]], otherwise: .kill)
        // FIONBIO, FIONREAD.
        filter.add(
            Int(SYS_ioctl), .allow, inCases: [[.argument(1, is: 0x5421)], [.argument(1, is: 0x541B)]],
            otherwise: .fail(ENOTTY))
        // PR_SET_NAME; the rest goes by seccomp(2), whose filters can only add to this one.
        filter.add(Int(SYS_prctl), .allow, inCases: [[.argument(0, is: 15)]], otherwise: .fail(EINVAL))
        filter.add(Int(SYS_seccomp), .allow, inCases: [[.argument(0, is: 1)]], otherwise: .fail(EINVAL))
        // Its own limits, not another process's.
        filter.add(Int(SYS_prlimit64), .allow, inCases: [[.argument(0, is: 0)]], otherwise: .fail(EPERM))
        return filter
    }

    /// While decoding, and until the answer.
    static var decoding: SystemCallFilter {
        var filter = SystemCallFilter()
        filter.add(shared, .allow)
        addForbidden(to: &filter)
        // Translations of a decoder's complaint, the machine's time zone and the like: there are none.
        filter.add([Int(SYS_openat), Int(SYS_newfstatat), Int(SYS_faccessat), Int(SYS_readlinkat)], .fail(ENOENT))
        #if arch(x86_64)
            filter.add([SYS_open, SYS_stat, SYS_access, SYS_readlink].map { Int($0) }, .fail(ENOENT))
        #endif
        filter.add([SYS_socket, SYS_connect, SYS_clone, SYS_seccomp, SYS_prctl].map { Int($0) }, .kill)
        return filter
    }

    private static func addForbidden(to filter: inout SystemCallFilter) {
        let calls = [SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kill]
        filter.add(calls.map { Int($0) }, .kill)
        // Code is never written: memory is writable or executable.
        let both = UInt32(PROT_WRITE | PROT_EXEC)
        for call in [SYS_mmap, SYS_mprotect] {
            filter.add(Int(call), .kill, inCases: [[.argument(2, under: both, is: both)]], otherwise: .allow)
        }
        #if arch(x86_64)
            filter.add([SYS_fork, SYS_vfork].map { Int($0) }, .kill)
        #endif
    }

    /// Memory, time, waiting, and reading and writing what is open.
    private static let shared = [
        SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_lseek, SYS_close, SYS_fstat,
        SYS_ftruncate, SYS_fcntl, SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise, SYS_futex, SYS_exit, SYS_exit_group,
        SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_getpid,
        SYS_gettid, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_getrandom, SYS_sched_yield,
        SYS_sched_getaffinity, SYS_set_robust_list, SYS_rseq, SYS_membarrier, SYS_close_range, SYS_sysinfo,
        SYS_landlock_create_ruleset, SYS_landlock_add_rule, SYS_landlock_restrict_self,
    ].map { Int($0) }

    /// Names, sockets, the resolver's thread, and reading libraries and certificates.
    private static var networkCalls: [Int] {
        var calls = [
            SYS_connect, SYS_bind, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_sendmmsg, SYS_recvmmsg,
            SYS_shutdown, SYS_getsockname, SYS_getpeername, SYS_getsockopt, SYS_setsockopt, SYS_ppoll, SYS_pselect6,
            SYS_eventfd2, SYS_pipe2, SYS_dup, SYS_dup3, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_faccessat2,
            SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_uname, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
            SYS_nanosleep, SYS_clock_nanosleep, SYS_set_tid_address, SYS_fstatfs, SYS_statfs,
        ]
        #if arch(x86_64)
            calls += [
                SYS_poll, SYS_select, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_pipe, SYS_dup2, SYS_time,
                SYS_arch_prctl, SYS_alarm,
            ]
        #endif
        return calls.map { Int($0) }
    }
}
