import CBelfryLinux
import Glibc

/// A file as it was read: its bytes, and which version they are.
public struct FileContent: Sendable {
    /// All of its bytes.
    public let bytes: [UInt8]
    /// The version they are.
    public let identity: FileIdentity
}

/// Reads the regular file at `path`, of `bytesMax` at most, which a person configured: links on the way are followed.
///
/// Fails with EFBIG if it is longer, with EINVAL if it is not a regular file; a pipe does not block it.
public func readFile(at path: String, bytesMax: Int) throws(SystemError) -> FileContent {
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let file = OwnedDescriptor(owning: try checked("open", on: path) { unsafe open(path, flags) })
    return try regularContent(of: file, path: path, bytesMax: bytesMax)
}

private func regularContent(
    of file: borrowing OwnedDescriptor, path: String, bytesMax: Int
) throws(SystemError) -> FileContent {
    let status = try fileStatus(file.number, path: path)
    guard status.st_mode & S_IFMT == S_IFREG else {
        throw SystemError(errno: EINVAL, call: "open", subject: "\(path): no regular file")
    }
    guard status.st_size <= bytesMax else {
        throw SystemError(errno: EFBIG, call: "read", subject: "\(path): more than \(bytesMax) bytes")
    }
    let bytes = try readAll(file.number, count: Int(status.st_size), path: path)
    return FileContent(bytes: bytes, identity: FileIdentity(status))
}

/// A file that is open.
@frozen
public struct OpenedFile: ~Copyable {
    /// The open file.
    public let file: OwnedDescriptor
    /// How long it was as it was opened.
    public let bytesCount: Int
}

extension Directory {
    /// Reads the regular file `name`, of `bytesMax` at most; nil if there is none.
    ///
    /// Fails with EFBIG if it is longer, with ELOOP for a link, with EINVAL if it is not a regular file; a pipe does
    /// not block it (S2).
    public borrowing func read(_ name: String, bytesMax: Int) throws(SystemError) -> FileContent? {
        guard let file = try openExisting(name) else { return nil }
        return try regularContent(of: file, path: "\(path)/\(name)", bytesMax: bytesMax)
    }

    /// Replaces the file `name` by one with `bytes`: every reader finds either the old file or the new one, complete.
    ///
    /// It is written as `temporaryName` in `temporaries`, a directory of the same file system, and renamed. With
    /// `isDurable` it outlives a power cut from here on. If it fails, the old file is as it was and the temporary one
    /// is gone. It fails with ESTALE if `isObsolete` says so just before it is renamed.
    /// - Returns: the identity of the new file.
    @discardableResult
    public borrowing func replace(
        _ name: String,
        with bytes: [UInt8],
        temporaryName: String,
        in temporaries: borrowing Directory,
        isDurable: Bool,
        unless isObsolete: () -> Bool = { false }
    ) throws(SystemError) -> FileIdentity {
        let parent = temporaries.descriptor.number
        let temporaryPath = "\(temporaries.path)/\(temporaryName)"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = OwnedDescriptor(
            owning: try checked("openat", on: temporaryPath) { SystemCall.openat(parent, temporaryName, flags) }
        )
        do throws(SystemError) {
            try writeAll(bytes, to: file.number, path: temporaryPath)
            if isDurable { try checked("fsync", on: temporaryPath) { SystemCall.fsync(file.number) } }
            let status = try fileStatus(file.number, path: temporaryPath)
            let target = descriptor.number
            if isObsolete() { throw SystemError(errno: ESTALE, call: "renameat", subject: "\(path)/\(name)") }
            try checked("renameat", on: "\(path)/\(name)") { SystemCall.renameat(parent, temporaryName, target, name) }
            if isDurable { try checked("fsync", on: path) { SystemCall.fsync(target) } }
            return FileIdentity(status)
        } catch {
            // Report the first failure; a file that is left behind is removed later.
            try? temporaries.remove(temporaryName)
            throw error
        }
    }

    /// Replaces the file `name` as ``replace(_:with:temporaryName:in:isDurable:unless:)`` does, by one written as
    /// `aside` in this directory itself, which need not outlive a power cut.
    public borrowing func write(_ bytes: [UInt8], as name: String, aside: String) throws(SystemError) {
        try replace(name, with: bytes, temporaryName: aside, in: self, isDurable: false)
    }

    /// Makes the file `name`, empty, for its owner alone, unless there is one. Fails with EINVAL if there is something
    /// else than a regular file.
    public borrowing func makeFile(_ name: String) throws(SystemError) {
        let full = "\(path)/\(name)"
        let parent = descriptor.number
        do throws(SystemError) {
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let made = try checked("openat", on: full) { SystemCall.openat(parent, name, flags) }
            OwnedDescriptor(owning: made).close()
        } catch  where error.errno == EEXIST {
            // Checked without opening it: closing a file releases every lock that this process holds on it (fcntl(2)).
            guard let status = try entryStatus(name), status.st_mode & S_IFMT == S_IFREG else {
                throw SystemError(errno: EINVAL, call: "openat", subject: "\(full): no regular file")
            }
        }
    }

    /// Opens the file `name` for writing at its end, made if it is missing, and returns its length too. Fails as
    /// ``makeFile(_:)`` does.
    public borrowing func openForAppending(_ name: String) throws(SystemError) -> OpenedFile {
        try makeFile(name)
        let full = "\(path)/\(name)"
        let parent = descriptor.number
        let flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let file = OwnedDescriptor(owning: try checked("openat", on: full) { SystemCall.openat(parent, name, flags) })
        let bytesCount = Int(try fileStatus(file.number, path: full).st_size)
        return OpenedFile(file: file, bytesCount: bytesCount)
    }

    /// Opens the regular file `name` for reading; nil if there is none. Fails as ``read(_:bytesMax:)`` does.
    public borrowing func openForReading(_ name: String) throws(SystemError) -> OpenedFile? {
        let full = "\(path)/\(name)"
        guard let file = try openExisting(name) else { return nil }
        let status = try fileStatus(file.number, path: full)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(errno: EINVAL, call: "openat", subject: "\(full): no regular file")
        }
        return OpenedFile(file: file, bytesCount: Int(status.st_size))
    }

    /// Opens the file `name` for reading and writing, made for its owner alone or emptied.
    ///
    /// With `isNameless` its name is gone again: it lasts as long as it is open.
    public borrowing func openEmpty(_ name: String, isNameless: Bool = false) throws(SystemError) -> OwnedDescriptor {
        let full = "\(path)/\(name)"
        let parent = descriptor.number
        let flags = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let file = OwnedDescriptor(owning: try checked("openat", on: full) { SystemCall.openat(parent, name, flags) })
        if isNameless { try remove(name) }
        return file
    }

    private borrowing func openExisting(_ name: String) throws(SystemError) -> OwnedDescriptor? {
        let full = "\(path)/\(name)"
        let parent = descriptor.number
        do throws(SystemError) {
            let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
            return OwnedDescriptor(owning: try checked("openat", on: full) { SystemCall.openat(parent, name, flags) })
        } catch  where error.errno == ENOENT {
            return nil
        }
    }

    /// Its path without links: for libraries that open files only by path.
    public borrowing func realPath() throws(SystemError) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let link = "/proc/self/fd/\(descriptor.number)"
        let count = try checked("readlink", on: path) { unsafe readlink(link, &buffer, buffer.count) }
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes the empty directory `name`.
    public borrowing func removeDirectory(_ name: String) throws(SystemError) {
        let parent = descriptor.number
        try checked("unlinkat", on: "\(path)/\(name)") { SystemCall.unlinkat(parent, name, AT_REMOVEDIR) }
    }

    /// Removes all that is in it, down to `depthMax` directories. What cannot be removed stays.
    public borrowing func removeContents(depthMax: Int) {
        guard depthMax > 0, let names = try? names(max: .max) else { return }
        for name in names {
            if let inner = try? openDirectory(name, makes: false) {
                inner.removeContents(depthMax: depthMax - 1)
                try? removeDirectory(name)
            } else {
                try? remove(name)
            }
        }
    }

    /// Renames `name` to `newName`, replacing what has that name.
    public borrowing func rename(_ name: String, to newName: String) throws(SystemError) {
        let parent = descriptor.number
        try checked("renameat", on: "\(path)/\(name)") { SystemCall.renameat(parent, name, parent, newName) }
    }
}

/// The first `count` bytes, fewer if the file has become shorter. If the file is written in place meanwhile, that makes
/// it another version.
private func readAll(_ descriptor: Int32, count: Int, path: String) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
        let got = try checked("read", on: path) {
            unsafe bytes.withUnsafeMutableBytes {
                unsafe SystemCall.read(descriptor, UnsafeMutableRawBufferPointer(rebasing: $0[done...]))
            }
        }
        guard got > 0 else { break }
        done += got
    }
    bytes.removeLast(count - done)
    return bytes
}

/// Writes all of `bytes` to `descriptor`, as often as it takes a part; `path` is what an error names.
public func writeAll(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(SystemError) {
    var written = 0
    while written < bytes.count {
        written += try checked("write", on: path) {
            unsafe bytes.withUnsafeBytes {
                unsafe SystemCall.write(descriptor, UnsafeRawBufferPointer(rebasing: $0[written...]))
            }
        }
    }
}

/// The bytes of a file from `offset` on: `count` of them, fewer only at its end. `path` is what an error names.
public func readBytes(
    of descriptor: Int32, at offset: Int, count: Int, path: String
) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
        let got = try checked("pread", on: path) {
            unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress! + done, count - done, off_t(offset + done))
            }
        }
        guard got > 0 else { break }
        done += got
    }
    bytes.removeLast(count - done)
    return bytes
}

/// Writes all of `bytes` into a file from `offset` on. `path` is what an error names.
public func writeBytes(_ bytes: [UInt8], to descriptor: Int32, at offset: Int, path: String) throws(SystemError) {
    var done = 0
    while done < bytes.count {
        done += try checked("pwrite", on: path) {
            unsafe bytes.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress! + done, bytes.count - done, off_t(offset + done))
            }
        }
    }
}

/// Has a file outlive a power cut from here on (`fsync`). `path` is what an error names.
public func flush(_ descriptor: Int32, path: String) throws(SystemError) {
    try checked("fsync", on: path) { SystemCall.fsync(descriptor) }
}

/// Writes a line on standard error, and ignores a failure, such as a pipe without a reader.
public func complain(_ line: String) {
    try? writeAll(Array("\(line)\n".utf8), to: STDERR_FILENO, path: "standard error")
}

/// Which version of a file this is: two that are equal have the same content, unless it was written twice in the same
/// tick of the kernel's clock without changing its size or its inode.
public struct FileIdentity: Hashable, Sendable {
    /// The device it is on.
    public let device: UInt64
    /// Its inode, which a rename over it changes.
    public let inode: UInt64
    /// Its size.
    public let sizeBytes: Int64
    /// Whether it had a name: a directory that was removed has none.
    public let isThere: Bool
    /// When it was last written: whole seconds since 1970.
    public let modifiedSeconds: Int64
    /// When it was last written: nanoseconds past the second.
    public let modifiedNanoseconds: Int64

    /// The identity in what fstat(2) says.
    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        sizeBytes = Int64(status.st_size)
        isThere = status.st_nlink > 0
        modifiedSeconds = Int64(status.st_mtim.tv_sec)
        modifiedNanoseconds = Int64(status.st_mtim.tv_nsec)
    }

    /// The version of what is at `path`, which a person configured: links are followed (`stat`). Nil if nothing is
    /// there.
    public init?(at path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether `other` is a version of the same file: nothing replaced it.
    public func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }

    /// When it was last written by the wall clock, in microseconds since 1970; clamped, as a file's date may be
    /// anything.
    public var modifiedMicroseconds: Int64 {
        let (microseconds, overflow) = modifiedSeconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return modifiedSeconds < 0 ? .min : .max }
        return microseconds.addingReportingOverflow(modifiedNanoseconds / 1_000).partialValue
    }
}
