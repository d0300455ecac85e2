import BelfrySyscalls
import CBelfryLinux
import Glibc

/// The locks that a process holds, as /proc/locks tells them (proc_locks(5)).
enum HeldLocks {
    /// Larger than what a machine with thousands of locks says.
    private static let bytesMax = 1 << 20
    /// How many of a process's open files are looked at.
    private static let filesMax = 1_024

    /// A file below `folder` on which process `pid` holds a lock, of whatever kind; nil if there is none.
    static func first(of pid: Int32, below folder: String) -> String? {
        let held = Set(
            String(decoding: locks(), as: UTF8.self).split(separator: "\n").compactMap { inode($0, of: pid) })
        guard !held.isEmpty, let files = try? Directory.open(path: "/proc/\(pid)/fd", makes: false),
            let names = try? files.names(max: filesMax)
        else { return nil }
        for name in names {
            let link = "/proc/\(pid)/fd/\(name)"
            var status = stat()
            guard unsafe stat(link, &status) == 0, held.contains(UInt64(status.st_ino)),
                let path = target(of: link), path.utf8.starts(with: "\(folder)/".utf8)
            else { continue }
            return path
        }
        return nil
    }

    /// What /proc/locks says; nothing if it cannot be read. Its size is told as 0.
    private static func locks() -> [UInt8] {
        let opened = unsafe open("/proc/locks", O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { return [] }
        let file = OwnedDescriptor(owning: opened)
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while text.count < bytesMax, case let count = unsafe read(file.number, &chunk, chunk.count), count > 0 {
            text += chunk[..<count]
        }
        return text
    }

    /// The inode of a line such as `1: FLOCK  ADVISORY  WRITE 123 08:01:4711 0 EOF`; nil for other processes, and for
    /// who waits, since `->` moves the words on in that line. A lock of an open file (`OFDLCK`) names none: whoever has
    /// the file open holds it.
    private static func inode(_ line: Substring, of pid: Int32) -> UInt64? {
        let words = line.split(separator: " ")
        guard words.count >= 6, words[4] == "\(pid)" || words[1] == "OFDLCK" else { return nil }
        return words[5].split(separator: ":").last.flatMap { UInt64($0) }
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
