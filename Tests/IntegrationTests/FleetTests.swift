import BelfryAppGroup
import BelfryDevices
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import CallLedger
import DeviceRegistry
import Glibc
import Support
import Testing

extension IntegrationTests {
    /// Two gateways, a machine, and a broker between them: all by the installed units, the broker by Debian's program.
    @Suite("A push to any gateway rings on the machine that has the device") struct Fleet {
        private let office: Office
        private let gateways: [PushGateway]
        private let machine: Phone
        private let voip: String
        private let alert: String

        init() throws {
            let office = try Office()
            self.office = office
            gateways = try ["gate-1", "gate-2"].map { try PushGateway($0, of: office) }
            machine = try Phone(isInFleet: true)
            let joined = try office.enroll("kiosk", for: machine)
            #expect(joined.contains("gateway gate-") && joined.contains("belfry-agent.service"), "\(joined)")
            try machine.systemctl("start", "\(machine.name)-agent.service")
            let device = try object(machine.belfry("device", "add", "--bundle-id", "com.example.phone", "--json"))
            voip = try #require(device["voipToken"]?.stringValue)
            alert = try #require(device["alertToken"]?.stringValue)
        }

        /// What curl is answered by the gateway: status, and the body before it.
        private func push(
            _ payload: String, to token: String, topic: String = "com.example.phone.voip", id: String? = nil,
            by gateway: Int = 0
        ) throws -> String {
            try gateways[gateway].push(payload, to: token, topic: topic, id: id)
        }

        /// What the first gateway knows of each gateway and machine.
        private func list() throws -> [JSONObject] {
            try gateways[0].phone.belfry("fleet", "list", "--json").output.split(separator: "\n").map {
                try #require(JSONValue.parse(Array($0.utf8)).objectValue)
            }
        }

        private func log(of gateway: Int) throws -> [JSONObject] {
            try gateways[gateway].phone.belfry("apns", "log", "--json").output.split(separator: "\n").compactMap {
                try JSONValue.parse(Array($0.utf8)).objectValue
            }
        }

        @Test("a call rings there, its hangup by the other gateway silences it, and the log names the machine")
        func rings() throws {
            #expect(try push(#"{"callId": "1", "callerName": "Ada", "handle": "+49"}"#, to: voip) == "200")
            #expect(try waitUntil { try machine.rings().map(\.call) == ["1"] })
            // The other gateway learns the token by the bucket alone.
            #expect(try push(#"{"type": "hangup", "callId": "1"}"#, to: voip, by: 1) == "200")
            #expect(
                try waitUntil { try machine.rings().isEmpty && machine.ledger().call(CallKey("1"))?.state == .hangup })
            #expect(try waitUntil { try log(of: 0).contains { $0["event"] == "ended" } })
            let steps = try log(of: 0).map { $0["step"]?.stringValue ?? "" }
            #expect(steps.starts(with: ["accepted", "handed-over", "received"]), "\(steps)")
            #expect(try log(of: 0).first { $0["step"] == "handed-over" }?["machine"] == "kiosk")
            #expect(try !machine.hasFailedUnits() && !gateways[0].phone.hasFailedUnits())
            let listed = try list()
            #expect(listed.map { $0["gateway"] ?? $0["machine"] } == ["gate-1", "gate-2", "kiosk"], "\(listed)")
            #expect(listed.allSatisfy { $0["there"] == true && $0["version"] != nil }, "\(listed)")
            #expect(listed.last?["devices"] == 1 && listed.last?["brokers"]?.arrayValue?.count == 1, "\(listed)")
            let status = try machine.belfry("fleet", "status").output
            #expect(status.contains("up") && status.contains("gateway  gate-1"), "\(status)")
            #expect(try gateways[1].phone.belfry("fleet", "status").output.contains("as the fleet has them"))
        }

        @Test("the same push by both gateways is delivered once, and both hear of it") func once() throws {
            for gateway in 0..<2 {
                let said = try push(
                    #"{"aps": {"alert": "once"}}"#, to: alert, topic: "com.example.phone",
                    id: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", by: gateway)
                #expect(said == "200")
            }
            for gateway in 0..<2 {
                #expect(try waitUntil { try log(of: gateway).contains { $0["step"] == "received" } })
            }
            #expect(try waitUntil { try !alerts().isEmpty })
            #expect(try alerts().count == 1)
        }

        private func alerts() throws -> [Substring] {
            try machine.belfry("alerts", "--json").output.split(separator: "\n")
        }

        @Test("an unknown token is refused once that is certain, and a removed device's as such") func tokens() throws {
            let unknown = String(repeating: "ab", count: 32)
            #expect(
                try waitUntil { try push("{}", to: unknown, by: 1) == #"{"reason":"BadDeviceToken"}400"# },
                "503 until the whole bucket was read")
            let device = try #require(object(machine.belfry("device", "list", "--json"))["id"]?.stringValue)
            #expect(try machine.belfry("device", "remove", device).status.isSuccess)
            #expect(try waitUntil { try push("{}", to: voip).contains("Unregistered") })
        }

        @Test("a device that another program adds on the machine, as belfry-calls for an app, is the fleet's too")
        func announced() throws {
            let device = try TokenRegistry(state: machine.state).add(
                bundleID: "com.example.phone", appGroup: nil, environment: .production,
                at: WallTime(microseconds: wallTimeMicroseconds()))
            #expect(
                try waitUntil {
                    try push(#"{"callId": "1"}"#, to: device.voipToken.hex, by: 1) == "200"
                })
            #expect(try waitUntil { try machine.rings().map(\.call) == ["1"] })
            // The gateway shows whose it is, and leaves it alone.
            let refused = try gateways[1].phone.belfry("device", "remove", device.id)
            #expect(refused.status == .exited(code: 64) && refused.errors.contains("kiosk"), "\(refused)")
            #expect(try gateways[1].phone.belfry("device", "list").output.contains("\(device.id) com.example.phone"))
        }

        @Test("brokers that have lost their disk are given the devices back by a gateway") func restored() throws {
            #expect(try waitUntil { try push("{}", to: alert, topic: "com.example.phone") == "200" })
            try office.lose(0)
            let unknown = String(repeating: "ab", count: 32)
            #expect(try waitUntil { try push("{}", to: unknown).contains("503") })
            #expect(try push(#"{"callId": "1"}"#, to: voip) == "200", "known tokens go on")
            #expect(try waitUntil { try machine.rings().map(\.call) == ["1"] })
            let refused = try machine.belfry("fleet", "restore")
            #expect(refused.status == .exited(code: 64) && refused.errors.contains("a gateway knows"), "\(refused)")
            var restored: Finished?
            #expect(
                try waitUntil {
                    restored = try gateways[1].phone.belfry("fleet", "restore")
                    return restored?.output == "restored 1 device\n"
                }, "\(String(describing: restored))")
            #expect(try waitUntil { try push("{}", to: unknown) == #"{"reason":"BadDeviceToken"}400"# })
        }

        @Test("an agent starts anew by another credential, and ends where its machine has left") func rejoined() throws
        {
            #expect(try office.belfry(["fleet", "revoke", "kiosk"]).status.isSuccess)
            #expect(try waitUntil { try !machine.belfry("fleet", "status").output.contains(" up") })
            try office.enroll("kiosk", "--again", for: machine)
            #expect(try waitUntil { try machine.belfry("fleet", "status").output.contains(" up") })
            #expect(try waitUntil { try push(#"{"callId": "1"}"#, to: voip) == "200" })
            #expect(try waitUntil { try machine.rings().map(\.call) == ["1"] })
            #expect(try machine.belfry("fleet", "leave").status.isSuccess)
            #expect(
                try waitUntil {
                    try machine.systemctl("show", "--property=SubState", "--value", "\(machine.name)-agent.service")
                        .output.hasPrefix("failed")
                })
        }

        @Test("a machine without its agent is offline; what was kept rings as the agent is back") func back() throws {
            try machine.systemctl("stop", "\(machine.name)-agent.service", "\(machine.name)-agent.socket")
            #expect(try push(#"{"callId": "1"}"#, to: voip) == "200")
            #expect(
                try waitUntil { try log(of: 0).contains { $0["step"] == "offline" && $0["code"] == "no-machine" } })
            let listed = try #require(list().last)
            #expect(listed["there"] == false && listed["waiting"] == 1 && listed["machine"] == "kiosk", "\(listed)")
            try machine.systemctl("start", "\(machine.name)-agent.service")
            #expect(try waitUntil { try machine.rings().map(\.call) == ["1"] })
        }

        @Test("agent and relay have given up what they do not need, and without an agent no device is added")
        func confined() throws {
            for (phone, unit) in [(machine, "agent"), (gateways[0].phone, "relay")] {
                let name = "\(phone.name)-\(unit).service"
                let process = try phone.systemctl("show", "--property=MainPID", "--value", name).output
                let status = contents(of: "/proc/\(process.filter(\.isNumber))/status")
                #expect(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"), "\(status)")
            }
            try machine.systemctl("stop", "\(machine.name)-agent.service", "\(machine.name)-agent.socket")
            let finished = try machine.belfry("device", "add", "--bundle-id", "com.example.other", "--share")
            #expect(finished.status == .exited(code: 69) && finished.errors.contains("belfry-agent"), "\(finished)")
        }
    }

}

/// Where a fleet's keys are, and its brokers, on ports that nobody has.
final class Office {
    private let folder = TemporaryFolder()
    /// Where the brokers hear machines and gateways, and where each other.
    let ports: [UInt16]
    let routePorts: [UInt16]
    private var brokers: [ProgramRun] = []

    /// With so many brokers. Of one alone, the registry lies in the folder `store`, if that is named.
    init(brokers count: Int = 1, store: String? = nil) throws {
        var listeners: [Int32] = []
        let ports = try (0..<2 * count).map { _ in
            var port: UInt16 = 0
            // All are held until all are known.
            listeners.append(dup(try listenLocally(backlog: 1, port: &port).number))
            return port
        }
        for listener in listeners { close(listener) }
        (self.ports, routePorts) = (Array(ports.prefix(count)), Array(ports.suffix(count)))
        let names = (0..<count).flatMap { ["--broker", "127.0.0.1:\(ports[$0]):\(ports[$0 + count])"] }
        #expect(try belfry(["fleet", "setup"] + names).status.isSuccess)
        if let store {
            let isLinked = unsafe symlink(store, "\(place(of: 0))/store-alone") == 0
            try #require(isLinked)
        }
        for number in 0..<count { brokers.append(try start(number)) }
        for number in 0..<count { #expect(isReady(number)) }
        // Now that they run, the registry of devices can be made.
        let made = try belfry(["fleet", "setup"])
        #expect(made.status.isSuccess, "\(made)")
    }

    deinit { for broker in brokers { try? broker.child.signal(SIGKILL) } }

    private func start(_ number: Int) throws -> ProgramRun {
        // Into a file, since nobody reads a pipe of theirs.
        unsafe unlink(logPath(of: number))
        let script = "cd '\(place(of: number))' && exec \"$@\""
        // As its configuration tells to start it.
        return try ProgramRun(
            "/bin/sh",
            ["-c", script, "sh", "env", "GOGC=40", Self.program, "-c", "nats.conf", "-l", logPath(of: number)])
    }

    private func isReady(_ number: Int) -> Bool { waitUntil { log(of: number).contains("Server is ready") } }

    private func place(of number: Int) -> String {
        let setup = "\(folder.path)/fleet/setup"
        let name = names(in: setup).first { $0.hasPrefix("broker-") && $0.contains("\(ports[number])") }
        return "\(setup)/\(name ?? "")"
    }

    private func logPath(of number: Int) -> String { "\(folder.path)/broker-\(number).log" }

    /// What the broker of that number has logged since it started.
    func log(of number: Int) -> String { contents(of: logPath(of: number)) }

    /// The process of the broker of that number.
    func process(_ number: Int) -> Int32 { brokers[number].child.pid }

    /// The broker's.
    static var program: String {
        Surroundings.value("BELFRY_TEST_NATS") ?? sourceFile(".build/nats/usr/sbin/nats-server")
    }

    /// Where the keys are.
    var state: StateDirectory { StateDirectory(path: folder.path) }

    /// Runs `belfry` where the keys are.
    func belfry(_ words: [String]) throws -> Finished {
        try run("\(Surroundings.programs)/belfry", words, environment: ["BELFRY_STATE_DIRECTORY": folder.path])
    }

    /// Makes a credential for `name`; where its file is.
    func credential(_ name: String, _ more: [String]) throws -> String {
        let made = try belfry(["fleet", "enroll", name] + more)
        let words = made.output.split(whereSeparator: \.isWhitespace)
        return String(try #require(words.first { $0.hasSuffix(".credential") }, "\(made)"))
    }

    /// Makes a credential for `name`, with which `phone` joins.
    @discardableResult
    func enroll(_ name: String, _ more: String..., for phone: Phone) throws -> String {
        let joined = try phone.belfry("fleet", "join", credential(name, more))
        #expect(joined.status.isSuccess, "\(joined.errors)")
        return joined.output + joined.errors
    }

    /// Has the broker of that number stop, or go on.
    func signal(_ number: Int, _ signal: Int32) throws { try brokers[number].child.signal(signal) }

    /// A broker, which is alone, loses its disk; it is started with its folder, and its registry is made.
    func lose(_ number: Int) throws {
        try signal(number, SIGKILL)
        let store = "\(place(of: number))/store-alone"
        try startAgain(number) { () throws in
            let removed = try run("/bin/rm", ["-r", store])
            #expect(removed.status.isSuccess, "\(removed)")
        }
        let made = try belfry(["fleet", "setup"])
        #expect(made.output.contains("was made"), "\(made)")
    }

    /// Starts a broker that was killed, and does `before` before that.
    func startAgain(_ number: Int, before: () throws -> Void = {}) throws {
        _ = try brokers[number].child.waitUntilExit()
        try before()
        brokers[number] = try start(number)
        #expect(isReady(number))
    }
}

/// What a command printed as JSON.
func object(_ finished: Finished) throws -> JSONObject {
    try #require(try JSONValue.parse(Array(finished.output.utf8)).objectValue, "\(finished.errors)")
}
