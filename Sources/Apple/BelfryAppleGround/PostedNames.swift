package import BelfrySyscalls
import BelfryTerms
import Glibc
import Synchronization

/// Names that a user's processes post to each other, without content, as Darwin's notify(3) has it: in one folder, for
/// its owner alone.
///
/// Each name has a file that says which post was the last, and may have one with a number. Each process that listens
/// has a named pipe, into which whoever posts writes a byte: what was posted is read from the files, so that a full
/// pipe loses nothing, and posts of one name that come close together are one.
package struct PostedNames: Sendable {
    /// A name has as many bytes at most; beyond them it is never posted.
    package static let nameBytesMax = 1_024
    /// As many processes are woken at most.
    private static let listenersMax = 1_000
    private static let pipeSuffix = ".pipe"

    private let path: String
    private static let count = Atomic<UInt64>(0)

    /// The board in the folder `path`, which is made when something is done with it.
    package init(path: String) { self.path = path }

    /// Posts `name` to everybody who listens, and wakes them.
    package func post(_ name: String) throws(SystemError) {
        let folder = try Directory.open(path: path, makes: true)
        try write(Self.makeMark(), to: .post, of: name, in: folder)
        try folder.pokePipes(endingIn: Self.pipeSuffix, max: Self.listenersMax)
    }

    /// Which post of `name` was the last; nil if there was none.
    package func lastPost(of name: String) -> NoticeMark? {
        read(.post, of: name).map { NoticeMark(bytes: $0) }
    }

    /// The number that lies beside `name`; 0 until somebody lays one there.
    package func state(of name: String) -> UInt64 {
        read(.state, of: name).flatMap { UInt64(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    /// Lays `state` beside `name`, where every process of this user finds it. Nobody is woken.
    package func setState(_ state: UInt64, of name: String) throws(SystemError) {
        try write("\(state)", to: .state, of: name, in: try Directory.open(path: path, makes: true))
    }

    /// An ear for what is posted from now on.
    package func listen() throws(SystemError) -> NoticeEar {
        let folder = try Directory.open(path: path, makes: true)
        let name = Self.makeMark()
        let pipe = try folder.makePipe(name + Self.pipeSuffix, aside: "\(name).new")
        return NoticeEar(pipe: pipe, folder: folder, name: name + Self.pipeSuffix)
    }

    /// What a file is kept for.
    private enum Kind: String {
        /// Which post was the last.
        case post = "notice"
        /// The number beside the name.
        case state
    }

    /// S1: a file's name out of a foreign one.
    private static func fileName(_ kind: Kind, of name: String) -> String {
        "\(Fingerprint.of(Array(name.utf8))).\(kind.rawValue)"
    }

    private func write(
        _ text: String, to kind: Kind, of name: String, in folder: borrowing Directory
    ) throws(SystemError) {
        guard name.utf8.count <= Self.nameBytesMax else {
            throw SystemError(errno: ENAMETOOLONG, call: "post", subject: "a notice of \(name.utf8.count) bytes")
        }
        try folder.write(
            Array("\(text)\n\(name)".utf8), as: Self.fileName(kind, of: name), aside: "\(Self.makeMark()).new")
    }

    private func read(_ kind: Kind, of name: String) -> [UInt8]? {
        guard let folder = try? Directory.open(path: path, makes: false),
            let file = try? folder.read(Self.fileName(kind, of: name), bytesMax: 2 * Self.nameBytesMax)
        else { return nil }
        let parts = file.bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        // Another name with the same file is another name.
        guard parts.count == 2, parts[1].elementsEqual(name.utf8) else { return nil }
        return Array(parts[0])
    }

    /// What no other post and no other process has.
    private static func makeMark() -> String {
        "\(getpid())-\(bootTimeMicroseconds())-\(count.add(1, ordering: .relaxed).newValue)"
    }
}

/// Which post it was.
package struct NoticeMark: Hashable, Sendable {
    fileprivate let bytes: [UInt8]
}

/// Where a process hears that something was posted. Its pipe goes with it.
package final class NoticeEar: Sendable {
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
    package func wait() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe read(pipe.number, &bytes, bytes.count)
            if count >= 0 || errno != EINTR { return }
        }
    }
}
