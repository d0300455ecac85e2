import BelfryConfinement
import BelfryPictures
import BelfrySyscalls
import CBelfryLinux
import Glibc

/// What the fetcher gives up, in three steps, each before the next kind of foreign bytes is read.
///
/// 1. Before the request is read: privileges, its turn before others, descriptors, memory, processor time, file size,
///    the time it may exist.
/// 2. Before the network: writing files, reading any but what names and certificates need, starting programs, signals
///    to others, sockets other than of the internet. The session bus is out of reach: it is an AF_UNIX socket.
/// 3. Before decoding: the network, opening anything, threads.
///
/// Steps 2 and 3 are Landlock and a system-call filter; if the kernel has only one of them, that one. The steps only
/// ever take away, so they come in this order and no step is undone.
enum FetcherConfinement {
    /// The picture is written to this descriptor, which the process that starts the fetcher has opened.
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
        try ProcessConfinement.letOthersRunFirst()
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
    static func confineToNetwork(ports: [UInt16]?, landlockVersion: Int = Landlock.version) {
        // 53 for a resolver whose answer does not fit a datagram.
        try? Landlock.confine(readable: pathsRead(), ports: ports.map { $0 + [53] }, version: landlockVersion)
        try? SystemCallLists.network.install(otherwise: .fail(ENOSYS))
    }

    /// Step 3.
    static func confineToDecoding(landlockVersion: Int = Landlock.version) {
        try? ProcessConfinement.closeDescriptors(from: UInt32(pictureDescriptor + 1))
        try? ResourceLimit.processes.lower(to: 0)
        try? Landlock.confine(readable: [], ports: [], version: landlockVersion)
        try? SystemCallLists.decoding.install(otherwise: .fail(ENOSYS))
    }

    /// What glibc's resolver, libcurl with OpenSSL, and gdk-pixbuf read.
    private static func pathsRead() -> [String] {
        var paths = [
            "/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache",
            "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/host.conf",
            "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls", "/etc/pki/ca-trust", "/etc/ca-certificates",
            "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/usr/share/pki",
        ]
        for name in ["SSL_CERT_FILE", "SSL_CERT_DIR"] {
            if let path = unsafe getenv(name), unsafe path.pointee != 0 { paths.append(unsafe String(cString: path)) }
        }
        if let folder = BundledDecoders.announce() { paths.append(folder) }
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
        let writableCode = UInt32(PROT_WRITE | PROT_EXEC)
        filter.add(
            Int(SYS_mmap), .kill, inCases: [[.argument(2, under: writableCode, is: writableCode)]], otherwise: .allow)
        let writing = UInt32(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC) | 0o20000000 /* __O_TMPFILE */
        #if arch(x86_64)
            filter.add(
                Int(SYS_open), .allow, inCases: [[.argument(1, under: writing, is: 0)]], otherwise: .fail(EACCES))
        #endif
        filter.add(
            Int(SYS_openat), .allow, inCases: [[.argument(2, under: writing, is: 0)]], otherwise: .fail(EACCES))
        addSockets(to: &filter)
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
        // All libraries are loaded.
        filter.add(Int(SYS_mmap), .kill, inCases: [[executable]], otherwise: .allow)
        return filter
    }

    /// TCP and UDP, and a pair of streams. Landlock's ports know TCP by connect(2) alone: of the ways round them,
    /// multipath TCP and Fast Open are closed here, and UDP stays open as long as names are resolved in this process.
    private static func addSockets(to filter: inout SystemCallFilter) {
        let type: UInt32 = 0xF
        let kinds: [(type: UInt32, numbers: [UInt32])] = [(1, [0, 6 /* TCP */]), (2, [0, 17 /* UDP */])]
        // How getaddrinfo(3) learns which families this machine has.
        var cases: [[SystemCallFilter.Condition]] = [[.argument(0, is: UInt32(AF_NETLINK)), .argument(2, is: 0)]]
        for family in [AF_INET, AF_INET6] {
            for kind in kinds {
                cases += kind.numbers.map {
                    [
                        .argument(0, is: UInt32(family)), .argument(1, under: type, is: kind.type),
                        .argument(2, is: $0),
                    ]
                }
            }
        }
        filter.add(Int(SYS_socket), .allow, inCases: cases, otherwise: .fail(EAFNOSUPPORT))
        // Between libcurl and its resolver's thread. With a pair of datagram sockets it could send to any socket of
        // this machine.
        filter.add(
            Int(SYS_socketpair), .allow,
            inCases: [[.argument(0, is: UInt32(AF_UNIX)), .argument(1, under: type, is: 1)]],
            otherwise: .fail(EAFNOSUPPORT))
        let fastOpen: UInt32 = 0x2000_0000
        for (call, flags) in [(SYS_sendto, 3), (SYS_sendmsg, 2), (SYS_sendmmsg, 3)] {
            filter.add(
                Int(call), .allow, inCases: [[.argument(flags, under: fastOpen, is: 0)]], otherwise: .kill)
        }
    }

    /// In the arguments of mmap(2) and mprotect(2).
    private static let executable = SystemCallFilter.Condition.argument(
        2, under: UInt32(PROT_EXEC), is: UInt32(PROT_EXEC))

    private static func addForbidden(to filter: inout SystemCallFilter) {
        let calls = [SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kill]
        filter.add(calls.map { Int($0) }, .kill)
        // What was written never becomes code; libraries are mapped as code from the start.
        filter.add(Int(SYS_mprotect), .kill, inCases: [[executable]], otherwise: .allow)
        // With O_ASYNC the kernel would send any signal to the process that F_SETOWN names, when the worker reads the
        // answer.
        let asynchronous: UInt32 = 0x2000
        filter.add(
            Int(SYS_fcntl), .allow,
            inCases: [
                [.argument(1, is: UInt32(F_GETFD))], [.argument(1, is: UInt32(F_SETFD))],
                [.argument(1, is: UInt32(F_GETFL))],
                [.argument(1, is: UInt32(F_SETFL)), .argument(2, under: asynchronous, is: 0)],
            ],
            otherwise: .fail(EINVAL))
        #if arch(x86_64)
            filter.add([SYS_fork, SYS_vfork].map { Int($0) }, .kill)
        #endif
    }

    /// Memory, time, waiting, and reading and writing what is open.
    private static let shared = [
        SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_lseek, SYS_close, SYS_fstat,
        SYS_ftruncate, SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise, SYS_futex, SYS_exit, SYS_exit_group,
        SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_getpid,
        SYS_gettid, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_getrandom, SYS_sched_yield,
        SYS_sched_getaffinity, SYS_set_robust_list, SYS_rseq, SYS_membarrier, SYS_close_range, SYS_sysinfo,
        SYS_landlock_create_ruleset, SYS_landlock_add_rule, SYS_landlock_restrict_self,
    ].map { Int($0) }

    /// Names, sockets, the resolver's thread, and reading libraries and certificates.
    private static var networkCalls: [Int] {
        var calls = [
            SYS_connect, SYS_bind, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_shutdown, SYS_getsockname,
            SYS_getpeername, SYS_getsockopt, SYS_setsockopt, SYS_ppoll, SYS_pselect6, SYS_eventfd2, SYS_pipe2,
            SYS_dup, SYS_dup3, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_faccessat2,
            SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_uname, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
            SYS_nanosleep, SYS_clock_nanosleep, SYS_set_tid_address, SYS_fstatfs, SYS_statfs,
        ]
        #if arch(x86_64)
            calls += [
                SYS_poll, SYS_select, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_pipe, SYS_dup2, SYS_time,
                SYS_arch_prctl,
            ]
        #endif
        return calls.map { Int($0) }
    }
}
