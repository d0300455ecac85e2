import BelfrySyscalls
import BelfryTerms
import Glibc
import KeeperChannel

/// An extension's own places in the state directory: its home, a temporary folder for this process of it, and beside
/// them the store of what it has attached.
struct ExtensionFolders: Hashable, Sendable {
    /// The state directory.
    let state: String
    /// Its home.
    let home: String
    /// Where its temporary files are.
    let temporary: String
    /// The store of what its notifications have attached.
    let attachments: String
    private let bundle: String

    private static let temporaryDepthMax = 32

    /// The places of `bundle` in the state directory `state`; makes what is missing.
    init(of bundle: ExtensionBundle, state: String) throws(SystemError) {
        self.state = state
        self.bundle = bundle.path
        let own = "\(state)/extensions/\(bundle.identifier.text)"
        home = "\(own)/home"
        temporary = "\(own)/tmp/\(randomUUID())"
        attachments = "\(own)/attachments"
        for path in [home, temporary] { _ = try Directory.open(path: path, makes: true) }
    }

    /// The folders that are the extension's own, whose files it may give away.
    var own: [String] { [home, temporary, "\(state)/groups"] }
    /// What paths from the extension may lead into: also its bundle, whose files it may only show.
    var channel: ChannelFolders { ChannelFolders(own + [bundle]) }

    /// Copies the file at `path`, which ``channel`` allows, into the store, which outlives the process's temporary
    /// files; a file of the extension's own moves there. Returns its path.
    func keep(_ path: String) throws(SystemError) -> String {
        let folder = (own + [bundle]).first { path.utf8.starts(with: "\($0)/".utf8) } ?? temporary
        let store = try AttachmentStore(attachments)
        let kept = try store.take(String(path.dropFirst(folder.count + 1)), in: folder, copies: folder == bundle)
        if folder != bundle { unsafe unlink(path) }
        return kept
    }

    /// Removes the temporary files of this process.
    func removeTemporary() {
        guard let directory = try? Directory.open(path: temporary, makes: false) else { return }
        directory.removeContents(depthMax: Self.temporaryDepthMax)
        unsafe rmdir(temporary)
    }

    /// The environment of its process: `worker`'s without what is Belfry's or the service manager's, with a home and a
    /// temporary folder of its own, and with backtraces, since a crash of optimised code says nothing without them.
    func environment(from worker: [String: String]) -> [String: String] {
        var environment = worker.filter { name, _ in
            !["BELFRY_", "LISTEN_", "SWIFT_BACKTRACE"].contains { name.utf8.starts(with: $0.utf8) }
                && name != "NOTIFY_SOCKET"
        }
        environment["HOME"] = home
        environment["CFFIXED_USER_HOME"] = home
        environment["TMPDIR"] = temporary
        environment["SWIFT_BACKTRACE"] = "enable=yes,color=no,interactive=no"
        return environment
    }
}
