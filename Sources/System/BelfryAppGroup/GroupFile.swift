public import BelfryPropertyList
public import BelfrySyscalls
public import BelfryTerms
import CBelfryLinux

/// The key-value file that the programs of one app group share.
///
/// It is `Library/Preferences/<group>.plist` in the group's container, as on iOS. Reading takes no lock and never
/// waits; changing goes through a transaction. One object belongs to one thread; any number of processes may have one
/// for the same group.
public final class GroupFile {
    /// The longest a file may be, in bytes.
    public static let bytesMax = 1 << 20

    /// The group.
    public let group: GroupName
    let state: StateDirectory
    /// The name of the file in its directory.
    let name: String
    /// The name of the lock beside it.
    let lockName: String
    var directories: GroupDirectories?
    /// Counts how often the directories were opened: a watcher must start again when it changes.
    var directoriesCount = 0
    private var known: KnownVersion?
    private var revision: UInt64 = 0
    /// Transactions that wait, the first of them for the lock.
    var waiting: [PendingTransaction] = []
    var isChanging = false
    var hasTidied = false

    /// The file of `group` below `state`; nothing is opened or made yet.
    public init(state: StateDirectory, group: GroupName) {
        self.state = state
        self.group = group
        name = "\(group.text).plist"
        lockName = "\(name).lock"
    }

    /// Where the file is, for people.
    public var path: String { "\(state.path)/\(GroupDirectories.path(of: group))/\(name)" }

    /// The contents of the file now, read without any lock: the version before or after a change, never part of one.
    ///
    /// Costs one fstatat(2) if nothing has changed since the last time.
    public func snapshot() -> GroupSnapshot {
        do throws(SystemError) {
            if directories == nil, try !openDirectories(makes: false) {
                return remember(status: .missing, identity: nil)
            }
            let snapshot = try read()
            // Only a directory that is empty can have been removed.
            guard snapshot.status == .missing, try directories?.preferences.isRemoved() == true else { return snapshot }
            return try openDirectories(makes: false) ? read() : snapshot
        } catch {
            return unusable(because: error)
        }
    }

    /// Whether the file is unchanged since its snapshot had `revision`, as far as one fstatat(2) shows. Each tick asks
    /// this.
    func isStill(at revision: UInt64?) -> Bool {
        guard known?.revision == revision, known?.isSettled == true,
            let identity = try? directories?.preferences.identity(of: name)
        else { return false }
        return known?.identity == identity
    }

    /// Opens the directories if they are not open or have been removed. False if they are missing and not to be
    /// made.
    func openDirectories(makes: Bool) throws(SystemError) -> Bool {
        if try directories?.preferences.isRemoved() == false { return true }
        directories = nil
        directories = try GroupDirectories.open(state: state, group: group, makes: makes)
        if directories != nil { directoriesCount += 1 }
        return directories != nil
    }

    /// Reads the file in its open directory, unless that version is known already. Throws only errors that are not the
    /// fault of the file itself.
    func read() throws(SystemError) -> GroupSnapshot {
        guard let identity = try directories?.preferences.identity(of: name) else {
            return remember(status: .missing, identity: nil)
        }
        if let known, known.identity == identity, known.isSettled { return snapshot(of: known) }
        let wall = WallTime(microseconds: wallTimeMicroseconds())
        let content: FileContent?
        do throws(SystemError) {
            content = try directories?.preferences.read(name, bytesMax: GroupFile.bytesMax)
        } catch  where GroupFile.isFaultOfFile(error) {
            return remember(status: .unreadable(detail: error.description), identity: identity)
        }
        guard let content else { return remember(status: .missing, identity: nil) }
        return remember(content, readAt: wall)
    }

    /// Whether `error` says that the file itself is unusable, rather than that this process or the disk is in trouble.
    private static func isFaultOfFile(_ error: SystemError) -> Bool {
        [EFBIG, ELOOP, EINVAL, EACCES, EPERM, EISDIR, ENXIO].contains(error.errno)
    }

    /// A snapshot of a file that is out of reach.
    func unusable(because error: SystemError) -> GroupSnapshot {
        remember(status: .unreadable(detail: error.description), identity: nil)
    }

    /// Makes the next read go to the file itself.
    func forget() { known = nil }

    /// Makes `root`, which this process has just written as `bytes`, the known version.
    func rememberWritten(_ root: PropertyListDictionary, bytes: [UInt8], identity: FileIdentity) {
        revision += 1
        known = KnownVersion(
            root: root, bytes: bytes, status: .read, identity: identity,
            readAt: WallTime(microseconds: wallTimeMicroseconds()), revision: revision
        )
    }

    private func remember(_ content: FileContent, readAt wall: WallTime) -> GroupSnapshot {
        var (root, status) = (PropertyListDictionary(), GroupSnapshot.Status.read)
        var unchanged: UInt64?
        if let known, !known.bytes.isEmpty, known.bytes == content.bytes {
            (root, status, unchanged) = (known.root, known.status, known.revision)
        } else {
            do throws(PropertyListError) {
                root = try PropertyListDictionary.parse(content.bytes)
            } catch {
                status = .unreadable(detail: error.description)
            }
        }
        if unchanged == nil { revision += 1 }
        let version = KnownVersion(
            root: root, bytes: content.bytes, status: status, identity: content.identity, readAt: wall,
            revision: unchanged ?? revision
        )
        known = version
        return snapshot(of: version)
    }

    private func remember(status: GroupSnapshot.Status, identity: FileIdentity?) -> GroupSnapshot {
        if let known, known.status == status, known.bytes.isEmpty {
            if known.identity == identity { return snapshot(of: known) }
        }
        revision += 1
        let version = KnownVersion(
            root: PropertyListDictionary(), bytes: [], status: status, identity: identity,
            readAt: WallTime(microseconds: wallTimeMicroseconds()), revision: revision
        )
        known = version
        return snapshot(of: version)
    }

    private func snapshot(of version: KnownVersion) -> GroupSnapshot {
        let modifiedAt = version.identity.map { identity in
            let age =
                WallTime(microseconds: wallTimeMicroseconds()) - WallTime(microseconds: identity.modifiedMicroseconds)
            return Instant(microseconds: bootTimeMicroseconds()) - age
        }
        return GroupSnapshot(
            root: version.root, status: version.status, identity: version.identity, modifiedAt: modifiedAt,
            revision: version.revision
        )
    }
}

/// The version of the file this process has read or written last.
private struct KnownVersion {
    let root: PropertyListDictionary
    /// Its bytes; empty if they could not be read.
    let bytes: [UInt8]
    let status: GroupSnapshot.Status
    let identity: FileIdentity?
    let readAt: WallTime
    let revision: UInt64

    /// Within one tick of the kernel's clock, 10 ms at most, a file can be replaced twice and end with the inode, time
    /// and size it began with: a version that was younger when it was read is read again.
    private static let settlingTime = TimeSpan.milliseconds(20)

    var isSettled: Bool {
        guard let identity else { return true }
        return readAt - WallTime(microseconds: identity.modifiedMicroseconds) >= KnownVersion.settlingTime
    }
}

/// The group file as it was at one moment.
public struct GroupSnapshot: Sendable {
    /// How the file was found.
    public enum Status: Hashable, Sendable {
        /// It was read, and ``GroupSnapshot/root`` is what it says.
        case read
        /// There is none: either nothing was ever written to the group, or the file was removed.
        case missing
        /// It is there but cannot be used; `detail` says why, for people.
        case unreadable(detail: String)
    }

    /// What the file says; empty unless ``status`` is `read`. A key counts as removed only then.
    public let root: PropertyListDictionary
    /// How the file was found.
    public let status: Status
    /// Which version it is; nil if there is none.
    public let identity: FileIdentity?
    /// When it was last written, on the boot clock as the wall clock stands now; before zero for a time before this
    /// boot.
    public let modifiedAt: Instant?
    /// Changes whenever what this process knows of the file does: two snapshots of one ``GroupFile`` that have the same
    /// say the same.
    public let revision: UInt64

    /// Whether it is there but cannot be used.
    public var isUnreadable: Bool {
        if case .unreadable = status { true } else { false }
    }
}
