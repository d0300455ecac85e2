import BelfrySyscalls
import CBelfryLinux
import Glibc

/// The locks that a process holds, as the kernel tells them of each file that it has open (proc_pid_fdinfo(5)).
///
/// /proc/locks has them too, but not all of them if others take and release locks while it is read.
enum HeldLocks {
    /// More than is told of one file, but for one with hundreds of locks.
    private static let bytesMax = 1 << 16
    /// How many of a process's open files are looked at.
    private static let filesMax = 1_024

    /// A file below `folder` on which process `pid` holds a lock, of whatever kind; nil if there is none.
    static func first(of pid: Int32, below folder: String) -> String? {
        guard let files = try? Directory.open(path: "/proc/\(pid)/fd", makes: false),
            let names = try? files.names(max: filesMax)
        else { return nil }
        for name in names {
            guard let path = target(of: "/proc/\(pid)/fd/\(name)"), path.utf8.starts(with: "\(folder)/".utf8),
                text(of: "/proc/\(pid)/fdinfo/\(name)").contains("\nlock:")
            else { continue }
            return path
        }
        return nil
    }

    /// What the file of the kernel's at `path` says; nothing if it cannot be read. Its size is told as 0.
    private static func text(of path: String) -> String {
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { return "" }
        let file = OwnedDescriptor(owning: opened)
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4 << 10)
        while text.count < bytesMax, case let count = unsafe read(file.number, &chunk, chunk.count), count > 0 {
            text += chunk[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
