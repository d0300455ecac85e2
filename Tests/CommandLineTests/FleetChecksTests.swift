import BelfryAppGroup
import BelfryCommandLine
import BelfryDevices
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetKeys
import Glibc
import Support
import Testing

@testable import belfry

/// What `belfry doctor` and `belfry status` say of the fleet that a machine joined.
@Suite struct FleetChecksTests {
    private static let now = WallTime(microseconds: wallTimeMicroseconds())
    private let folder = TemporaryFolder()

    private var state: StateDirectory { StateDirectory(path: "\(folder.path)/state") }

    private func credential(_ role: FleetRole = .machine, days: Int64? = nil) throws -> FleetCredential {
        let setup = try FleetSetup(state: StateDirectory(path: "\(folder.path)/keeper"))
        try setup.setUp(adding: [#require(Broker("a.example")), #require(Broker("b.example"))], at: Self.now)
        let end = days.map { Self.now + .seconds($0 * 86_400 + 60) }
        let path = try setup.enroll(#require(FleetName("kiosk-1")), as: role, until: end, again: true, at: Self.now)
        return try FleetCredential(bytes: readFile(at: path, bytesMax: FleetCredential.bytesMax).bytes)
    }

    private static func status(
        up: [Bool] = [true, true], _ standing: MirrorStateMachine.Standing? = nil, clock: Int64? = 0,
        heardSecondsAgo: Int64? = 5, certificateDays: Int64 = 400, copies: BucketCopies? = nil, isTwice: Bool = false
    ) throws -> FleetStatus {
        let name = try #require(FleetName("gate-1"))
        let peers = heardSecondsAgo.map { seconds in
            [
                FleetStatus.Peer(
                    name: name, since: now, heardAt: now + .seconds(-seconds), clockSeconds: clock, isTwice: isTwice)
            ]
        }
        let end = now + .seconds(certificateDays * 86_400 + 60)
        let lines = zip(["a.example:4222", "b.example:4222"], up).map {
            FleetStatus.Line(broker: $0, isUp: $1, certificateEnd: $1 ? end : nil)
        }
        let bucket = copies.map { FleetStatus.Bucket(copies: $0, devicesCount: 1, unreadCount: 0) }
        return FleetStatus(
            name: name, since: now, lines: lines, standing: standing, bucket: bucket, peers: peers ?? [],
            droppedCount: 0)
    }

    private func findings(_ answer: FleetStanding.Answer, _ credential: FleetCredential) -> [Finding] {
        FleetChecks.findings(FleetStanding(credential, answer), at: Self.now)
    }

    @Test("a machine with its lines and a gateway is in order; what it lacks is told, with a cure")
    func machine() throws {
        let credential = try credential()
        let cases: [(FleetStanding.Answer, Finding.Level, String)] = [
            (.status(try Self.status()), .ok, "machine kiosk-1: 2 of 2 lines up, gateway gate-1"),
            (.off, .fail, "belfry-agent.service is off"), (.silent("EAGAIN"), .fail, "does not answer: EAGAIN"),
            (.status(try Self.status(up: [false, false])), .fail, "no broker is reached: a.example"),
            (.status(try Self.status(up: [true, false])), .warn, "b.example:4222 is not reached"),
            (.status(try Self.status(heardSecondsAgo: nil)), .fail, "no gateway answers"),
            (.status(try Self.status(heardSecondsAgo: 90)), .fail, "no gateway answers"),
            (.status(try Self.status(clock: 2)), .ok, "gateway gate-1"),
            (.status(try Self.status(clock: 3)), .warn, "gate-1 is 3 s ahead of this one"),
            (.status(try Self.status(clock: -3)), .warn, "gate-1 is 3 s behind this one"),
            (.status(try Self.status(isTwice: true)), .warn, "both ring (twice)"),
        ]
        for (answer, level, detail) in cases {
            let found = findings(answer, credential)
            #expect(found.map(\.level) == [level] && found[0].detail.contains(detail), "\(found)")
            #expect(found[0].remedy.isEmpty == (level == .ok), "\(found)")
        }
    }

    @Test("a gateway is told of its relay, and of what it knows of the fleet's devices") func gateway() throws {
        let credential = try credential(.gateway)
        let cases: [(FleetStanding.Answer, Finding.Level, String)] = [
            (.status(try Self.status(.whole)), .ok, "gateway kiosk-1: 2 of 2 lines up, 1 of 1 machines there"),
            (.status(try Self.status(.empty, heardSecondsAgo: nil)), .ok, "0 of 0 machines there"),
            (.off, .fail, "belfry-relay.service is off"),
            (.status(try Self.status(.unread)), .warn, "not read yet"),
            (.status(try Self.status(.missing)), .warn, "lacks devices"),
            (.status(try Self.status(.unreadable)), .warn, "cannot be read"),
            (.status(try Self.status(.whole, isTwice: true)), .warn, "the credential of gate-1: both ring (twice)"),
            (
                .status(try Self.status(.whole, copies: BucketCopies(count: 1, missingCount: 0))), .ok,
                "1 of 1 machines there"
            ),
            (
                .status(try Self.status(.whole, copies: BucketCopies(count: 3, missingCount: 1))), .warn,
                "1 of 3 copies of the registry of devices are not there"
            ),
        ]
        for (answer, level, detail) in cases {
            let found = findings(answer, credential)
            #expect(found.map(\.level) == [level] && found[0].detail.contains(detail), "\(found)")
        }
    }

    @Test("a credential that ends within 14 days is told of, and one that has ended, or begins later, rings nothing")
    func ends() throws {
        let status = FleetStanding.Answer.status(try Self.status())
        #expect(try findings(status, credential(days: 14)).map(\.level) == [.ok])
        let soon = try findings(status, credential(days: 13))
        #expect(soon.map(\.level) == [.warn, .ok] && soon[0].detail.hasSuffix("ends in 13 days"), "\(soon)")
        #expect(soon[0].remedy.contains("enroll kiosk-1 --again"))
        let gateway = try findings(.off, credential(.gateway, days: 1))
        #expect(gateway.first?.remedy.contains("enroll kiosk-1 --gateway --again") == true, "\(gateway)")
        let standing = FleetStanding(try credential(days: 1), status)
        let later = FleetChecks.findings(standing, at: Self.now + .seconds(2 * 86_400))
        #expect(later.first?.level == .fail && later.first?.detail.contains("has ended") == true, "\(later)")
        let earlier = FleetChecks.findings(standing, at: Self.now + .seconds(-86_400))
        #expect(earlier.first?.level == .fail && earlier.first?.remedy == "see timedatectl", "\(earlier)")
    }

    @Test("a broker's certificate that ends within 30 days is told of, and a registry with fewer copies than brokers")
    func brokers() throws {
        let gateway = try credential(.gateway)
        for (days, count) in [(30, 0), (29, 2)] as [(Int64, Int)] {
            let found = findings(.status(try Self.status(.whole, certificateDays: days)), gateway)
            #expect(
                found.count { $0.level == .warn && $0.detail.hasSuffix("ends in \(days) days") } == count, "\(found)")
        }
        let setup = try FleetSetup(state: StateDirectory(path: "\(folder.path)/keeper"))
        try setup.setUp(adding: [#require(Broker("c.example"))], at: Self.now)
        let one = try Self.status(.whole, copies: BucketCopies(count: 1, missingCount: 0))
        let found = try findings(.status(one), credential(.gateway))
        #expect(found.map(\.level) == [.warn] && found[0].detail.contains("has 1 of 3 copies"), "\(found)")
    }

    private var environment: [String: String] {
        [
            "BELFRY_STATE_DIRECTORY": state.path, "BELFRY_RUNTIME_DIRECTORY": folder.path, "HOME": folder.path,
            "BELFRY_SOUND": "none", "BELFRY_SOCKET": "\(folder.path)/push.sock",
        ]
    }

    private func check() -> [Finding] {
        FleetChecks.run(Context(options: ParsedOptions(), environment: environment, output: Output()))
    }

    @Test("who joined is read from the state directory, and asked at the agent's socket; status has one line of it")
    func asked() throws {
        #expect(check().isEmpty)
        #expect(CommandRun(["status", "--json"], environment).output.contains(#""fleet":null"#))
        try FleetMembership(state: state).keep(credential())
        #expect(check().first?.detail.contains("belfry-agent.service is off") == true, "\(check())")
        let off = CommandRun(["status"], environment)
        #expect(off.lines[1] == "fleet           machine kiosk-1: belfry-agent.service is off", "\(off.lines)")
        let status = try Self.status()
        let agent = ScriptedWorker(connections: 2) { connection in
            var word = [UInt8](repeating: 0, count: 16)
            let count = unsafe read(connection, &word, word.count)
            if Array(word.prefix(max(0, count))) == FleetStatus.question + [UInt8(ascii: "\n")] {
                ScriptedWorker.write(status.line, to: connection)
            }
        }
        #expect(unsafe symlink(agent.path, "\(folder.path)/agent.sock") == 0)
        withExtendedLifetime(agent) {
            #expect(check().map(\.level) == [.ok], "\(check())")
            let said = CommandRun(["status", "--json"], environment).output
            #expect(said.contains(#""linesUp":2"#) && said.contains(#""waiting":0"#), "\(said)")
        }
    }

    @Test("which unit a connection would start is read from systemctl's list") func service() {
        let list = """
            /run/user/1/belfry/agent.sock belfry-agent.socket belfry-agent.service
            127.0.0.1:2197                belfry-apns.socket  belfry-apns.service

            """
        #expect(FleetStanding.service(at: "/run/user/1/belfry/agent.sock", in: list) == "belfry-agent.service")
        #expect(FleetStanding.service(at: "/run/user/1/belfry/agent", in: list) == nil)
        #expect(FleetStanding.service(at: "/a", in: "/a b\n\n/a") == nil)
    }

    @Test("a credential that was cut short is told of, and ends with 69") func damaged() throws {
        try FleetMembership(state: state).keep(credential())
        let path = "\(state.path)/fleet/machine"
        #expect(unsafe truncate(path, 300) == 0)
        let found = check()
        #expect(found.map(\.level) == [.fail] && found[0].detail.hasPrefix("\(path): it is cut short"), "\(found)")
        #expect(CommandRun(["status"], environment).lines[1].hasPrefix("fleet           \(path): it is cut short"))
    }
}
