import CBelfryLinux
import Glibc

/// An open directory that is ours: owned by this user and writable by no other user (S2).
///
/// Every operation goes through its descriptor, never through a path again, and follows no symbolic link. Names have no
/// slash.
public struct Directory: ~Copyable, Sendable {
    /// How new directories are made: for their owner alone.
    static let newDirectoryMode: mode_t = 0o700
    /// How new files are made: for their owner alone.
    static let newFileMode: mode_t = 0o600

    /// The open directory.
    public let descriptor: OwnedDescriptor
    /// Its path, for people.
    public let path: String

    private init(descriptor: consuming OwnedDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens `path`, which a person configured: links on the way to it are followed, and missing directories are made
    /// if `makes`.
    ///
    /// Fails with EPERM if it belongs to another user or another user may write to it.
    public static func open(path: String, makes: Bool) throws(SystemError) -> Directory {
        do throws(SystemError) {
            return try openExisting(path: path)
        } catch  where error.errno == ENOENT && makes {
            try makePath(path)
            return try openExisting(path: path)
        }
    }

    /// Opens `path`, whose last part must not be a link: for a folder in which every user may make one.
    public static func openUnlinked(path: String) throws(SystemError) -> Directory {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let opened = try checked("open", on: path) { SystemCall.open(path, flags) }
        return try ours(OwnedDescriptor(owning: opened), path: path)
    }

    /// Opens the directory `name` in this one, made if it is missing and `makes`. Fails with ELOOP or ENOTDIR for a
    /// link, with EPERM for one that is not ours.
    public borrowing func openDirectory(_ name: String, makes: Bool) throws(SystemError) -> Directory {
        let inner = "\(path)/\(name)"
        let parent = descriptor.number
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        while true {
            do throws(SystemError) {
                let opened = try checked("openat", on: inner) { SystemCall.openat(parent, name, flags) }
                return try ours(OwnedDescriptor(owning: opened), path: inner)
            } catch  where error.errno == ENOENT && makes {
                do throws(SystemError) {
                    try checked("mkdirat", on: inner) { SystemCall.mkdirat(parent, name) }
                } catch  where error.errno == EEXIST {
                    // Another process made it first.
                }
            }
        }
    }

    /// Whether it has been removed since it was opened.
    public borrowing func isRemoved() throws(SystemError) -> Bool {
        try fileStatus(descriptor.number, path: path).st_nlink == 0
    }

    /// The version of the directory itself: equal versions have the same names in them, unless one was added or removed
    /// in the same tick of the kernel's clock.
    public borrowing func identity() throws(SystemError) -> FileIdentity {
        FileIdentity(try fileStatus(descriptor.number, path: path))
    }

    /// Which version the file `name` in it is, links not followed; nil if there is none.
    public borrowing func identity(of name: String) throws(SystemError) -> FileIdentity? {
        try entryStatus(name).map(FileIdentity.init)
    }

    /// What `name` in it is (`fstatat`), links not followed; nil if there is none.
    borrowing func entryStatus(_ name: String) throws(SystemError) -> stat? {
        var status = stat()
        let parent = descriptor.number
        do throws(SystemError) {
            try checked("fstatat", on: "\(path)/\(name)") { SystemCall.fstatat(parent, name, &status) }
        } catch  where error.errno == ENOENT {
            return nil
        }
        return status
    }

    /// Removes the file `name`; nothing happens if there is none.
    public borrowing func remove(_ name: String) throws(SystemError) {
        let parent = descriptor.number
        do throws(SystemError) {
            try checked("unlinkat", on: "\(path)/\(name)") { SystemCall.unlinkat(parent, name, 0) }
        } catch  where error.errno == ENOENT {
        }
    }

    /// The names in it, without `.` and `..`, in no order; at most `max` of them.
    public borrowing func names(max: Int) throws(SystemError) -> [String] {
        if let played { return Array(played.getdents(descriptor.number).prefix(max)) }
        // A descriptor of its own: reading moves the position, and closedir closes it.
        let parent = descriptor.number
        let opened = try checked("openat", on: path) { unsafe openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let stream = unsafe fdopendir(opened) else {
            closeDescriptor(opened)
            throw SystemError(errno: errno, call: "fdopendir", subject: path)
        }
        return unsafe Self.names(closing: stream, max: max)
    }

    /// The names in the directory at `path`, no matter who owns it, without `.` and `..`, in no order; at most `max` of
    /// them.
    public static func names(at path: String, max: Int) throws(SystemError) -> [String] {
        guard let stream = unsafe opendir(path) else { throw SystemError(errno: errno, call: "opendir", subject: path) }
        return unsafe names(closing: stream, max: max)
    }

    private static func names(closing stream: OpaquePointer, max: Int) -> [String] {
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while names.count < max, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    private static func openExisting(path: String) throws(SystemError) -> Directory {
        let opened = try checked("open", on: path) { SystemCall.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        return try ours(OwnedDescriptor(owning: opened), path: path)
    }

    private static func makePath(_ path: String) throws(SystemError) {
        var made = path.utf8.starts(with: "/".utf8) ? "" : "."
        for component in path.split(separator: "/") {
            made += "/\(component)"
            do throws(SystemError) {
                try checked("mkdir", on: made) { SystemCall.mkdir(made) }
            } catch  where error.errno == EEXIST || error.errno == EROFS || error.errno == EACCES {
                // Any existing part will do, such as a link to a directory; if it does not lead on, the next step
                // fails.
            }
        }
    }

    /// Refuses a directory that another user owns or may write to: its contents could come from anyone.
    private static func ours(_ descriptor: consuming OwnedDescriptor, path: String) throws(SystemError) -> Directory {
        let status = try fileStatus(descriptor.number, path: path)
        guard status.st_uid == geteuid() else {
            throw SystemError(errno: EPERM, call: "openat", subject: "\(path): owned by user \(status.st_uid)")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw SystemError(errno: EPERM, call: "openat", subject: "\(path): others may write to it")
        }
        return Directory(descriptor: descriptor, path: path)
    }

    private borrowing func ours(
        _ descriptor: consuming OwnedDescriptor,
        path: String
    ) throws(SystemError) -> Directory {
        try Directory.ours(descriptor, path: path)
    }
}

/// What the open file `descriptor` is (`fstat`).
func fileStatus(_ descriptor: Int32, path: String) throws(SystemError) -> stat {
    var status = stat()
    try checked("fstat", on: path) { SystemCall.fstat(descriptor, &status) }
    return status
}
