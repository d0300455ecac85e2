import BelfryAppGroup
import BelfryCommandLine
import BelfryDevices
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetKeys
import Glibc
import Support
import Testing

/// `belfry fleet setup`, `join`, `leave` and `revoke` at a broker that runs.
@Suite struct FleetJoinTests {
    private let folder = TemporaryFolder()
    private let port: UInt16

    init() throws { port = try #require(SetUpBroker.freePorts(1).first) }

    /// What it prints and complains of, by whoever has the keys, or on the machine `host`.
    private func lines(
        _ words: [String], on host: String = "keeper", exit status: ProgramStatus = .done
    ) throws -> [String] {
        let run = try ProgramRun(
            testedProgram("belfry-fleet"), words, environment: ["BELFRY_STATE_DIRECTORY": "\(folder.path)/\(host)"])
        let lines = run.lines() + run.complaints()
        #expect(try run.child.waitUntilExit() == .exited(code: status.rawValue), "\(words) \(lines)")
        return lines
    }

    private func start() throws -> SetUpBroker {
        _ = try lines(["setup", "--broker", "127.0.0.1:\(port)"])
        return try SetUpBroker(folder: "\(folder.path)/keeper/fleet/setup/broker-127.0.0.1-\(port)", port: port)
    }

    private func enroll(_ words: String...) throws -> String {
        let line = try lines(["enroll"] + words).first
        return try #require(line?.split(separator: " ").last.map(String.init))
    }

    private func membership(_ host: String) throws -> FleetCredential? {
        try FleetMembership(state: StateDirectory(path: "\(folder.path)/\(host)")).credential()
    }

    @Test("setup makes the registry once a broker runs, and says what it did, or what is to be done")
    func setUp() throws {
        let none = "No broker is reached. Once they run, belfry fleet setup again makes the registry of devices."
        #expect(try lines(["setup", "--broker", "127.0.0.1:\(port)"]).last == none)
        let broker = try start()
        #expect(try lines(["setup"]).last == "The registry of devices was made, with 1 copy.")
        #expect(try lines(["setup"]).last == "The registry of devices is there, with 1 copy.")
        let more = try lines(["setup", "--broker", "127.0.0.1:1:2", "--broker", "127.0.0.1:3:4"])
        #expect(
            more.contains(
                "Once more than half of the brokers run, belfry fleet setup again makes the registry of devices."))
        #expect(more.last?.hasPrefix("belfry: broker 127.0.0.1:3 is not reached: ") == true)
        withExtendedLifetime(broker) {}
    }

    @Test(
        "who is let in joins as what it is, and keeps its file; the unit to enable is named",
        arguments: [
            ("machine", [], "belfry-agent.service"), ("shared", ["--shared"], "belfry-agent.service"),
            ("gateway", ["--gateway"], "belfry-relay.service"),
        ] as [(String, [String], String)])
    func join(role: String, words: [String], unit: String) throws {
        let broker = try start()
        let path = try enroll("kiosk-1", words.first ?? "--again")
        let printed = try lines(["join", path], on: "host")
        #expect(
            printed == [
                "broker 127.0.0.1:\(port) lets it in", "This is the \(role) kiosk-1 of the fleet now.",
                "  systemctl --user enable --now \(unit)",
                "Remove \(path): whoever has it is this \(role == "gateway" ? role : "machine"), too.",
            ]
                + (role == "gateway"
                    ? [] : ["belfry: no gateway answers: until one does, no push comes here, and no device is added"]))
        #expect(try membership("host")?.role.rawValue == role)
        // The same name again takes the place of what was there, from standard input too.
        let again = try enroll("kiosk-1", words.first ?? "--again", "--again")
        let before = try membership("host")
        let piped = try ProgramRun(
            "/bin/sh", ["-c", "exec \"$0\" join - < '\(again)'", testedProgram("belfry-fleet")],
            environment: ["BELFRY_STATE_DIRECTORY": "\(folder.path)/host"])
        #expect(piped.lines().last == "  systemctl --user enable --now \(unit)")
        #expect(try membership("host") != before)
        #expect(
            try lines(["leave"], on: "host") == [
                "This machine belongs to no fleet any more.", "  systemctl --user disable --now \(unit)",
            ])
        #expect(try membership("host") == nil)
        #expect(
            try lines(["leave"], on: "host", exit: .notFound) == ["belfry: this machine belongs to no fleet"])
        withExtendedLifetime(broker) {}
    }

    @Test("who belongs to a fleet joins none as another, unless it is told to") func other() throws {
        let broker = try start()
        _ = try lines(["join", enroll("a")], on: "host")
        let known = "belfry: this is the machine a already: belfry fleet leave, or --again"
        let gateway = try enroll("a", "--gateway")
        #expect(try lines(["join", gateway], on: "host", exit: .usage) == [known])
        #expect(try lines(["join", enroll("b")], on: "host", exit: .usage) == [known])
        // Of another fleet, whose keys are not these, and whose broker is not there.
        let foreign = try FleetSetup(state: StateDirectory(path: "\(folder.path)/foreign"))
        let now = WallTime(microseconds: wallTimeMicroseconds())
        try foreign.setUp(adding: [#require(Broker("127.0.0.1:\(port)"))], at: now)
        let path = try foreign.enroll(#require(FleetName("a")), as: .machine, until: nil, again: false, at: now)
        #expect(
            try lines(["join", path], on: "host", exit: .usage) == [
                "belfry: this machine belongs to another fleet: belfry fleet leave, or --again"
            ])
        // The broker that is there is none of that fleet's: what was kept stays.
        let untrusted = try lines(["join", path, "--again"], on: "host", exit: .unavailable)
        #expect(untrusted.first?.hasPrefix("belfry: broker 127.0.0.1:\(port) is not trusted: ") == true)
        #expect(
            untrusted.last
                == "belfry: no broker lets it in: is a broker running, and can its port be reached from here?")
        #expect(try membership("host")?.role == .machine)
        _ = try lines(["join", gateway, "--again"], on: "host")
        #expect(try membership("host")?.role == .gateway)
        withExtendedLifetime(broker) {}
    }

    @Test("who is revoked is refused from then on, and is told so as it joins") func revoked() throws {
        let broker = try start()
        let path = try enroll("a")
        #expect(
            try lines(["revoke", "a"]) == [
                "revoked the machine a", "Each broker has been told, and lets it in no more.",
            ])
        #expect(
            try lines(["join", path], on: "host", exit: .unavailable) == [
                "belfry: broker 127.0.0.1:\(port) is denied: Authorization Violation",
                "belfry: no broker lets it in: if it was not revoked, and the clock is right, the brokers are of another "
                    + "fleet",
            ])
        #expect(try membership("host") == nil)
        let absent = try lines(["remove", "a"], exit: .unavailable)
        #expect(absent == ["belfry: there is no registry of devices: belfry fleet setup makes it"], "\(absent)")
        _ = try lines(["setup"])
        #expect(try lines(["remove", "a"]) == ["removed 0 devices of a"])
        withExtendedLifetime(broker) {}
    }

    @Test("a file that is no credential is refused with its reason, before any broker is asked") func damaged() throws {
        _ = try lines(["setup", "--broker", "127.0.0.1:\(port)"])
        let path = try enroll("a")
        let text = try String(decoding: readFile(at: path, bytesMax: 1 << 20).bytes, as: UTF8.self)
        let halves: [(String, String)] = [
            (String(text.prefix(200)), "it is cut short: there is no whole token"),
            (text.replacing("name: a\n", with: "name: *\n"), "its name is none: a name is \(FleetName.rule)"),
            (text.replacing("name: a\n", with: "name: b\n"), "its token is for another name: a"),
            ("", "it is no credential of a fleet: it does not begin as one"),
        ]
        for (text, reason) in halves {
            let file = folder.write(Array(text.utf8), to: "file")
            #expect(
                try lines(["join", file], on: "host", exit: .badNotification) == [
                    "belfry: \(file) cannot be used: \(reason)"
                ])
        }
        let setup = try FleetSetup(state: StateDirectory(path: "\(folder.path)/keeper"))
        let now = WallTime(microseconds: wallTimeMicroseconds())
        let times: [(String, WallTime, WallTime?, String)] = [
            ("c", now + .seconds(-100), now + .seconds(-10), "it has ended: belfry fleet enroll makes another"),
            ("d", now + .seconds(7_200), nil, "it is not valid yet: is the clock right?"),
        ]
        for (name, time, end, reason) in times {
            let file = try setup.enroll(#require(FleetName(name)), as: .machine, until: end, again: false, at: time)
            #expect(
                try lines(["join", file], on: "host", exit: .badNotification) == [
                    "belfry: \(file) cannot be used: \(reason)"
                ])
        }
        let absent = try lines(["join", "\(folder.path)/absent"], on: "host", exit: .notFound)
        #expect(absent.first?.hasPrefix("belfry: the credential cannot be read: ") == true)
        #expect(try membership("host") == nil)
    }
}
