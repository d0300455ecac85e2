import BelfryDevices
import BelfryCommandLine
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetKeys
import Glibc
import Support
import Testing

/// `belfry-fleet`, which `belfry fleet` becomes, as people run it.
@Suite struct FleetCommandTests {
    private let folder = TemporaryFolder()

    private var state: String { "\(folder.path)/state" }
    private var path: String { "\(state)/fleet/setup" }

    /// What it prints and complains of.
    private func lines(_ words: [String], exit status: ProgramStatus = .done) throws -> [String] {
        let run = try ProgramRun(
            testedProgram("belfry-fleet"), words, environment: ["BELFRY_STATE_DIRECTORY": state])
        let lines = run.lines() + run.complaints()
        #expect(try run.child.waitUntilExit() == .exited(code: status.rawValue), "\(words) \(lines)")
        return lines
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try checked("stat") { unsafe stat(path, &status) }
        return status.st_mode & 0o7777
    }

    @Test("setup makes a folder for each broker, for its owner alone, and says what is to be done with it")
    func setUp() throws {
        let first = try lines(["setup", "--broker", "a.example", "--broker=b.example:1:2", "--broker", "[::1]"])
        #expect(
            first.prefix(4) == [
                "broker a.example:4222, which is new: \(path)/broker-a.example",
                "broker b.example:1, which is new: \(path)/broker-b.example-1",
                "broker [::1]:4222, which is new: \(path)/broker-::1", "",
            ])
        #expect(first.contains("  nats-server -c nats.conf"))
        #expect(
            first.contains(
                "Its ports have to be reachable: 1, 4222 for machines and gateways, 2, 6222 for the other brokers."))
        for folder in ["", "/broker-a.example", "/broker-b.example-1", "/broker-::1"] {
            #expect(try mode(path + folder) == 0o700)
        }
        for name in ["nats.conf", "server.pem", "server-key.pem", "authority.pem", "operator.jwt"] {
            #expect(try mode("\(path)/broker-a.example/\(name)") == 0o600, "\(name)")
        }
        for name in ["keys", "authority.pem", "authority-key.pem", "fleet.json"] {
            #expect(try mode("\(path)/\(name)") == 0o600, "\(name)")
        }
        let again = try lines(["setup", "--broker", "A.EXAMPLE"])
        #expect(Array(again.prefix(2)) == first.prefix(2).map { $0.replacing(", which is new", with: "") })
        #expect(try lines(["setup"]) == again)
        let more = try lines(["setup", "--broker", "c.example"])
        #expect(more.first == "broker a.example:4222, which has changed: \(path)/broker-a.example")
    }

    @Test("of two brokers it warns: neither may be missing") func two() throws {
        let warning = "belfry: warning: of two brokers neither may be missing when devices are added: have 3"
        #expect(try lines(["setup", "--broker", "a"]).last != warning)
        #expect(try lines(["setup", "--broker", "b"]).last == warning)
        #expect(try lines(["setup", "--broker", "c"]).last != warning)
    }

    @Test("enroll writes one file, for its owner alone, which is read as who it is for")
    func enroll() throws {
        _ = try lines(["setup", "--broker", "a.example"])
        let roles: [([String], FleetRole)] = [
            ([], .machine), (["--gateway"], .gateway), (["--shared", "--again"], .shared),
        ]
        for (words, role) in roles {
            let file = "\(path)/credentials/\(role.rawValue)-kiosk-1.credential"
            let printed = try lines(["enroll", "kiosk-1"] + words)
            #expect(printed.first == "\(role.rawValue) kiosk-1: \(file)" && printed.count == 2)
            #expect(try mode(file) == 0o600)
            let credential = try FleetCredential(bytes: readFile(at: file, bytesMax: 1 << 20).bytes)
            #expect(credential.name.text == "kiosk-1" && credential.role == role && credential.claims.endsAt == nil)
            #expect(credential.brokers.map(\.description) == ["a.example:4222"])
        }
        let printed = try lines(["enroll", "kiosk-2", "--expires", "30d"])
        let file = try #require(printed.first?.split(separator: " ").last.map(String.init))
        let claims = try FleetCredential(bytes: readFile(at: file, bytesMax: 1 << 20).bytes).claims
        let begin = try #require(claims.beginsAt)
        let end = try #require(claims.endsAt)
        #expect(end - begin == .seconds(30 * 86_400 + 3_600))
    }

    @Test("revoke says of whom, and where brokers' folders are written anew") func revoke() throws {
        _ = try lines(["setup", "--broker", "[::1]:1"])
        _ = try lines(["enroll", "x"])
        _ = try lines(["enroll", "x", "--gateway"])
        _ = try lines(["enroll", "y", "--shared"])
        let file = "\(path)/broker-::1-1/nats.conf"
        var before = try readFile(at: file, bytesMax: 1 << 20).bytes
        func expect(_ words: [String], _ revoked: String) throws {
            let printed = try lines(["revoke"] + words, exit: .unavailable)
            #expect(printed.first == "revoked the \(revoked)")
            #expect(printed.contains("  [::1]:1: \(path)/broker-::1-1"))
            #expect(printed.last?.hasPrefix("belfry: 1 of 1 brokers were not told: belfry fleet revoke again") == true)
            let after = try readFile(at: file, bytesMax: 1 << 20).bytes
            #expect(after != before)
            before = after
        }
        try expect(["y"], "shared y")
        try expect(["x", "--machine"], "machine x")
        try expect(["x", "--gateway"], "gateway x")
    }

    @Test(
        "a command line that is wrong is told what is wrong",
        arguments: [
            (
                [],
                "belfry: belfry fleet needs one of setup, enroll, revoke, remove, join, leave, status, list, restore: see belfry fleet --help"
            ),
            (
                ["enrol"],
                "belfry: belfry fleet needs one of setup, enroll, revoke, remove, join, leave, status, list, restore: did you mean enroll?"
            ),
            (["setup"], "belfry: a fleet has a broker at least: --broker HOST"),
            (["setup", "a"], "belfry: belfry fleet setup takes no argument: --broker HOST"),
            (["setup", "--broker"], "belfry: --broker needs a value: --broker HOST"),
            (["setup", "--broker", "a b"], "belfry: a b is no broker: HOST, HOST:PORT or HOST:PORT:ROUTEPORT, the"),
            (["setup", "--broker", "a:1:1"], "belfry: a:1:1 is no broker: HOST"),
            (["setup", "--broker", "a:1:2:3"], "belfry: a:1:2:3 is no broker: HOST"),
            (["setup", "--gateway"], "belfry: belfry fleet setup has no --gateway: see belfry fleet --help"),
            (["enroll"], "belfry: belfry fleet enroll takes one name: see belfry fleet --help"),
            (["enroll", "a", "b"], "belfry: belfry fleet enroll takes one name"),
            (["enroll", "*"], "belfry: * is no name of a machine or gateway: 1 to 63 small letters, digits and"),
            (["enroll", ">"], "belfry: > is no name of a machine or gateway"),
            (["enroll", "a.b"], "belfry: a.b is no name of a machine or gateway"),
            (["revoke", "*"], "belfry: * is no name of a machine or gateway"),
            (["enroll", "a", "--gateway", "--shared"], "belfry: a gateway shares its name with none: --gateway or"),
            (["enroll", "a", "--expires", "59s"], "belfry: --expires is 1min to 3650d: such as 30d or 12h"),
            (["enroll", "a", "--expires", "3651d"], "belfry: --expires is 1min to 3650d"),
            (["enroll", "a", "--expires", "soon"], "belfry: --expires is 1min to 3650d"),
            (["revoke", "a", "--gateway", "--machine"], "belfry: revoke takes one of --gateway and --machine"),
            (["join"], "belfry: belfry fleet join takes one file: see belfry fleet --help"),
            (["join", "a", "--shared"], "belfry: belfry fleet join has no --shared"),
            (["leave", "a"], "belfry: belfry fleet leave takes no argument"),
            (["remove", "*"], "belfry: * is no name of a machine or gateway"),
            (["revoke", "a", "--shared"], "belfry: belfry fleet revoke has no --shared"),
        ] as [([String], String)])
    func wrong(words: [String], message: String) throws {
        let lines = try lines(words, exit: .usage)
        #expect(lines.first?.hasPrefix(message) == true && lines.count == 1, "\(lines)")
    }

    @Test("what cannot be done is told, with a status of its own") func refused() throws {
        #expect(
            try lines(["enroll", "a"], exit: .notFound) == [
                "belfry: no fleet was set up here: see belfry fleet --help"
            ])
        let many = (0..<9).flatMap { ["--broker", "broker-\($0)"] }
        #expect(try lines(["setup"] + many, exit: .badNotification) == ["belfry: a fleet has 8 brokers at most"])
        _ = try lines(["setup", "--broker", "a"])
        _ = try lines(["enroll", "a"])
        #expect(
            try lines(["enroll", "a", "--shared"], exit: .usage) == [
                "belfry: the machine a is enrolled already: see belfry fleet --help"
            ])
        _ = try lines(["enroll", "a", "--gateway"])
        #expect(
            try lines(["revoke", "a"], exit: .usage) == [
                "belfry: there are a machine and a gateway called a: see belfry fleet --help"
            ])
        #expect(
            try lines(["remove", "a"], exit: .usage) == [
                "belfry: the machine a is not revoked: see belfry fleet --help"
            ])
        #expect(
            try lines(["remove", "b"], exit: .notFound) == [
                "belfry: no machine called b is enrolled: see belfry fleet --help"
            ])
        #expect(
            try lines(["revoke", "b"], exit: .notFound) == [
                "belfry: nobody called b is enrolled: see belfry fleet --help"
            ])
    }

    @Test("belfry fleet becomes belfry-fleet, with the same words") func handedOver() throws {
        let run = try ProgramRun(
            testedProgram("belfry"), ["fleet", "setup", "--broker", "a"],
            environment: ["BELFRY_STATE_DIRECTORY": state])
        #expect(run.lines().first == "broker a:4222, which is new: \(path)/broker-a")
        #expect(try lines(["--help"]).first?.hasPrefix("Usage: belfry fleet setup ") == true)
    }
}
