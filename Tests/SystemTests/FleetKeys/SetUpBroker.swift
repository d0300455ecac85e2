import BelfryDevices
import BelfryAppGroup
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetKeys
import Glibc
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

/// Debian's nats-server, unpacked and not installed, which serves the folder that a set-up made.
final class SetUpBroker {
    /// Where it listens to clients.
    let port: UInt16
    let folder: String
    private let run: ProgramRun

    static var program: String {
        Environment.allOfThisProcess()["BELFRY_TEST_NATS"] ?? sourceFile(".build/nats/usr/sbin/nats-server")
    }

    /// Starts it with what `fleet` made for its broker, on a port that the system gives.
    convenience init(_ fleet: PlayedFleet) throws { try self.init(folder: fleet.folder.path) }

    /// Starts it with `folder` and on `port`; on one that the system gives if there is none.
    init(folder: String, port: UInt16? = nil) throws {
        self.folder = folder
        let number = port.map(String.init) ?? "-1"
        run = try ProgramRun(
            "/bin/sh", ["-c", "cd '\(folder)' && exec \"$@\"", "sh", Self.program, "-c", "nats.conf", "-p", number])
        var found: UInt16?
        var log: [String] = []
        while let line = run.complaint() {
            log.append(line)
            if line.contains("Listening for client connections on ") {
                found = line.split(separator: ":").last.flatMap { UInt16($0) }
            }
            if line.contains("Server is ready") { break }
        }
        self.port = try #require(found, "\(Self.program): \(log.joined(separator: "\n"))")
    }

    /// What it logs next that has `text`; nil if it ends.
    func logged(_ text: String) -> String? {
        while let line = run.complaint() { if line.contains(text) { return line } }
        return nil
    }

    func stop() throws {
        try run.child.signal(SIGTERM)
        _ = run.complaints()
        _ = try run.child.waitUntilExit()
    }

    deinit { try? run.child.signal(SIGKILL) }
}
