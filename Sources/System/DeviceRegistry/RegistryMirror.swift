public import BelfryAppGroup
import BelfryDatabase
public import BelfryDevices
import BelfrySyscalls

/// A change of the devices that a fleet's other machines have.
public enum RegistryChange: Hashable, Sendable {
    /// The registry has the device, in use or removed, as it is here.
    case keep(VirtualDevice)
    /// The registry has the device of that name no longer, if it is this machine's.
    case forget(String, of: FleetName)
}

/// The registry as a gateway's relay writes it: the devices of a fleet's machines. Those of this machine it never
/// touches, and it holds none in memory, of which there may be 100,000.
///
/// An object belongs to its thread.
public final class RegistryMirror {
    private let directory: Directory
    private var file: RegistryFile

    /// The registry below `state`, made if it is missing. One that is damaged is set aside.
    public init(state: StateDirectory) throws(RegistryError) {
        directory = try RegistryFile.directory(below: state)
        file = try RegistryFile.open(in: directory).0
    }

    /// Whether the registry is another one than before, which has no machine's devices: the other was damaged.
    public func isAnother() -> Bool {
        guard let opened = file.successor(in: directory) else { return false }
        file = opened
        return true
    }

    /// Calls `body` with each device of a machine that the registry has, in use or removed.
    public func each(_ body: (VirtualDevice) -> Void) throws(RegistryError) {
        do throws(DatabaseError) {
            try file.database.prepare("SELECT \(RegistryFile.columns) FROM devices WHERE machine IS NOT NULL").rows {
                if let device = VirtualDevice($0) { body(device) }
            }
        } catch {
            throw RegistryError("the registry of devices cannot be read: \(error)")
        }
    }

    /// Makes `changes`, in their order: all of them, or none if it throws. Left out are devices whose name or token is
    /// that of one of this machine's: those names.
    public func make(_ changes: some Collection<RegistryChange>) throws(RegistryError) -> [String] {
        var leftOut: [String] = []
        try file.write(in: directory) { database throws(DatabaseError) in
            let writing = try Writing(database)
            for change in changes {
                switch change {
                case .keep(let device): if try !writing.keep(device) { leftOut.append(device.id) }
                case .forget(let id, let machine): try writing.forget(id, of: machine)
                }
            }
            try writing.end()
        }
        return leftOut
    }

    /// One transaction's statements.
    private final class Writing {
        private let database: Database
        private let keeping: DatabaseStatement
        private let owner: DatabaseStatement
        private let forgetting: DatabaseStatement
        private let noting: DatabaseStatement
        private let claiming: DatabaseStatement
        private var revision: Int64
        private var hasForgotten = false

        init(_ database: Database) throws(DatabaseError) {
            self.database = database
            let names = RegistryFile.columns.split(separator: ",").map { $0.filter { $0 != " " } } + ["revision"]
            let news = names.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
            keeping = try database.prepare(
                "\(RegistryFile.insertion) ON CONFLICT (id) DO UPDATE SET \(news) WHERE devices.machine IS NOT NULL")
            owner = try database.prepare("SELECT machine FROM devices WHERE id = ?")
            forgetting = try database.prepare("DELETE FROM devices WHERE id = ?")
            noting = try database.prepare("INSERT INTO forgotten (revision, id) VALUES (?, ?)")
            claiming = try database.prepare(
                "SELECT id, machine FROM devices WHERE id <> ? AND (alert IN (?, ?) OR voip IN (?, ?))")
            revision = try RegistryFile.lastRevision(in: database)
        }

        /// False for one that this machine has.
        func keep(_ device: VirtualDevice) throws(DatabaseError) -> Bool {
            let (isThere, machine) = try row(of: device.id)
            guard !isThere || machine != nil else { return false }
            var others: [(id: String, isOwn: Bool)] = []
            let (alert, voip) = (
                DatabaseValue.blob(device.alertToken.bytes), DatabaseValue.blob(device.voipToken.bytes)
            )
            try claiming.rows([.text(device.id), alert, voip, alert, voip]) { row in
                if let id = row.text(0) { others.append((id, row.text(1) == nil)) }
            }
            guard !others.contains(where: \.isOwn) else { return false }
            // Another machine's device had the token until now, of which a later change speaks.
            for other in others { try forget(other.id) }
            revision += 1
            try keeping.run { device.bind(revision: revision, to: &$0) }
            return true
        }

        func forget(_ id: String, of machine: FleetName) throws(DatabaseError) {
            if try row(of: id).machine == machine.text { try forget(id) }
        }

        private func forget(_ id: String) throws(DatabaseError) {
            revision += 1
            try forgetting.run([.text(id)])
            try noting.run([.integer(revision), .text(id)])
            hasForgotten = true
        }

        /// To be called at the end.
        func end() throws(DatabaseError) {
            if hasForgotten { try RegistryFile.forgetForgotten(in: database) }
        }

        private func row(of id: String) throws(DatabaseError) -> (isThere: Bool, machine: String?) {
            var found: (isThere: Bool, machine: String?) = (false, nil)
            try owner.rows([.text(id)]) { found = (true, $0.text(0)) }
            return found
        }
    }
}
