import BelfrySyscalls
import BelfryTerms
import CBelfryLinux

/// The open directories of a group's container, each of them ours alone, from the state directory down.
struct GroupDirectories: ~Copyable {
    /// Holds the file and its lock, and is watched.
    let preferences: Directory
    private let container: Directory

    /// The path of the file's directory below the state directory.
    static func path(of group: GroupName) -> String { "groups/\(group.text)/Library/Preferences" }

    /// Opens them; nil if they are missing and not to be made.
    static func open(state: StateDirectory, group: GroupName, makes: Bool) throws(SystemError) -> GroupDirectories? {
        do throws(SystemError) {
            let root = try Directory.open(path: state.path, makes: makes)
            let groups = try root.openDirectory("groups", makes: makes)
            let container = try groups.openDirectory(group.text, makes: makes)
            let library = try container.openDirectory("Library", makes: makes)
            let preferences = try library.openDirectory("Preferences", makes: makes)
            return GroupDirectories(preferences: preferences, container: container)
        } catch  where error.errno == ENOENT && !makes {
            return nil
        }
    }

    /// The directory that holds what is being written, apart from the directory that is watched: so a change wakes the
    /// watchers once, when it is complete. On iOS too a container has its `tmp`.
    func openTemporaries() throws(SystemError) -> Directory {
        try container.openDirectory("tmp", makes: true)
    }
}

/// The version that a file is expected to have when it is replaced.
enum OldVersion {
    /// That version of it; nil for none.
    case known(FileIdentity?)
    /// Whatever it is.
    case any
}

extension GroupDirectories {
    /// How many unreadable files are kept: after that, the oldest is replaced.
    static let setAsideMax = 8
    /// How many names are checked for files that killed writers left.
    static let tidiedNamesMax = 256

    /// Takes the lock `name`; nil if it is held already.
    func tryLock(_ name: String) throws(SystemError) -> FileLock? {
        try FileLock.tryTake(name, in: preferences)
    }

    /// The process that holds the lock `name`, as far as the kernel says.
    func lockHolder(_ name: String) -> Int32? { FileLock.holder(of: name, in: preferences) }

    /// Replaces the file `name`; `tidies` also removes files of writers that died before they could rename them. Fails
    /// with ESTALE if the file is not the version `old`.
    func replace(
        _ name: String,
        old: OldVersion,
        with bytes: [UInt8],
        isDurable: Bool,
        tidies: Bool
    ) throws(SystemError) -> FileIdentity {
        let writer = ProcessIdentity.current
        let temporaryName = "\(name).\(writer.pid)-\(writer.startTicks)"
        let temporaries = try openTemporaries()
        // A file with our own temporary name can only come from an earlier failure of this process.
        if tidies { GroupDirectories.tidy(temporaries, after: name, except: temporaryName) }
        try temporaries.remove(temporaryName)
        return try preferences.replace(
            name, with: bytes, temporaryName: temporaryName, in: temporaries, isDurable: isDurable
        ) {
            guard case .known(let identity) = old else { return false }
            return (try? preferences.identity(of: name)) != .some(identity)
        }
    }

    /// Renames the unreadable file `name` out of the way, unless it is no longer the version `identity`. Returns the
    /// new name.
    func setAside(_ name: String, if identity: FileIdentity?) throws(SystemError) -> String? {
        guard let identity, try preferences.identity(of: name) == identity else { return nil }
        let newName = try nameToSetAside(name)
        try preferences.rename(name, to: newName)
        return newName
    }

    private func nameToSetAside(_ name: String) throws(SystemError) -> String {
        var oldest: (name: String, modified: Int64)?
        for number in 1...GroupDirectories.setAsideMax {
            let candidate = number == 1 ? "\(name).corrupt" : "\(name).corrupt-\(number)"
            guard let taken = try preferences.identity(of: candidate) else { return candidate }
            if oldest.map({ taken.modifiedMicroseconds < $0.modified }) ?? true {
                oldest = (candidate, taken.modifiedMicroseconds)
            }
        }
        return oldest?.name ?? "\(name).corrupt"
    }

    /// Removes what dead writers of `name` left. A failure is ignored, since writing works without this.
    private static func tidy(_ temporaries: borrowing Directory, after name: String, except kept: String) {
        guard let names = try? temporaries.names(max: tidiedNamesMax) else { return }
        for candidate in names where !candidate.utf8.elementsEqual(kept.utf8) {
            guard candidate.hasPrefix("\(name)."), let writer = writer(named: candidate.dropFirst(name.count + 1)),
                !writer.isAlive
            else { continue }
            try? temporaries.remove(candidate)
        }
    }

    private static func writer(named text: Substring) -> ProcessIdentity? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let pid = Int32(parts[0]), let start = UInt64(parts[1]) else { return nil }
        return ProcessIdentity(pid: pid, startTicks: start)
    }
}
