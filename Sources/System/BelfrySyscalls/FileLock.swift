import CBelfryLinux
import Glibc

/// A lock that is held (`flock`), given up when this value ends.
public struct FileLock: ~Copyable, Sendable {
    private let file: OwnedDescriptor

    fileprivate init(file: consuming OwnedDescriptor) { self.file = file }

    deinit {
        // Closing alone is not enough: a child that is just being started has a copy, until it executes its program.
        _ = SystemCall.flock(file.number, LOCK_UN)
    }

    /// Takes the lock on the file `name` of `directory`, which is made if it is missing; nil if the lock is held
    /// already.
    ///
    /// A lock file that was removed or replaced meanwhile does not count: two writers could hold two files of that
    /// name.
    public static func tryTake(_ name: String, in directory: borrowing Directory) throws(SystemError) -> FileLock? {
        try take(name, in: directory, operation: LOCK_EX | LOCK_NB)
    }

    /// Takes that lock as ``tryTake(_:in:)`` does, and waits until whoever holds it is done.
    public static func take(_ name: String, in directory: borrowing Directory) throws(SystemError) -> FileLock {
        if let lock = try take(name, in: directory, operation: LOCK_EX) { return lock }
        throw SystemError(errno: EAGAIN, call: "flock", subject: "\(directory.path)/\(name): it keeps being replaced")
    }

    private static func take(
        _ name: String, in directory: borrowing Directory, operation: Int32
    ) throws(SystemError) -> FileLock? {
        let path = "\(directory.path)/\(name)"
        let parent = directory.descriptor.number
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        for _ in 0..<attemptsMax {
            let file = OwnedDescriptor(
                owning: try checked("openat", on: path) { SystemCall.openat(parent, name, flags) })
            do throws(SystemError) {
                try checked("flock", on: path) { SystemCall.flock(file.number, operation) }
            } catch  where error.errno == EWOULDBLOCK {
                return nil
            }
            let held = FileIdentity(try fileStatus(file.number, path: path))
            if let named = try directory.identity(of: name), named.isSameFile(as: held) {
                return FileLock(file: file)
            }
        }
        return nil
    }

    /// The process that holds the lock on the file `name`, by `/proc/locks`; nil if none does or it cannot be found
    /// out.
    ///
    /// That is the process that took the lock; a process that inherited it is not named there.
    public static func holder(of name: String, in directory: borrowing Directory) -> Int32? {
        guard let file = try? directory.identity(of: name), let locks = readKernelFile("/proc/locks") else {
            return nil
        }
        return LockTable(locks).flockHolder(inode: file.inode, device: file.device)
    }

    /// How many times a lock file is opened that keeps being replaced.
    private static let attemptsMax = 4
}

extension Directory {
    /// Takes the lock on the directory itself; nil if it is held already, or the directory has been removed.
    public borrowing func tryLock() throws(SystemError) -> FileLock? {
        let (path, parent) = (path, descriptor.number)
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        // Opened anew: a lock belongs to the open directory, and so to every descriptor that was duplicated from it.
        let opened = OwnedDescriptor(owning: try checked("openat", on: path) { SystemCall.openat(parent, ".", flags) })
        do throws(SystemError) {
            try checked("flock", on: path) { SystemCall.flock(opened.number, LOCK_EX | LOCK_NB) }
        } catch  where error.errno == EWOULDBLOCK {
            return nil
        }
        return try isRemoved() ? nil : FileLock(file: opened)
    }
}

/// `/proc/locks`, one lock a line: `1: FLOCK  ADVISORY  WRITE 708 08:01:1234 0 EOF`, waiting ones with `->` (proc(5)).
struct LockTable {
    private let lines: [Substring]

    init(_ bytes: [UInt8]) {
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    /// The process that holds an flock on `inode` of `device`.
    func flockHolder(inode: UInt64, device: UInt64) -> Int32? {
        let (major, minor) = LockTable.parts(ofDevice: device)
        var anyHolder: Int32?
        for line in lines {
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", let pid = Int32(fields[4]), pid > 0 else { continue }
            let file = fields[5].split(separator: ":")
            guard file.count == 3, UInt64(file[2]) == inode else { continue }
            if UInt64(file[0], radix: 16) == major && UInt64(file[1], radix: 16) == minor { return pid }
            // Some file systems, btrfs among them, show another device here than fstat(2) does.
            anyHolder = pid
        }
        return anyHolder
    }

    /// As glibc's major(3) and minor(3) take a device apart.
    private static func parts(ofDevice device: UInt64) -> (major: UInt64, minor: UInt64) {
        (
            (device >> 8) & 0xfff | (device >> 32) & 0xffff_f000,
            device & 0xff | (device >> 12) & 0xffff_ff00
        )
    }
}
