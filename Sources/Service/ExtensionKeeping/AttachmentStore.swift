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

    /// The store in `directory`.
    init(in directory: consuming Directory) { self.directory = directory }

    /// Takes the file at `path`, a plain one as ``ChannelFolders`` has it, below the open `folder`, which no link may
    /// lead out of (S2), and returns where it is now: the file itself if it `moves` and lies on the same disk, else a
    /// copy of its bytes.
    ///
    /// Fails with ENOENT if there is none, with EINVAL for what is no regular file.
    func take(_ path: String, below folder: borrowing OwnedDescriptor, moves: Bool) throws(SystemError) -> String {
        let found = try FoundFile(path, below: folder)
        guard fileKind(of: found.file.number) == S_IFREG else {
            throw SystemError(errno: EINVAL, call: "openat", subject: "\(path): no regular file")
        }
        let name = randomUUID() + Self.ending(of: path)
        if moves {
            do throws(SystemError) {
                try link(found.file, to: name)
                // Makes it the newest of the store, whenever the extension wrote it: the oldest are removed.
                futimens(found.file.number, nil)
            } catch  where error.errno == EXDEV || error.errno == EPERM {
                try copy(found.file, to: name)
            }
            found.removeName()
        } else {
            try copy(found.file, to: name)
        }
        prune()
        return "\(directory.path)/\(name)"
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

/// A file that was found part by part below a folder, none of them a link, and the folder that it is in.
private struct FoundFile: ~Copyable {
    /// Open for reading.
    let file: OwnedDescriptor
    private let parent: OwnedDescriptor
    private let name: String

    /// Opens what is at `path` below `folder`, without waiting for a pipe's other end.
    ///
    /// Part by part. openat2(2) would do so at once, but systemd answers that call with ENOSYS in units with
    /// `RestrictSUIDSGID=yes`, since its filter cannot look at the mode of a file to be made.
    init(_ path: String, below folder: borrowing OwnedDescriptor) throws(SystemError) {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let name = parts.popLast() ?? ""
        var parent = try folder.duplicate()
        for part in parts { parent = try Self.open(part, in: parent, flags: O_RDONLY | O_DIRECTORY, path: path) }
        file = try Self.open(name, in: parent, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY, path: path)
        self.parent = parent
        self.name = name
    }

    /// Removes the name in that folder, whatever has it by now: all of it is the extension's.
    func removeName() { _ = unsafe unlinkat(parent.number, name, 0) }

    private static func open(
        _ name: String, in folder: borrowing OwnedDescriptor, flags: Int32, path: String
    ) throws(SystemError) -> OwnedDescriptor {
        let number = folder.number
        return OwnedDescriptor(
            owning: try checked("openat", on: path) { unsafe openat(number, name, flags | O_NOFOLLOW | O_CLOEXEC) })
    }
}
