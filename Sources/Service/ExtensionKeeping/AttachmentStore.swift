import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc

/// What an extension's notifications have attached: copies under names of ours (S1), the newest ``filesMax``.
struct AttachmentStore: ~Copyable {
    /// How many are kept: more than are ever shown at once.
    static let filesMax = 64
    /// Larger than any file that may be attached.
    private static let fileBytesMax = 64 << 20
    /// How many of a folder's names are looked at.
    private static let namesMax = 4_096

    private let directory: Directory

    /// The store at `path`, made if it is missing.
    init(_ path: String) throws(SystemError) { directory = try Directory.open(path: path, makes: true) }

    /// Takes the file at `path`, a plain one as ``ChannelFolders`` has it, in `folder`, which no link may lead out of
    /// (S2), and returns where it is now; a copy of its bytes if `copies` says so or it lies on another disk, else the
    /// file itself.
    ///
    /// Fails with ENOENT if there is none, with EINVAL for what is no regular file.
    func take(_ path: String, in folder: String, copies: Bool) throws(SystemError) -> String {
        let file = try Self.open(path, in: folder)
        guard fileKind(of: file.number) == S_IFREG else {
            throw SystemError(errno: EINVAL, call: "openat", subject: "\(folder)/\(path): no regular file")
        }
        let name = randomUUID() + Self.ending(of: path)
        if copies {
            try copy(file, to: name)
        } else {
            do throws(SystemError) {
                try link(file, to: name)
            } catch  where error.errno == EXDEV || error.errno == EPERM {
                try copy(file, to: name)
            }
        }
        // Makes it the newest of the store, whenever the extension wrote it: the oldest are removed.
        futimens(file.number, nil)
        prune()
        return "\(directory.path)/\(name)"
    }

    /// Opens what is at `path` in `folder` for reading, without waiting for a pipe's other end.
    ///
    /// Part by part. openat2(2) would do so at once, but systemd answers that call with ENOSYS in units with
    /// `RestrictSUIDSGID=yes`, since its filter cannot look at the mode of a file to be made.
    private static func open(_ path: String, in folder: String) throws(SystemError) -> OwnedDescriptor {
        let full = "\(folder)/\(path)"
        let way = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        var reached = OwnedDescriptor(owning: try checked("open", on: folder) { unsafe Glibc.open(folder, way) })
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let flags = index < parts.count - 1 ? way : O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
            let (directory, name) = (reached.number, String(part))
            reached = OwnedDescriptor(
                owning: try checked("openat", on: full) { unsafe openat(directory, name, flags | O_NOFOLLOW) })
        }
        return reached
    }

    private func link(_ file: borrowing OwnedDescriptor, to name: String) throws(SystemError) {
        // By its descriptor: the extension may have put another file at the path by now.
        let (source, store) = ("/proc/self/fd/\(file.number)", directory.descriptor.number)
        try checked("linkat", on: name) { unsafe linkat(AT_FDCWD, source, store, name, AT_SYMLINK_FOLLOW) }
    }

    private func copy(_ file: borrowing OwnedDescriptor, to name: String) throws(SystemError) {
        let content = try readFile(at: "/proc/self/fd/\(file.number)", bytesMax: Self.fileBytesMax)
        try directory.write(content.bytes, as: name, aside: "\(name).part")
    }

    /// Removes the oldest ones past ``filesMax``.
    private func prune() {
        guard let names = try? directory.names(max: Self.namesMax), names.count > Self.filesMax else { return }
        let aged = names.map { name in
            (name, (try? directory.identity(of: name))??.modifiedMicroseconds ?? 0)
        }
        for (name, _) in aged.sorted(by: { $0.1 < $1.1 }).dropLast(Self.filesMax) { try? directory.remove(name) }
    }

    /// `.png` of a path that ends so: at most eight letters or digits, which are no path.
    private static func ending(of path: String) -> String {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return "" }
        let letters = path.utf8[path.utf8.index(after: dot)...]
        let isPlain = letters.allSatisfy(\.isASCIILetterOrDigit)
        return isPlain && (1...8).contains(letters.count) ? ".\(String(decoding: letters, as: UTF8.self))" : ""
    }
}
