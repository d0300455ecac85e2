package import BelfrySyscalls
import BelfryTerms
import Glibc
package import KeeperChannel

/// An extension's own places in the state directory: its home, a temporary folder for this process of it, and beside
/// them the store of what it has attached.
///
/// What is done there is done from the state directory's descriptor on, and through no link, since the extension may
/// have put another thing at any of these paths (S2).
package final class ExtensionFolders {
    /// The state directory.
    let state: String
    /// Its home.
    let home: String
    /// Where its temporary files are.
    let temporary: String
    private let identifier: String
    private let process: String
    private let bundle: String
    private let stateDirectory: Directory

    private static let temporaryDepthMax = 32
    private static let triedName = "tried.txt"

    /// The places of `bundle` in the state directory `state`; makes what is missing.
    ///
    /// Fails with ELOOP or ENOTDIR if one of them is a link.
    package init(of bundle: ExtensionBundle, state: String) throws(SystemError) {
        self.state = state
        self.bundle = bundle.path
        identifier = bundle.identifier.text
        process = randomUUID()
        let own = "\(state)/extensions/\(bundle.identifier.text)"
        home = "\(own)/home"
        temporary = "\(own)/tmp/\(process)"
        stateDirectory = try Directory.open(path: state, makes: true)
        _ = try open(["home"], makes: true)
        _ = try open(["tmp", process], makes: true)
    }

    /// The folders whose files it may give away: they are moved, while those in others are copied.
    private var own: [String] { [home, temporary] }
    /// The containers of all groups, which are not the extension's alone.
    private var groups: String { "\(state)/groups" }
    /// What paths from the extension may lead into.
    package var channel: ChannelFolders { ChannelFolders(own + [groups, bundle]) }

    /// Takes the file at `path`, which ``channel`` allows, into the store, which outlives the process's temporary
    /// files: a file of the extension's own moves there, another one is copied. Returns its path.
    func keep(_ path: String) throws(SystemError) -> String {
        let store = AttachmentStore(in: try open(["attachments"], makes: true))
        let folder = (own + [groups]).first { path.utf8.starts(with: "\($0)/".utf8) } ?? bundle
        let rest = String(path.dropFirst(folder.count + 1))
        switch folder {
        case home, temporary:
            let own = try open(folder == home ? ["home"] : ["tmp", process], makes: false)
            return try store.take(rest, below: own.descriptor, moves: true)
        case groups:
            let containers = try stateDirectory.openDirectory("groups", makes: false)
            return try store.take(rest, below: containers.descriptor, moves: false)
        default:
            // Configured by a person: it may be another user's, and links on the way to it are followed.
            let way = O_RDONLY | O_DIRECTORY | O_CLOEXEC
            let opened = try checked("open", on: bundle) { unsafe Glibc.open(bundle, way) }
            return try store.take(rest, below: OwnedDescriptor(owning: opened), moves: false)
        }
    }

    /// Takes a file of ours as one is taken that the extension attaches, by moving and by copying, into a store among
    /// the temporary files, which ``removeTemporary()`` removes with it. Fails as ``keep(_:)`` would.
    func tryAttaching() throws(SystemError) {
        let folder = try open(["tmp", process], makes: false)
        try folder.write(Array("tried".utf8), as: Self.triedName, aside: "\(Self.triedName).part")
        let store = AttachmentStore(in: try folder.openDirectory("tried", makes: true))
        for moves in [false, true] {
            _ = try store.take(Self.triedName, below: folder.descriptor, moves: moves)
        }
    }

    /// Removes the temporary files of this process; what has taken their folder's place, such as a link, is removed as
    /// what it is.
    package func removeTemporary() {
        guard let folder = try? open(["tmp"], makes: false) else { return }
        if let inner = try? folder.openDirectory(process, makes: false) {
            inner.removeContents(depthMax: Self.temporaryDepthMax)
            try? folder.removeDirectory(process)
        } else {
            try? folder.remove(process)
        }
    }

    /// The folder at `names` below the extension's own one.
    private func open(_ names: [String], makes: Bool) throws(SystemError) -> Directory {
        var folder = try stateDirectory.openDirectory("extensions", makes: makes)
        for name in [identifier] + names { folder = try folder.openDirectory(name, makes: makes) }
        return folder
    }

    /// The environment of its process: of `worker`'s what `passed` names, and nothing that is Belfry's or the service
    /// manager's; with a home and a temporary folder of its own. It has backtraces once it is the extension's program.
    func environment(from worker: [String: String], passed: [String]) -> [String: String] {
        var environment = worker.filter { name, _ in
            !["BELFRY_", "LISTEN_", "SWIFT_BACKTRACE"].contains { name.utf8.starts(with: $0.utf8) }
                && name != "NOTIFY_SOCKET"
                && passed.contains { $0.hasSuffix("*") ? name.utf8.starts(with: $0.utf8.dropLast()) : name == $0 }
        }
        environment["HOME"] = home
        environment["CFFIXED_USER_HOME"] = home
        environment["TMPDIR"] = temporary
        environment[ExtensionConfinement.backtrace] = ExtensionConfinement.withoutBacktrace
        return environment
    }
}
