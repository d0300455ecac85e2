public import BelfrySyscalls
import CBelfryLinux
import Glibc

/// The rights that a process gives up before it touches foreign data.
public enum ProcessConfinement {
    /// Gives up new privileges, core dumps and being traced.
    public static func forbidPrivileges() throws(SystemError) {
        try forbidNewPrivileges()
        try checked("prctl", on: "PR_SET_DUMPABLE") { clinux_prctl(PR_SET_DUMPABLE, 0) }
        try ResourceLimit.coreBytes.lower(to: 0)
    }

    /// Gives up new privileges alone, which programs have that change their user as they start.
    public static func forbidNewPrivileges() throws(SystemError) {
        try checked("prctl", on: "PR_SET_NO_NEW_PRIVS") { clinux_prctl(PR_SET_NO_NEW_PRIVS, 1) }
    }

    /// Gives up what ``forbidPrivileges()`` does, and dies with the process that started it.
    public static func beHumble() throws(SystemError) {
        try forbidPrivileges()
        try endWithParent()
    }

    /// Has this process killed when the thread that started it ends, also once it has become another program.
    public static func endWithParent() throws(SystemError) {
        try checked("prctl", on: "PR_SET_PDEATHSIG") { clinux_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL)) }
    }

    /// Has the kernel kill this process first if memory runs out, since a call needs its picture least. Call it before
    /// ``beHumble()``, after which the process's own `/proc` files belong to root. A failure does no harm.
    public static func volunteerForMemoryShortage() {
        let number = unsafe open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        guard number >= 0 else { return }
        let file = OwnedDescriptor(owning: number)
        _ = unsafe write(file.number, "1000", 4)
    }

    /// Has every other process of this user run first (`setpriority(2)`): a call rings while its picture is decoded.
    public static func letOthersRunFirst() throws(SystemError) {
        try checked("setpriority") { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19) }
    }

    /// Has this process, and those that it starts, run less than others (`setpriority(2)`), and use the disk when no
    /// other does (`ioprio_set(2)`). A failure does no harm.
    public static func workInBackground() {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        clinux_use_disk_last()
    }

    /// Closes every descriptor from `first` on (`close_range(2)`).
    public static func closeDescriptors(from first: UInt32) throws(SystemError) {
        try checked("close_range") { clinux_close_from(first) }
    }

    /// Has SIGALRM end the process after `milliseconds`, whatever it does then (`setitimer(2)`).
    public static func endAfter(milliseconds: Int) throws(SystemError) {
        _ = signal(SIGALRM, SIG_DFL)
        try unblockSignal(SIGALRM)
        var timer = itimerval()
        timer.it_value = timeval(tv_sec: milliseconds / 1_000, tv_usec: milliseconds % 1_000 * 1_000)
        try checked("setitimer") { unsafe setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil) }
    }

    /// Has writing past the limit of ``ResourceLimit/fileBytes`` fail with EFBIG instead of killing.
    public static func ignoreFileSizeSignal() {
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// Keeps malloc to one arena. Each further one reserves 64 MiB of address space, and a thread would open one.
    public static func useOneArena() {
        _ = mallopt(M_ARENA_MAX, 1)
    }
}

/// Landlock: gives up files, ports and sockets for good (landlock(7)); as much of it as a version knows, by default the
/// running kernel's.
public enum Landlock {
    /// The version of the running kernel's Landlock; 0 if it has none, or it is turned off.
    public static var version: Int { max(0, Int(clinux_landlock_version())) }

    /// Leaves this thread, and those it makes from now on, only reading below `readable`, all but executing below the
    /// folders `writable`, and of TCP only connecting to `ports`; nil leaves connecting to any port.
    ///
    /// From version 4 on no TCP port is bound, from version 6 on no abstract socket and no process outside is reached.
    /// Descriptors that are open already work as before. Paths that do not exist are left out. Needs no-new-privileges.
    public static func confine(
        readable: [String], writable: [String] = [], ports: [UInt16]?, version: Int = Self.version
    ) throws(SystemError) {
        guard version > 0 else { throw SystemError(errno: ENOSYS, call: "landlock_create_ruleset") }
        var (ruleset, size) = ruleset(of: version, limitsPorts: ports != nil)
        let rules = OwnedDescriptor(
            owning: try checked("landlock_create_ruleset") { unsafe clinux_landlock_create(&ruleset, size) })
        let number = rules.number
        for path in readable { try allow(path, in: number) }
        for path in writable { try allow(path, in: number, rights: fileRights(version) & ~executeRight) }
        if version >= 4 {
            for port in ports ?? [] {
                try checked("landlock_add_rule", on: "port \(port)") {
                    clinux_landlock_allow_port(number, UInt64(port), connectRight)
                }
            }
        }
        try checked("landlock_restrict_self") { clinux_landlock_restrict(number) }
    }

    /// Leaves this thread, and those it makes from now on, all files and ports, but no look into other processes
    /// (ptrace(2), `/proc/PID/mem`), from version 6 on no signal to any, and no abstract socket. Others than its own
    /// are those that it has not started. Needs version 2, and no-new-privileges.
    public static func confineToOwnProcesses(version: Int = Self.version) throws(SystemError) {
        guard version >= 2 else { throw SystemError(errno: ENOSYS, call: "landlock_create_ruleset") }
        var rights = clinux_landlock_ruleset()
        // A ruleset has to refuse something, and each refuses moving files between folders unless a rule allows it: so
        // that is what this one is about, and what it allows everywhere.
        rights.handled_access_fs = referRight
        if version >= 6 { rights.scoped = 3 }
        let size = version >= 6 ? 24 : 8
        let rules = OwnedDescriptor(
            owning: try checked("landlock_create_ruleset") { unsafe clinux_landlock_create(&rights, size) })
        try allow("/", in: rules.number, rights: referRight)
        let number = rules.number
        try checked("landlock_restrict_self") { clinux_landlock_restrict(number) }
    }

    private static func allow(_ path: String, in rules: Int32, rights: UInt64? = nil) throws(SystemError) {
        let opened = unsafe clinux_open_path(path)
        guard opened >= 0 else { return }
        let descriptor = OwnedDescriptor(owning: opened)
        let number = descriptor.number
        var status = stat()
        try checked("fstat", on: path) { unsafe fstat(number, &status) }
        let rights = rights ?? readingRights(inFolder: status.st_mode & Glibc.S_IFMT == Glibc.S_IFDIR)
        try checked("landlock_add_rule", on: path) { clinux_landlock_allow_path(rules, number, rights) }
    }

    /// The rights that are refused unless a rule allows them, and how many bytes of that structure a version knows.
    static func ruleset(of version: Int, limitsPorts: Bool) -> (rights: clinux_landlock_ruleset, size: Int) {
        var rights = clinux_landlock_ruleset()
        rights.handled_access_fs = fileRights(version)
        if version >= 4 { rights.handled_access_net = bindRight | (limitsPorts ? connectRight : 0) }
        if version >= 6 { rights.scoped = 3 }
        return (rights, version >= 6 ? 24 : version >= 4 ? 16 : 8)
    }

    /// What a rule allows in a folder, or of a file.
    static func readingRights(inFolder isFolder: Bool) -> UInt64 { readFileRight | (isFolder ? readFolderRight : 0) }

    /// All rights over files that a version knows.
    private static func fileRights(_ version: Int) -> UInt64 {
        // Version 1 has 13, 2 adds REFER, 3 TRUNCATE, 5 IOCTL_DEV.
        let count: UInt64 = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13
        return (1 << count) - 1
    }

    private static let executeRight: UInt64 = 1 << 0
    private static let readFileRight: UInt64 = 1 << 2
    private static let readFolderRight: UInt64 = 1 << 3
    private static let referRight: UInt64 = 1 << 13
    private static let bindRight: UInt64 = 1 << 0
    private static let connectRight: UInt64 = 1 << 1
}

/// A limit that this process sets itself and cannot lift again (setrlimit(2)).
public enum ResourceLimit: Hashable, Sendable {
    /// Bytes of address space.
    case addressSpaceBytes
    /// Seconds of processor time; past it the process is killed.
    case processorSeconds
    /// Bytes of any file it writes.
    case fileBytes
    /// Descriptors open at once.
    case descriptors
    /// Processes and threads of this user, other programs' included; starts nothing past it.
    case processes
    /// Bytes of a core dump.
    case coreBytes

    /// Raises the soft limit to `value`, or to the hard limit if that is lower; one that is higher already stays.
    public func raise(to value: Int) throws(SystemError) {
        var limit = rlimit()
        let resource = self.resource
        try checked("getrlimit") { unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, rlim_t(max(0, value))))
        try checked("setrlimit", on: "\(self)") { unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit) }
    }

    /// Lowers soft and hard limit to `value`; a hard limit that is lower already stays.
    public func lower(to value: Int) throws(SystemError) {
        var limit = rlimit()
        let resource = self.resource
        try checked("getrlimit") { unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) }
        limit.rlim_max = min(limit.rlim_max, rlim_t(max(0, value)))
        limit.rlim_cur = limit.rlim_max
        try checked("setrlimit", on: "\(self)") { unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit) }
    }

    private var resource: __rlimit_resource {
        switch self {
        case .addressSpaceBytes: RLIMIT_AS
        case .processorSeconds: RLIMIT_CPU
        case .fileBytes: RLIMIT_FSIZE
        case .descriptors: RLIMIT_NOFILE
        case .processes: __RLIMIT_NPROC
        case .coreBytes: RLIMIT_CORE
        }
    }
}
