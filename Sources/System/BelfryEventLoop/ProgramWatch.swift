public import BelfrySyscalls
import BelfryTerms
import Glibc

/// Watches the file of the program that this process runs: an upgrade puts another one in its place, and a process that
/// stays would run the old one for days.
public final class ProgramWatch {
    /// How long a new file is left alone: whoever installs may still be copying it.
    private static let settling = TimeSpan.seconds(2)

    private let folder: OwnedDescriptor
    private let name: String
    private let ours: (device: dev_t, inode: ino_t)
    private var source: DirectorySource?
    private var timer: (any ScheduledTimer)?

    /// A watch on `loop`, which calls `replaced` once, when another program has been in this one's place for two
    /// seconds. What it needs is opened now: a process may give up its rights afterwards. Nil where that fails.
    public init?(on loop: Loop, path: String? = runningProgramPath(), replaced: @escaping () -> Void) {
        guard let path, let slash = path.lastIndex(of: "/") else { return nil }
        name = String(path[path.index(after: slash)...])
        let parent = slash == path.startIndex ? "/" : String(path[..<slash])
        let opened = unsafe open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        folder = OwnedDescriptor(owning: opened)
        guard let ours = Self.file(name, in: opened) else { return nil }
        self.ours = ours
        source = try? loop.watchDirectory(opened, description: "program") { [weak self] in
            self?.look(on: loop, replaced)
        }
        guard source != nil else { return nil }
    }

    private func look(on loop: Loop, _ replaced: @escaping () -> Void) {
        timer?.cancel()
        timer = loop.schedule(at: loop.now + Self.settling, description: "program") { [weak self] in
            guard let self, source != nil, let now = Self.file(name, in: folder.number), now != ours else { return }
            source?.cancel()
            source = nil
            replaced()
        }
    }

    /// Which file `name` is in `folder`, if it can be run.
    private static func file(_ name: String, in folder: Int32) -> (device: dev_t, inode: ino_t)? {
        var status = stat()
        guard unsafe fstatat(folder, name, &status, 0) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_mode & 0o111 != 0
        else { return nil }
        return (status.st_dev, status.st_ino)
    }
}
