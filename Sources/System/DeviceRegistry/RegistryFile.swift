import BelfryAppGroup
import BelfryDatabase
import BelfryDevices
import BelfrySyscalls
import BelfryTerms

/// The file of the registry, which any number of processes has open.
///
/// Each change has a revision, by which those who have read all before find it. A device that is forgotten leaves one
/// behind, among the last that did.
struct RegistryFile {
    /// How large it may become.
    private static let bytesMax = 256 << 20
    /// Of how many devices that were forgotten is told. Who has looked away for longer knows some for longer.
    private static let forgottenMax = 10_000
    private static let name = "devices.sqlite"
    private static let lockName = "lock"

    let database: Database
    private let identity: FileIdentity?

    /// What a row says of a device, in the order in which ``VirtualDevice`` reads it.
    static let columns = "id, bundle, app_group, environment, alert, voip, added, removed, offline, payload, machine"
    /// How many those are.
    static let columnsCount: Int32 = 11
    /// Adds a device: bound by ``VirtualDevice/bind(revision:to:)``.
    static let insertion =
        "INSERT INTO devices (\(columns), revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

    /// The folder of the registry below `state`, made if it is missing.
    static func directory(below state: StateDirectory) throws(RegistryError) -> Directory {
        do throws(SystemError) {
            return try Directory.open(path: state.path, makes: true).openDirectory("devices", makes: true)
        } catch {
            throw RegistryError("the registry of devices cannot be opened: \(error)")
        }
    }

    /// Opens it; whether it was damaged, and is a new one now.
    static func open(in directory: borrowing Directory) throws(RegistryError) -> (RegistryFile, wasSetAside: Bool) {
        do throws(DatabaseError) {
            return (try openFile(in: directory), false)
        } catch  where error.kind == .corrupt {
            return (try replaceDamaged(in: directory), true)
        } catch {
            throw RegistryError("the registry of devices cannot be opened: \(error)")
        }
    }

    /// Sets the damaged file aside, unless another process has done so meanwhile, and opens the new one.
    static func replaceDamaged(in directory: borrowing Directory) throws(RegistryError) -> RegistryFile {
        do {
            guard let lock = try FileLock.tryTake(lockName, in: directory) else {
                throw RegistryError("the registry of devices is damaged, and somebody sets it aside")
            }
            defer { withExtendedLifetime(lock) {} }
            // Look again under the lock: another process may have replaced the file.
            if let opened = try? openFile(in: directory), (try? opened.database.execute(Self.check)) != nil {
                return opened
            }
            try Database.setAside(name, in: directory)
            return try openFile(in: directory)
        } catch let error as RegistryError {
            throw error
        } catch {
            throw RegistryError("the registry of devices is damaged, and cannot be set aside: \(error)")
        }
    }

    private static let check = "SELECT sum(length(bundle) + length(alert) + length(voip)) FROM devices"

    private static func openFile(in directory: borrowing Directory) throws(DatabaseError) -> RegistryFile {
        let database = try Database(name, in: directory, sharing: .shared, bytesMax: bytesMax)
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS devices (
                id TEXT PRIMARY KEY, bundle TEXT NOT NULL, app_group TEXT, environment TEXT NOT NULL,
                alert BLOB NOT NULL UNIQUE, voip BLOB NOT NULL UNIQUE, added INTEGER NOT NULL, removed INTEGER,
                offline INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL UNIQUE, payload TEXT, machine TEXT,
                CHECK (alert <> voip)
            );
            CREATE TABLE IF NOT EXISTS forgotten (revision INTEGER PRIMARY KEY, id TEXT NOT NULL)
            """)
        // A file of a version without these columns gets them. It fails if one is there, perhaps since a moment.
        for column in ["payload", "machine"] where (try? database.prepare("SELECT \(column) FROM devices")) == nil {
            try? database.execute("ALTER TABLE devices ADD COLUMN \(column) TEXT")
        }
        return RegistryFile(database: database, identity: try? directory.identity(of: name))
    }

    /// The file that is there instead, since another process found this one damaged; nil if it is there still.
    func successor(in directory: borrowing Directory) -> RegistryFile? {
        guard let found = try? directory.identity(of: Self.name), let identity, !identity.isSameFile(as: found) else {
            return nil
        }
        return try? Self.openFile(in: directory)
    }

    /// The last revision that any change has.
    static func lastRevision(in database: Database) throws(DatabaseError) -> Int64 {
        var revision: Int64 = 0
        for table in ["devices", "forgotten"] {
            try database.prepare("SELECT max(revision) FROM \(table)").rows { revision = max(revision, $0.integer(0)) }
        }
        return revision
    }

    /// Tells of the last devices alone that were forgotten.
    static func forgetForgotten(in database: Database) throws(DatabaseError) {
        try database.execute(
            """
            DELETE FROM forgotten WHERE revision <=
                (SELECT revision FROM forgotten ORDER BY revision DESC LIMIT 1 OFFSET \(forgottenMax))
            """)
    }

    /// Does all that `body` does, or nothing of it, and wakes those who watch.
    func write(
        in directory: borrowing Directory, _ body: (Database) throws(DatabaseError) -> Void
    ) throws(RegistryError) {
        do throws(DatabaseError) {
            try database.transaction { () throws(DatabaseError) in try body(database) }
        } catch  where error.kind == .taken {
            throw RegistryError("that token has been issued already")
        } catch {
            throw RegistryError("the registry of devices cannot be written: \(error)")
        }
        // A watcher that this does not reach sees the change at its next query.
        try? RegistryWatch.tell(in: directory)
    }
}

extension VirtualDevice {
    /// The device in `row`; nil if that is none.
    init?(_ row: DatabaseRow) {
        guard let id = row.text(0), isUUID(id), let bundleID = row.text(1), Registration.isBundleID(bundleID),
            let environment = row.text(3).flatMap(APNsEnvironment.init(rawValue:)),
            let alertToken = DeviceToken(bytes: row.blob(4)), let voipToken = DeviceToken(bytes: row.blob(5))
        else { return nil }
        let group = row.text(2)
        let name = group.flatMap(GroupName.init)
        guard group == nil || name != nil else { return nil }
        let machineName = row.text(10)
        machine = machineName.flatMap { FleetName($0) }
        guard machineName == nil || machine != nil else { return nil }
        self.id = id
        self.bundleID = bundleID
        self.appGroup = name
        self.environment = environment
        self.alertToken = alertToken
        self.voipToken = voipToken
        addedAt = WallTime(microseconds: row.integer(6))
        removedAt = row.optionalInteger(7).map(WallTime.init(microseconds:))
        isOffline = row.integer(8) != 0
        // A later version may know more of them.
        callPayload = row.text(9).flatMap(CallPayload.init(rawValue:))
    }

    /// Binds it, and `revision` behind it, to the question marks of a statement that writes all columns.
    func bind(revision: Int64, to binding: inout DatabaseBinding) {
        binding.add(id)
        binding.add(bundleID)
        binding.add(appGroup?.text)
        binding.add(environment.rawValue)
        binding.add(alertToken.inlineBytes.span)
        binding.add(voipToken.inlineBytes.span)
        binding.add(addedAt.microseconds)
        binding.add(removedAt?.microseconds)
        binding.add(isOffline ? 1 : 0)
        binding.add(callPayload?.rawValue)
        binding.add(machine?.text)
        binding.add(revision)
    }
}
