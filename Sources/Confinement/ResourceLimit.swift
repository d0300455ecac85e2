internal import CLinux
internal import Glibc
public import Syscalls

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
