import BelfryAppGroup
import BelfryCommandLine
import BelfryDevices
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Fleet
import FleetKeys
import Glibc
import Support
import Testing

/// `belfry device` on a machine that joined a fleet: its agent is asked, which this plays.
@Suite struct FleetDeviceTests {
    private static let now = WallTime(microseconds: wallTimeMicroseconds())
    private let folder = TemporaryFolder()
    private let state: StateDirectory

    init() throws {
        state = StateDirectory(path: "\(folder.path)/state")
        try join(as: .machine)
        _ = folder.makeFolder("run/belfry")
    }

    private func join(as role: FleetRole) throws {
        let setup = try FleetSetup(state: StateDirectory(path: "\(folder.path)/keeper"))
        try setup.setUp(adding: [#require(Broker("a.example"))], at: Self.now)
        let path = try setup.enroll(#require(FleetName("kiosk-1")), as: role, until: nil, again: true, at: Self.now)
        let bytes = try readFile(at: path, bytesMax: FleetCredential.bytesMax).bytes
        try FleetMembership(state: state).keep(FleetCredential(bytes: bytes))
    }

    /// What it prints and complains of, and what the agent was asked, which answers each by `answer`.
    private func run(
        _ words: [String], exit status: ProgramStatus = .done, connections: Int = 1,
        _ answer: @escaping @Sendable (DeviceQuestion?) -> [UInt8]
    ) throws -> (lines: [String], asked: [DeviceQuestion]) {
        let asked = LockedValue<[DeviceQuestion]>([])
        let agent = ScriptedWorker(connections: connections) { connection in
            var line: [UInt8] = []
            var byte: UInt8 = 0
            while unsafe read(connection, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
            let question = try? DeviceQuestion.read(line)
            if let question { asked.withLock { $0.append(question) } }
            ScriptedWorker.write(answer(question), to: connection)
        }
        let socket = "\(folder.path)/run/belfry/agent.sock"
        #expect(unsafe symlink(agent.path, socket) == 0)
        defer { unsafe unlink(socket) }
        let printed = try withExtendedLifetime(agent) { try lines(words, exit: status) }
        return (printed, asked.withLock { $0 })
    }

    private func lines(_ words: [String], exit status: ProgramStatus) throws -> [String] {
        let run = try ProgramRun(
            testedProgram("belfry-apns"), ["device"] + words,
            environment: ["BELFRY_STATE_DIRECTORY": state.path, "XDG_RUNTIME_DIR": "\(folder.path)/run"])
        let lines = run.lines() + run.complaints()
        #expect(try run.child.waitUntilExit() == .exited(code: status.rawValue), "\(words) \(lines)")
        return lines
    }

    private static func line(_ answer: DeviceAnswer) -> [UInt8] { answer.bytes + [UInt8(ascii: "\n")] }

    private static let (alert, voip) = (String(repeating: "a1", count: 32), String(repeating: "b2", count: 32))

    /// As a gateway that writes down what it is asked for.
    private static let writing: @Sendable (DeviceQuestion?) -> [UInt8] = { question in
        guard case .add(let device)? = question, let alert = DeviceToken(hex: alert),
            let voip = DeviceToken(hex: voip),
            let named = NamedDevice(
                device.id,
                DeviceEntry(
                    bundleID: device.bundleID, appGroup: device.appGroup, environment: device.environment,
                    callPayload: device.callPayload, alertToken: alert, voipToken: voip, addedAt: now))
        else { return line(.done(except: [])) }
        return line(.devices([named], isAll: true))
    }

    @Test("add has the agent ask for the device as it was described, and prints what a gateway has written down")
    func add() throws {
        let words = ["add", "--bundle-id", "com.example.phone", "--group", "group.a", "--environment", "sandbox"]
        let (lines, asked) = try run(words + ["--payload", "twilio"], Self.writing)
        try #require(asked.count == 1)
        guard case .add(let device) = asked[0] else { return #expect(Bool(false), "\(asked)") }
        #expect(lines == ["device \(device.id)", "alert  \(Self.alert)", "voip   \(Self.voip)", "group  group.a"])
        #expect(device.bundleID == "com.example.phone" && device.appGroup?.text == "group.a")
        #expect(device.environment == .development && device.callPayload?.rawValue == "twilio")
        // What is here, the agent writes.
        #expect(try TokenRegistry(state: state).all().isEmpty)
        let (json, _) = try run(words + ["--json"], Self.writing)
        let object = try #require(json.first.flatMap { try JSONValue.parse(Array($0.utf8)).objectValue })
        #expect(object["voipToken"]?.stringValue == Self.voip && object["appGroup"] == "group.a")
        #expect(object["state"] == "online")
    }

    @Test("with --count each is asked for by itself, and printed as it is there") func count() throws {
        let words = ["add", "--bundle-id", "com.example.phone", "--count", "3"]
        let (lines, asked) = try run(words, connections: 3, Self.writing)
        let ids = asked.compactMap { question -> String? in
            if case .add(let device) = question { device.id } else { nil }
        }
        #expect(Set(ids).count == 3 && lines == ids.map { "\($0) \(Self.alert) \(Self.voip)" })
        // The second fails: what is known of the first is told all the same.
        let rest = LockedValue(1)
        let (some, _) = try run(words, exit: .unavailable, connections: 2) { question in
            let isLeft = rest.withLock { left in
                left -= 1
                return left >= 0
            }
            return isLeft ? Self.writing(question) : Self.line(.refused(.machineFull, detail: ""))
        }
        #expect(some.count == 2 && some[1] == "belfry: this machine has as many devices as one may have")
    }

    @Test("remove, offline and online are asked of the agent, by the device's id") func change() throws {
        let device = try TokenRegistry(state: state).add(
            bundleID: "com.example.phone", appGroup: nil, environment: .production, at: Self.now)
        let questions: [(String, DeviceQuestion)] = [
            ("offline", .offline(device.id)), ("online", .online(device.id)), ("remove", .remove(device.id)),
        ]
        for (verb, question) in questions {
            let (lines, asked) = try run([verb, device.voipToken.hex], Self.writing)
            #expect(lines.isEmpty && asked == [question])
        }
        // What the agent has not changed here is as it was.
        #expect(try TokenRegistry(state: state).device(device.id)?.removedAt == nil)
        let (lines, _) = try run(["remove", device.id], exit: .notFound) { _ in
            Self.line(.refused(.unknownDevice, detail: "gate-1"))
        }
        #expect(lines == ["belfry: the fleet has no such device in use: gate-1: see belfry device list"])
    }

    @Test("what cannot be done is told, with what to do, and status 69 where it may be done later")
    func refused() throws {
        let add = ["add", "--bundle-id", "com.example.phone"]
        let hint = "systemctl --user status belfry-agent.service"
        let answers: [([UInt8], String)] = [
            (
                Self.line(.refused(.unavailable, detail: "no gateway answers")),
                "nothing was changed: no gateway answers: \(hint)"
            ),
            (Self.line(.refused(.fleetFull, detail: "")), "the fleet has as many devices as it may have"),
            (Self.line(.done(except: [])), "the agent answers what nobody understands: is it of this version?"),
            (Array("what?\n".utf8), "the agent answers what nobody understands: is it of this version?"),
            ([], "the agent of this machine does not answer in time: \(hint)"),
        ]
        for (answer, message) in answers {
            #expect(try run(add, exit: .unavailable) { _ in answer }.lines == ["belfry: \(message)"])
        }
        #expect(
            try lines(add, exit: .unavailable).first?.hasSuffix(
                "No such file or directory: systemctl --user enable --now belfry-agent.service") == true)
    }

    @Test("a gateway's own devices are its own, and need no agent") func gateway() throws {
        try join(as: .gateway)
        #expect(try lines(["add", "--bundle-id", "com.example.phone"], exit: .done).count == 4)
        #expect(try TokenRegistry(state: state).all().count == 1)
    }
}
