import BelfrySyscalls

/// The locks that a process holds, as the kernel lists them for each file that it has open (proc_pid_fdinfo(5)).
///
/// /proc/locks has them too, but misses some if other processes take and release locks while it is read.
enum HeldLocks {
    /// More than the kernel says about one file, unless that has hundreds of locks.
    private static let bytesMax = 1 << 16
    /// How many of a process's open files are looked at.
    private static let filesMax = 1_024

    /// A file below `folder` on which process `pid` holds a lock, of whatever kind; nil if there is none.
    static func first(of pid: Int32, below folder: String) -> String? {
        guard let files = try? Directory.open(path: "/proc/\(pid)/fd", makes: false),
            let names = try? files.names(max: filesMax)
        else { return nil }
        for name in names {
            guard let path = linkTarget("/proc/\(pid)/fd/\(name)"), path.utf8.starts(with: "\(folder)/".utf8),
                let told = readKernelFile("/proc/\(pid)/fdinfo/\(name)", bytesMax: bytesMax),
                String(decoding: told, as: UTF8.self).contains("\nlock:")
            else { continue }
            return path
        }
        return nil
    }
}
