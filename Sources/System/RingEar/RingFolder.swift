public import BelfrySyscalls
public import BelfryTerms
public import CallLedger
import Glibc

/// Where ears and notes are: `$BELFRY_RUNTIME_DIRECTORY`, else `$XDG_RUNTIME_DIR/belfry`, a folder in memory.
public struct RuntimeDirectory: Hashable, Sendable {
    /// Its path.
    public let path: String

    /// Where the keeper of a foreign extension listens, if it stays.
    public var keeperSocketPath: String { "\(path)/extension.sock" }

    /// Where the desktop listens, if it is enabled.
    public var desktopSocketPath: String { "\(path)/desktop.sock" }
    /// Where `belfry-calls` listens, which has the apps with their own calling code.
    public var callsSocketPath: String { "\(path)/calls.sock" }
    /// Where the relay listens, by which pushes reach the other machines of a fleet.
    public var relaySocketPath: String { "\(path)/relay.sock" }

    /// Where the agent listens, by which a machine of a fleet has its devices written down.
    public var agentSocketPath: String { "\(path)/agent.sock" }

    /// The folder in which those listen who follow its pushes; missing unless somebody does.
    public var followersPath: String { "\(path)/followers" }

    /// The directory at `path`.
    public init(path: String) { self.path = path }

    /// The directory that `environment` names; else one below the state directory at `statePath`, which works as well,
    /// but not on a full disk.
    ///
    /// An empty variable counts as absent, and so does a relative `$XDG_RUNTIME_DIR`, as its specification demands.
    public init(environment: Environment, statePath: String) {
        if let configured = environment["BELFRY_RUNTIME_DIRECTORY"], !configured.utf8.isEmpty {
            path = configured
        } else if let runtime = environment["XDG_RUNTIME_DIR"], runtime.utf8.first == UInt8(ascii: "/") {
            path = "\(runtime)/belfry"
        } else {
            path = "\(statePath)/runtime"
        }
    }
}

/// The folder of one group's ears and notes: `rings/<hash>` below the runtime directory, for its owner alone.
///
/// The hash is of the state directory and the group, since two state directories may share a runtime directory. Each
/// ringing process has its ear there; the notes belong to the ledger. One object belongs to one thread.
public final class RingFolder {
    private let runtime: RuntimeDirectory
    /// The folder's name below `rings`.
    private let name: String
    /// The open folder; nil until it was opened, and if it is missing.
    public private(set) var directory: Directory?

    private static let parentName = "rings"
    /// How many names are looked at.
    private static let namesMax = 4_096

    /// The folder of `group`, whose state is kept at `statePath`. Nothing is opened or made yet.
    public init(runtime: RuntimeDirectory, statePath: String, group: GroupName) {
        self.runtime = runtime
        name = Self.name(statePath: statePath, group: group)
    }

    /// Opens the folder, anew if it was removed. False if it is missing and not to be made.
    @discardableResult
    public func open(makes: Bool) throws(SystemError) -> Bool {
        if try directory?.isRemoved() == false { return true }
        directory = nil
        do throws(SystemError) {
            directory = try Directory.open(path: runtime.path, makes: makes)
                .openDirectory(Self.parentName, makes: makes).openDirectory(name, makes: makes)
            return true
        } catch  where error.errno == ENOENT && !makes {
            return false
        }
    }

    /// The version of the folder, which is opened anew if it was removed; nil if it is missing or cannot be used.
    public func version() -> FileIdentity? {
        guard let version = try? directory?.identity(), version.isThere else {
            return (try? open(makes: false)) == true ? try? directory?.identity() : nil
        }
        return version
    }

    /// Removes the ears of owners that are not alive according to `isAlive`, and the folder if it is empty then.
    public func tidy(isAlive: (Owner) -> Bool) {
        guard (try? open(makes: false)) == true, let names = try? directory?.names(max: Self.namesMax) else { return }
        for name in names {
            guard let owner = Ear.owner(named: name), !isAlive(owner) else { continue }
            try? directory?.remove(name)
        }
        removeIfEmpty()
    }

    /// Removes the folder if it is empty.
    public func removeIfEmpty() {
        guard (try? open(makes: false)) == true, let lock = try? tryLock() else { return }
        try? Directory.open(path: runtime.path, makes: false).openDirectory(Self.parentName, makes: false)
            .removeDirectory(name)
        _ = consume lock
    }

    /// The address of the socket `name` in the open folder, however long the folder's path is.
    func address(of name: String) throws(SystemError) -> String {
        switch directory?.descriptor.number {
        case let number?: return "/proc/self/fd/\(number)/\(name)"
        case nil: throw SystemError(errno: ENOENT, call: "sockaddr_un", subject: name)
        }
    }

    /// Takes the lock on the open folder; nil if it is held already.
    public func tryLock() throws(SystemError) -> FileLock? {
        try directory?.tryLock()
    }

    /// The fingerprint of state path and group.
    private static func name(statePath: String, group: GroupName) -> String {
        let slash = UInt8(ascii: "/")
        // Repeated and trailing slashes do not count. A list, since joining strings costs each start 0.1 ms.
        var bytes: [UInt8] = []
        for byte in statePath.utf8 where byte != slash || bytes.last != slash { bytes.append(byte) }
        if bytes.count > 1, bytes.last == slash { bytes.removeLast() }
        bytes.append(0)
        bytes += group.text.utf8
        return Fingerprint.of(bytes)
    }
}
