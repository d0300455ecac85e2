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

    /// Whether the file was found damaged when this object was made: it was set aside, and no token is known any more.
    public private(set) var wasSetAside = false

    /// Called for each device that has changed, from within the query that sees the change.
    public var onChange: (VirtualDevice) -> Void = { _ in }

    private let directory: Directory
    private var file: RegistryFile
    private var reading: Reading
    private var devices: [String: VirtualDevice] = [:]
    private var standings: [DeviceToken: TokenStanding] = [:]
    /// When the newest device of each app was added.
    private var newest: [String: WallTime] = [:]
    private let makeToken: () -> DeviceToken

    /// The statements that are run again and again, and how far the file was read.
    private struct Reading {
        let dataVersion: DatabaseStatement
        let changes: DatabaseStatement
        let forgotten: DatabaseStatement
        /// The version of the file that was read last.
        var seenVersion: Int64?
        var seenRevision: Int64 = 0

        init(_ file: RegistryFile) throws(DatabaseError) {
            dataVersion = try file.database.prepare("PRAGMA data_version")
            changes = try file.database.prepare(
                """
                SELECT \(RegistryFile.columns), revision FROM devices WHERE revision > ? ORDER BY revision
                LIMIT \(2 * devicesMax)
                """)
            forgotten = try file.database.prepare("SELECT id, revision FROM forgotten WHERE revision > ?")
        }
    }

    /// The registry below `state`, made if it is missing. One that is damaged is set aside.
    ///
    /// `makeToken` makes the tokens of new devices.
    public init(
        state: StateDirectory, makeToken: @escaping () -> DeviceToken = { .random() }
    ) throws(RegistryError) {
        self.makeToken = makeToken
        directory = try RegistryFile.directory(below: state)
        let (file, wasSetAside) = try RegistryFile.open(in: directory)
        (self.file, self.wasSetAside) = (file, wasSetAside)
        do throws(DatabaseError) {
            reading = try Reading(file)
        } catch {
            throw RegistryError("the registry of devices cannot be read: \(error)")
        }
        do throws(DatabaseError) {
            try refresh()
        } catch  where error.kind == .corrupt {
            try setAside()
        } catch {
            throw RegistryError("the registry of devices cannot be read: \(error)")
        }
    }

    private func setAside() throws(RegistryError) {
        file = try RegistryFile.replaceDamaged(in: directory)
        do throws(DatabaseError) {
            reading = try Reading(file)
        } catch {
            throw RegistryError("the registry of devices cannot be read: \(error)")
        }
        wasSetAside = true
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
        return try add(
            (0..<count).map { _ in
                VirtualDevice(
                    id: randomUUID(), bundleID: bundleID, appGroup: appGroup, environment: environment,
                    callPayload: callPayload, alertToken: makeToken(), voipToken: makeToken(), addedAt: now)
            })
    }

    /// Adds `devices` as they are: all of them, or none if it throws.
    public func add(_ devices: [VirtualDevice]) throws(RegistryError) -> [VirtualDevice] {
        look()
        guard self.devices.count + devices.count <= Self.devicesMax else {
            let count = self.devices.count
            let known = count == Self.devicesMax ? "already" : "at most, and \(count) already"
            throw RegistryError("there are \(Self.devicesMax) devices \(known)")
        }
        try write { database throws(DatabaseError) in
            let insertion = try database.prepare(RegistryFile.insertion)
            var revision = try RegistryFile.lastRevision(in: database)
            for device in devices {
                revision += 1
                try insertion.run { device.bind(revision: revision, to: &$0) }
            }
        }
        let added = devices.compactMap { self.devices[$0.id] }
        guard added.count == devices.count else { throw RegistryError("what was added cannot be read") }
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
        if let opened = file.successor(in: directory), let anew = try? Reading(opened) {
            (file, reading) = (opened, anew)
            devices = [:]
            standings = [:]
            newest = [:]
        }
        try? refresh()
    }

    private func refresh() throws(DatabaseError) {
        var version: Int64 = 0
        try reading.dataVersion.rows { version = $0.integer(0) }
        guard version != reading.seenVersion else { return }
        var changed: [VirtualDevice] = []
        var forgotten: [String] = []
        let seen = DatabaseValue.integer(reading.seenRevision)
        var revision = reading.seenRevision
        try reading.forgotten.rows([seen]) { row in
            revision = max(revision, row.integer(1))
            row.text(0).map { forgotten.append($0) }
        }
        try reading.changes.rows([seen]) { row in
            revision = max(revision, row.integer(RegistryFile.columnsCount))
            // A row that another program wrote may hold anything.
            if let device = VirtualDevice(row) { changed.append(device) }
        }
        reading.seenRevision = revision
        reading.seenVersion = version
        // One that has a row again was added after it was forgotten.
        for id in forgotten { forget(id) }
        for device in changed {
            defer { onChange(device) }
            if let old = devices[device.id], old.alertToken != device.alertToken || old.voipToken != device.voipToken {
                forget(device.id)
            }
            devices[device.id] = device
            newest[device.bundleID] = max(newest[device.bundleID] ?? device.addedAt, device.addedAt)
            for registration in device.registrations {
                standings[registration.token] =
                    device.removedAt.map { .removed(registration, at: $0) } ?? .registered(registration)
            }
        }
    }

    private func forget(_ id: String) {
        guard let device = devices.removeValue(forKey: id) else { return }
        for token in [device.alertToken, device.voipToken] { standings[token] = nil }
    }

    private func change(_ what: String, _ value: DatabaseValue, of id: String) throws(RegistryError) {
        try write { database throws(DatabaseError) in
            try database.prepare(
                """
                UPDATE devices SET \(what), revision = ? WHERE id = ?
                """
            ).run([value, .integer(try RegistryFile.lastRevision(in: database) + 1), .text(id)])
        }
    }

    private func write(_ body: (Database) throws(DatabaseError) -> Void) throws(RegistryError) {
        try file.write(in: directory, body)
        // SQLite does not report our own changes.
        reading.seenVersion = nil
        look()
    }
}
