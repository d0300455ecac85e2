import BelfryDevices
import BelfryAppGroup
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetKeys
import Support
import Testing

/// A fleet in a state directory of its own, with one broker on this machine.
final class PlayedFleet {
    static let now = WallTime(microseconds: wallTimeMicroseconds())

    private let state = TemporaryFolder()
    let setup: FleetSetup
    /// What was made for its broker.
    let folder: BrokerFolder

    init() throws {
        setup = try FleetSetup(state: StateDirectory(path: state.path))
        let broker = try #require(Broker("127.0.0.1"))
        folder = try #require(setup.setUp(adding: [broker], at: Self.now).first)
    }

    /// What is in the file of somebody who is enrolled.
    func enroll(
        _ name: String, as role: FleetRole = .machine, until end: WallTime? = nil, again: Bool = false,
        at now: WallTime = now
    ) throws -> FleetCredential {
        let path = try setup.enroll(#require(FleetName(name)), as: role, until: end, again: again, at: now)
        return try FleetCredential(bytes: readFile(at: path, bytesMax: FleetCredential.bytesMax).bytes)
    }
}

extension SetUpBroker {
    /// Starts it with what `fleet` made for its broker, on a port that the system gives.
    convenience init(_ fleet: PlayedFleet) throws { try self.init(folder: fleet.folder.path) }
}
