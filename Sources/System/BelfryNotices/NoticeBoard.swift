public import BelfrySyscalls
import BelfryTerms
import Glibc
import Synchronization

/// Names that a user's processes post to each other, without content, as Darwin's notify(3) has it: in one folder, for
/// its owner alone.
///
/// Each name has a file that says which post was the last. Each process that listens has a named pipe, into which
/// whoever posts writes a byte: what was posted is read from the files, so that a full pipe loses nothing, and posts of
/// one name that come close together are one.
public struct NoticeBoard: Sendable {
    /// A name has as many bytes at most; beyond them it is never posted.
    public static let nameBytesMax = 1_024
    /// As many processes are woken at most.
    private static let listenersMax = 1_000
    private static let pipeSuffix = ".pipe"

    private let path: String
    private static let count = Atomic<UInt64>(0)

    /// The board in the folder `path`, which is made when something is done with it.
    public init(path: String) { self.path = path }

    /// Posts `name` to everybody who listens, and wakes them.
    public func post(_ name: String) throws(SystemError) {
        guard name.utf8.count <= Self.nameBytesMax else {
            throw SystemError(errno: ENAMETOOLONG, call: "post", subject: "a notice of \(name.utf8.count) bytes")
        }
        let folder = try Directory.open(path: path, makes: true)
        let mark = Self.makeMark()
        try folder.write(Array("\(mark)\n\(name)".utf8), as: Self.fileName(of: name), aside: "\(mark).new")
        for pipe in try folder.names(max: Self.listenersMax) where pipe.hasSuffix(Self.pipeSuffix) {
            // Whoever is gone has nobody at its pipe.
            if !folder.pokePipe(pipe) { try? folder.remove(pipe) }
        }
    }

    /// Which post of `name` was the last; nil if there was none.
    public func lastPost(of name: String) -> NoticeMark? {
        guard let folder = try? Directory.open(path: path, makes: false),
            let file = try? folder.read(Self.fileName(of: name), bytesMax: 2 * Self.nameBytesMax)
        else { return nil }
        let parts = file.bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
        // Another name with the same file is another name.
        guard parts.count == 2, parts[1].elementsEqual(name.utf8) else { return nil }
        return NoticeMark(bytes: Array(parts[0]))
    }

    /// An ear for what is posted from now on.
    public func listen() throws(SystemError) -> NoticeEar {
        let folder = try Directory.open(path: path, makes: true)
        let name = Self.makeMark()
        let pipe = try folder.makePipe(name + Self.pipeSuffix, aside: "\(name).new")
        return NoticeEar(pipe: pipe, folder: folder, name: name + Self.pipeSuffix)
    }

    /// S1: a file's name out of a foreign one.
    private static func fileName(of name: String) -> String { "\(Fingerprint.of(Array(name.utf8))).notice" }

    /// What no other post and no other process has.
    private static func makeMark() -> String {
        "\(getpid())-\(bootTimeMicroseconds())-\(count.add(1, ordering: .relaxed).newValue)"
    }
}

/// Which post it was.
public struct NoticeMark: Hashable, Sendable {
    fileprivate let bytes: [UInt8]
}

/// Where a process hears that something was posted. Its pipe goes with it.
public final class NoticeEar: Sendable {
    private let pipe: OwnedDescriptor
    private let folder: Directory
    private let name: String

    fileprivate init(pipe: consuming OwnedDescriptor, folder: consuming Directory, name: String) {
        self.pipe = pipe
        self.folder = folder
        self.name = name
    }

    deinit { try? folder.remove(name) }

    /// Waits until something was posted since it was last asked.
    public func wait() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe read(pipe.number, &bytes, bytes.count)
            if count >= 0 || errno != EINTR { return }
        }
    }
}
