import BelfryAppGroup
import BelfryDatabase
import BelfryDevices
import BelfrySyscalls
import BelfryTerms
import Forwarding

/// The pushes that wait, on the disk, and what is remembered of recent requests.
final class QueueStore {
    /// What one transaction writes.
    struct Changes {
        /// Pushes that were accepted.
        var added: [Added] = []
        /// Pushes that need not be kept any more.
        var settled: [Int64] = []
        /// Pushes that a device could not take.
        var stored: [Int64] = []
        /// The number of the push up to which requests are forgotten.
        var forgotten: Int64?

        var isEmpty: Bool { added.isEmpty && settled.isEmpty && stored.isEmpty && forgotten == nil }
    }

    /// A push that is new. Not a struct, whose many fields would be counted with each copy.
    final class Added {
        let number: Int64
        let push: EndpointPush
        let deviceID: String
        let digest: PushDigest

        init(number: Int64, push: EndpointPush, deviceID: String, digest: PushDigest) {
            self.number = number
            self.push = push
            self.deviceID = deviceID
            self.digest = digest
        }
    }

    static let fileName = "queue.sqlite"

    private let directory: Directory
    private let bytesMax: Int
    private var file: OpenedFile

    private struct OpenedFile {
        let database: Database
        let add: DatabaseStatement
        let remember: DatabaseStatement
        let settle: DatabaseStatement
        let store: DatabaseStatement
        let forget: DatabaseStatement
        let load: DatabaseStatement
    }

    /// The queue below `state`, made if it is missing, of `bytesMax` at most.
    init(state: StateDirectory, bytesMax: Int) throws(DatabaseError) {
        self.bytesMax = bytesMax
        do throws(SystemError) {
            directory = try PushLog.openDirectory(state, makes: true)
        } catch {
            throw DatabaseError(.failed, "\(error)")
        }
        do throws(DatabaseError) {
            file = try Self.open(in: directory, bytesMax: bytesMax)
        } catch  where error.kind == .corrupt {
            file = try Self.openAnew(in: directory, bytesMax: bytesMax)
            wasSetAside = true
        }
    }

    /// Whether the file was damaged as this was made, and set aside.
    private(set) var wasSetAside = false

    /// Sets the damaged file aside, and begins with an empty one.
    func replaceDamaged() throws(DatabaseError) {
        file = try Self.openAnew(in: directory, bytesMax: bytesMax)
    }

    /// Writes all of `changes`, or nothing: from here on it outlives a power cut.
    func write(_ changes: Changes) throws(DatabaseError) {
        let file = file
        try file.database.transaction { () throws(DatabaseError) in
            // First of all, since it makes room for the rest.
            for number in changes.settled { try file.settle.run { $0.add(number) } }
            if let forgotten = changes.forgotten { try file.forget.run([.integer(forgotten)]) }
            for added in changes.added {
                try file.add.run { Self.bind(added, to: &$0) }
                try file.remember.run { binding in
                    binding.add(added.number)
                    binding.add(added.push.acceptedAt.microseconds)
                    binding.add(added.digest.inlineBytes.span)
                }
            }
            for number in changes.stored { try file.store.run([.integer(number)]) }
        }
    }

    /// The push `number`; nil if it is not there, or none of ours.
    func push(_ number: Int64) throws(DatabaseError) -> EndpointPush? {
        var push: EndpointPush?
        try file.load.rows([.integer(number)]) { push = EndpointPush($0) }
        return push
    }

    /// What waited as the last process ended, in the order of acceptance; what is no push of ours is left out. Each
    /// device is on its token's `machine`.
    func waiting(
        onMachineOf machine: (DeviceToken) -> FleetName? = { _ in nil }
    ) throws(DatabaseError) -> [(push: WaitingPush, apnsID: String)] {
        var found: [(push: WaitingPush, apnsID: String)] = []
        let columns = "id, token, topic, type, priority, expiration, collapse, NULL, accepted, number, device, stored"
        try file.database.prepare("SELECT \(columns) FROM pushes ORDER BY number").rows { row in
            guard let push = EndpointPush(row), let device = row.text(10) else { return }
            let waiting = WaitingPush(
                number: row.integer(9), push, deviceID: device, machine: machine(push.token),
                wasStored: row.integer(11) != 0)
            found.append((waiting, push.apnsID))
        }
        return found
    }

    /// The latest `max` requests that are remembered, in the order in which they came.
    func remembered(max: Int) throws(DatabaseError) -> [(number: Int64, digest: PushDigest, at: WallTime)] {
        var found: [(number: Int64, digest: PushDigest, at: WallTime)] = []
        let latest = "SELECT number, at, digest FROM remembered ORDER BY number DESC LIMIT ?"
        try file.database.prepare("SELECT * FROM (\(latest)) ORDER BY number").rows([.integer(Int64(max))]) { row in
            guard let digest = PushDigest(bytes: row.blob(2)) else { return }
            found.append((row.integer(0), digest, WallTime(microseconds: row.integer(1))))
        }
        return found
    }

    private static func bind(_ added: Added, to binding: inout DatabaseBinding) {
        let push = added.push
        binding.add(added.number)
        binding.add(push.apnsID)
        binding.add(added.deviceID)
        binding.add(push.token.inlineBytes.span)
        binding.add(push.topic)
        binding.add(push.pushType.rawValue)
        binding.add(Int64(push.priority.rawValue))
        binding.add(push.expiration?.microseconds)
        binding.add(push.collapseID)
        binding.add(push.payload.span)
        binding.add(push.acceptedAt.microseconds)
    }

    private static func openAnew(in directory: borrowing Directory, bytesMax: Int) throws(DatabaseError) -> OpenedFile {
        do throws(SystemError) {
            try Database.setAside(fileName, in: directory)
        } catch {
            throw DatabaseError(.failed, "the damaged queue cannot be set aside: \(error)")
        }
        return try open(in: directory, bytesMax: bytesMax)
    }

    private static func open(in directory: borrowing Directory, bytesMax: Int) throws(DatabaseError) -> OpenedFile {
        // Exclusive, since two endpoints would hand over each push twice.
        let database = try Database(fileName, in: directory, sharing: .exclusive, bytesMax: bytesMax)
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS pushes (
                number INTEGER PRIMARY KEY, id TEXT NOT NULL, device TEXT NOT NULL, token BLOB NOT NULL,
                topic TEXT NOT NULL, type TEXT NOT NULL, priority INTEGER NOT NULL, expiration INTEGER, collapse TEXT,
                payload BLOB NOT NULL, accepted INTEGER NOT NULL, stored INTEGER NOT NULL DEFAULT 0);
            CREATE TABLE IF NOT EXISTS remembered (
                number INTEGER PRIMARY KEY, at INTEGER NOT NULL, digest BLOB NOT NULL)
            """)
        return OpenedFile(
            database: database,
            add: try database.prepare(
                """
                INSERT INTO pushes
                (number, id, device, token, topic, type, priority, expiration, collapse, payload, accepted)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """),
            remember: try database.prepare("INSERT INTO remembered (number, at, digest) VALUES (?, ?, ?)"),
            settle: try database.prepare("DELETE FROM pushes WHERE number = ?"),
            store: try database.prepare("UPDATE pushes SET stored = 1 WHERE number = ?"),
            forget: try database.prepare("DELETE FROM remembered WHERE number <= ?"),
            load: try database.prepare(
                """
                SELECT id, token, topic, type, priority, expiration, collapse, payload, accepted
                FROM pushes WHERE number = ?
                """))
    }
}

extension EndpointPush {
    /// The push in `row`; nil if that is none.
    fileprivate init?(_ row: DatabaseRow) {
        guard let id = row.text(0), let token = DeviceToken(bytes: row.blob(1)), let topic = row.text(2),
            let type = row.text(3).flatMap(APNsPushType.init(rawValue:)),
            let priority = APNsPriority(rawValue: Int(clamping: row.integer(4)))
        else { return nil }
        self.init(
            apnsID: id, token: token, topic: topic, pushType: type, priority: priority,
            expiration: row.optionalInteger(5).map(WallTime.init(microseconds:)), collapseID: row.text(6),
            payload: row.blob(7), acceptedAt: WallTime(microseconds: row.integer(8)))
    }
}
