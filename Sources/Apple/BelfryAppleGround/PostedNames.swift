package import BelfrySyscalls
import BelfryTerms
import Glibc
import Synchronization

/// Names that a user's processes post to each other without content, like Darwin's notify(3): in one folder that only
/// its owner may use.
///
/// Each name has a file that says which post was the last, and may have one with a number. Each listening process has a
/// named pipe, and a posting process writes a byte into each. Listeners read the posts from the files: so a full pipe
/// loses nothing, and posts of one name that come close together count as one.
package struct PostedNames: Sendable {
    /// The most bytes of a name; a longer one is never posted.
    package static let nameBytesMax = 1_024
    /// The most processes that a post wakes.
    private static let listenersMax = 1_000
    private static let pipeSuffix = ".pipe"

    private let path: String
    private static let count = Atomic<UInt64>(0)

    /// The names in the folder `path`, which is made at first use.
    package init(path: String) { self.path = path }

    /// Posts `name`, and wakes all listeners.
    package func post(_ name: String) throws(SystemError) {
        let folder = try Directory.open(path: path, makes: true)
        try write(Self.makeMark(), to: .post, of: name, in: folder)
        // Last: a listener reads the file as soon as it is woken.
        try folder.pokePipes(endingIn: Self.pipeSuffix, max: Self.listenersMax)
    }

    /// Which post of `name` was the last; nil if there was none.
    package func lastPost(of name: String) -> NoticeMark? {
        read(.post, of: name).map { NoticeMark(bytes: $0) }
    }

    /// The number stored with `name`; 0 until a process stores one.
    package func state(of name: String) -> UInt64 {
        read(.state, of: name).flatMap { UInt64(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    /// Stores `state` with `name`, for every process of this user. Wakes no listener.
    package func setState(_ state: UInt64, of name: String) throws(SystemError) {
        try write("\(state)", to: .state, of: name, in: try Directory.open(path: path, makes: true))
    }

    /// A listener for posts from now on.
    package func listen() throws(SystemError) -> NoticeEar {
        let folder = try Directory.open(path: path, makes: true)
        let name = Self.makeMark()
        let pipe = try folder.makePipe(name + Self.pipeSuffix, aside: "\(name).new")
        return NoticeEar(pipe: pipe, folder: folder, name: name + Self.pipeSuffix)
    }

    /// The purpose of a file.
    private enum Kind: String {
        /// Which post was the last.
        case post = "notice"
        /// The number stored with the name.
        case state
    }

    /// S1: a foreign name never becomes a file's name itself.
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
        // Two names may have the same fingerprint: then the file belongs to the other name.
        guard parts.count == 2, parts[1].elementsEqual(name.utf8) else { return nil }
        return Array(parts[0])
    }

    /// A text that no other post and no other process makes.
    private static func makeMark() -> String {
        "\(getpid())-\(bootTimeMicroseconds())-\(count.add(1, ordering: .relaxed).newValue)"
    }
}

/// Identifies a post.
package struct NoticeMark: Hashable, Sendable {
    fileprivate let bytes: [UInt8]
}

/// A listening process's end of its pipe, which is removed with it.
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

    /// Waits until something is posted, or was since the last call.
    package func wait() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe read(pipe.number, &bytes, bytes.count)
            if count >= 0 || errno != EINTR { return }
        }
    }
}
