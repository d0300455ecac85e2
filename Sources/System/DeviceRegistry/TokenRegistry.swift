public import BelfryAppGroup
import BelfryDatabase
public import BelfryDevices
public import BelfryEventLoop
public import BelfrySyscalls
public import BelfryTerms

/// The tokens and the devices they belong to, kept in the state directory and shared by any number of processes.
///
/// Each query sees what other processes have changed by then. Tokens that were removed stay known, so that servers can
/// learn when they were. An object belongs to its thread.
public final class TokenRegistry {
    /// How many devices are kept, those that were removed among them.
    public static let devicesMax = 100_000
    /// How large its file may become.
    private static let bytesMax = 256 << 20
    private static let fileName = "devices.sqlite"
    private static let lockName = "lock"

    /// Whether the file was found damaged when this object was made: it was set aside, and no token is known any more.
    public private(set) var wasSetAside = false

    /// Called for each device that has changed, from within the query that sees the change.
    public var onChange: (VirtualDevice) -> Void = { _ in }

    private let directory: Directory
    private var file: OpenedFile
    private var devices: [String: VirtualDevice] = [:]
    private var standings: [DeviceToken: TokenStanding] = [:]
    /// When the newest device of each app was added.
    private var newest: [String: WallTime] = [:]
    private let makeToken: () -> DeviceToken

    /// The open file, with the statements that are run again and again.
    private struct OpenedFile {
        let database: Database
        let dataVersion: DatabaseStatement
        let changes: DatabaseStatement
        let identity: FileIdentity?
        /// The version of the file that was read last.
        var seenVersion: Int64?
        var seenRevision: Int64 = 0
    }

    /// The registry below `state`, made if it is missing. One that is damaged is set aside.
    ///
    /// `makeToken` makes the tokens of new devices.
    public init(
        state: StateDirectory, makeToken: @escaping () -> DeviceToken = { .random() }
    ) throws(RegistryError) {
        self.makeToken = makeToken
        do throws(SystemError) {
            directory = try Directory.open(path: state.path, makes: true).openDirectory("devices", makes: true)
        } catch {
            throw RegistryError("the registry of devices cannot be opened: \(error)")
        }
        (file, wasSetAside) = try Self.open(in: directory)
        do throws(DatabaseError) {
            try refresh()
        } catch  where error.kind == .corrupt {
            file = try Self.replaceDamaged(in: directory)
            wasSetAside = true
        } catch {
            throw RegistryError("the registry of devices cannot be read: \(error)")
        }
    }

    /// What is known about `token` now.
    public func standing(of token: DeviceToken) -> TokenStanding {
        look()
        return lastStanding(of: token)
    }

    /// What was known about `token` at the last query, or when ``look()`` was called.
    public func lastStanding(of token: DeviceToken) -> TokenStanding {
        guard case .removed(let registration, let time, _)? = standings[token],
            let newest = newest[registration.bundleID], newest >= time
        else { return standings[token] ?? .unknown }
        return .removed(registration, at: time, isReplaced: true)
    }

    /// The device called `id`, in use or removed; nil if there is none.
    public func device(_ id: String) -> VirtualDevice? {
        look()
        return devices[id]
    }

    /// Every device, in the order in which they were added.
    public func all() -> [VirtualDevice] {
        look()
        return devices.values.sorted { ($0.addedAt, $0.id) < ($1.addedAt, $1.id) }
    }

    /// Adds a device for the app `bundleID`, with new tokens.
    public func add(
        bundleID: String, appGroup: GroupName?, environment: APNsEnvironment, callPayload: CallPayload? = nil,
        at now: WallTime
    ) throws(RegistryError) -> VirtualDevice {
        try add(
            1, bundleID: bundleID, appGroup: appGroup, environment: environment, callPayload: callPayload, at: now)[0]
    }

    /// Adds `count` devices for the app `bundleID`, each with new tokens: all of them, or none if it throws.
    public func add(
        _ count: Int, bundleID: String, appGroup: GroupName?, environment: APNsEnvironment,
        callPayload: CallPayload? = nil, at now: WallTime
    ) throws(RegistryError) -> [VirtualDevice] {
        if let fault = Self.fault(inBundleID: bundleID) { throw RegistryError(fault) }
        look()
        guard devices.count + count <= Self.devicesMax else {
            let known = devices.count == Self.devicesMax ? "already" : "at most, and \(devices.count) already"
            throw RegistryError("there are \(Self.devicesMax) devices \(known)")
        }
        let ids = (0..<count).map { _ in randomUUID() }
        try write { database throws(DatabaseError) in
            let insertion = try database.prepare(
                """
                INSERT INTO devices (id, bundle, app_group, environment, alert, voip, added, payload, revision)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(revision), 0) + 1 FROM devices))
                """)
            for id in ids {
                try insertion.run([
                    .text(id), .text(bundleID), DatabaseValue(appGroup?.text), .text(environment.rawValue),
                    .blob(makeToken().bytes), .blob(makeToken().bytes), .integer(now.microseconds),
                    DatabaseValue(callPayload?.rawValue),
                ])
            }
        }
        let added = ids.compactMap { devices[$0] }
        guard added.count == count else { throw RegistryError("what was added cannot be read") }
        return added
    }

    /// Removes the device `id`, whose tokens count as removed from `now` on; false if none of that id is in use.
    public func remove(_ id: String, at now: WallTime) throws(RegistryError) -> Bool {
        guard let device = device(id), device.removedAt == nil else { return false }
        try change("removed = ?", .integer(now.microseconds), of: id)
        return true
    }

    /// Switches the device `id` off, or on again; false if none of that id is in use.
    public func setOffline(_ isOffline: Bool, _ id: String) throws(RegistryError) -> Bool {
        guard let device = device(id), device.removedAt == nil else { return false }
        try change("offline = ?", .integer(isOffline ? 1 : 0), of: id)
        return true
    }

    /// Calls `changed` after any process has changed something, once the change can be read, until it is cancelled.
    public func watch(on loop: some EventLoop, _ changed: @escaping () -> Void) throws(SystemError) -> RegistryWatch {
        try RegistryWatch(in: Directory.open(path: directory.path, makes: false), on: loop, changed)
    }

    /// What keeps `text` from being the bundle identifier of an app, for people; nil if nothing does.
    public static func fault(inBundleID text: String) -> String? {
        if text.hasSuffix(Registration.voipSuffix) {
            return "\(text) is a topic, that of calls: leave \(Registration.voipSuffix) away"
        }
        guard Registration.isBundleID(text) else {
            return "\(text) is no bundle identifier, of letters, digits, dots and hyphens"
        }
        let isSeparated = text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
        return isSeparated ? nil : "\(text) is no bundle identifier: each dot stands between two names"
    }
}

extension TokenRegistry {
    /// Reads what is new, if anything is, as every query does first. If that fails, the last state stays.
    public func look() {
        if let identity = try? directory.identity(of: Self.fileName), let known = file.identity,
            !known.isSameFile(as: identity), let opened = try? Self.openFile(in: directory)
        {
            // Another process found the file damaged and began a new one.
            file = opened
            devices = [:]
            standings = [:]
            newest = [:]
        }
        try? refresh()
    }

    private func refresh() throws(DatabaseError) {
        var version: Int64 = 0
        try file.dataVersion.rows { version = $0.integer(0) }
        guard version != file.seenVersion else { return }
        var changed: [VirtualDevice] = []
        var revision = file.seenRevision
        try file.changes.rows([.integer(revision)]) { row in
            revision = max(revision, row.integer(0))
            // A row that another program wrote may hold anything.
            if let device = VirtualDevice(row) { changed.append(device) }
        }
        file.seenRevision = revision
        file.seenVersion = version
        for device in changed {
            defer { onChange(device) }
            devices[device.id] = device
            newest[device.bundleID] = max(newest[device.bundleID] ?? device.addedAt, device.addedAt)
            for registration in device.registrations {
                standings[registration.token] =
                    device.removedAt.map { .removed(registration, at: $0) } ?? .registered(registration)
            }
        }
    }

    private func change(_ what: String, _ value: DatabaseValue, of id: String) throws(RegistryError) {
        try write { database throws(DatabaseError) in
            try database.prepare(
                """
                UPDATE devices SET \(what), revision = (SELECT max(revision) + 1 FROM devices) WHERE id = ?
                """
            ).run([value, .text(id)])
        }
    }

    private func write(_ body: (Database) throws(DatabaseError) -> Void) throws(RegistryError) {
        do throws(DatabaseError) {
            try file.database.transaction { () throws(DatabaseError) in try body(file.database) }
        } catch  where error.kind == .taken {
            throw RegistryError("that token has been issued already")
        } catch {
            throw RegistryError("the registry of devices cannot be written: \(error)")
        }
        // A watcher that this does not reach sees the change at its next query.
        try? RegistryWatch.tell(in: directory)
        // SQLite does not report our own changes.
        file.seenVersion = nil
        look()
    }

    private static func open(in directory: borrowing Directory) throws(RegistryError) -> (OpenedFile, Bool) {
        do throws(DatabaseError) {
            return (try openFile(in: directory), false)
        } catch  where error.kind == .corrupt {
            return (try replaceDamaged(in: directory), true)
        } catch {
            throw RegistryError("the registry of devices cannot be opened: \(error)")
        }
    }

    /// Sets the damaged file aside, unless another process has done so meanwhile, and opens the new one.
    private static func replaceDamaged(in directory: borrowing Directory) throws(RegistryError) -> OpenedFile {
        do {
            guard let lock = try FileLock.tryTake(lockName, in: directory) else {
                throw RegistryError("the registry of devices is damaged, and somebody sets it aside")
            }
            defer { withExtendedLifetime(lock) {} }
            // Look again under the lock: another process may have replaced the file.
            if let opened = try? openFile(in: directory), (try? opened.database.execute(Self.check)) != nil {
                return opened
            }
            try Database.setAside(fileName, in: directory)
            return try openFile(in: directory)
        } catch let error as RegistryError {
            throw error
        } catch {
            throw RegistryError("the registry of devices is damaged, and cannot be set aside: \(error)")
        }
    }

    private static let check = "SELECT sum(length(bundle) + length(alert) + length(voip)) FROM devices"

    private static func openFile(in directory: borrowing Directory) throws(DatabaseError) -> OpenedFile {
        let database = try Database(fileName, in: directory, sharing: .shared, bytesMax: bytesMax)
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS devices (
                id TEXT PRIMARY KEY, bundle TEXT NOT NULL, app_group TEXT, environment TEXT NOT NULL,
                alert BLOB NOT NULL UNIQUE, voip BLOB NOT NULL UNIQUE, added INTEGER NOT NULL, removed INTEGER,
                offline INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL UNIQUE, payload TEXT, machine TEXT,
                CHECK (alert <> voip)
            )
            """)
        // A file of a version without these columns gets them. It fails if one is there, perhaps since a moment.
        for column in ["payload", "machine"] where (try? database.prepare("SELECT \(column) FROM devices")) == nil {
            try? database.execute("ALTER TABLE devices ADD COLUMN \(column) TEXT")
        }
        return OpenedFile(
            database: database, dataVersion: try database.prepare("PRAGMA data_version"),
            changes: try database.prepare(
                """
                SELECT revision, id, bundle, app_group, environment, alert, voip, added, removed, offline, payload,
                    machine
                FROM devices WHERE revision > ? ORDER BY revision LIMIT \(devicesMax)
                """),
            identity: try? directory.identity(of: fileName), seenVersion: nil)
    }
}

extension VirtualDevice {
    /// The device in `row`; nil if that is none.
    fileprivate init?(_ row: DatabaseRow) {
        guard let id = row.text(1), isUUID(id), let bundleID = row.text(2), Registration.isBundleID(bundleID),
            let environment = row.text(4).flatMap(APNsEnvironment.init(rawValue:)),
            let alertToken = DeviceToken(bytes: row.blob(5)), let voipToken = DeviceToken(bytes: row.blob(6))
        else { return nil }
        let group = row.text(3)
        let name = group.flatMap(GroupName.init)
        guard group == nil || name != nil else { return nil }
        let machineName = row.text(11)
        machine = machineName.flatMap { FleetName($0) }
        guard machineName == nil || machine != nil else { return nil }
        self.id = id
        self.bundleID = bundleID
        self.appGroup = name
        self.environment = environment
        self.alertToken = alertToken
        self.voipToken = voipToken
        addedAt = WallTime(microseconds: row.integer(7))
        removedAt = row.optionalInteger(8).map(WallTime.init(microseconds:))
        isOffline = row.integer(9) != 0
        // A later version may know more of them.
        callPayload = row.text(10).flatMap(CallPayload.init(rawValue:))
    }
}
