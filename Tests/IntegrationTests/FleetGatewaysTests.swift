import BelfryAppGroup
import BelfryDevices
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

extension IntegrationTests {
    /// Two gateways with their endpoints, and a broker.
    @Suite("A push server that uses both gateways", .timeLimit(.minutes(5))) struct FleetGateways {
        private let office: Office
        private let gateways: [PushGateway]

        init() throws {
            ignoreBrokenPipes()
            let office = try Office()
            self.office = office
            gateways = try ["gate-1", "gate-2"].map { try PushGateway($0, of: office) }
        }

        @Test("a gateway is killed: what it left unanswered goes to the other; none lost, none twice, the logs tell it")
        func killed() throws {
            let machine = try SinkMachine(of: office)
            let (sink, token) = (machine.sink, machine.token)
            let server = try PushServer(gateways, rate: FleetSize.isCampaign ? 100 : 200)
            let ids = (0..<FleetSize.pushes).map { _ in randomUUID() }
            server.send(ids.map { (token, $0, "alert") })
            var answeredBy: [String: Int] = [:]
            for number in ids.indices {
                let answer = try #require(server.answer())
                #expect(answer.status == 200, "\(answer)")
                answeredBy[answer.id] = answer.gateway
                if number == ids.count / 4 { try gateways[0].kill() }
                if number == ids.count * 3 / 4 { try gateways[0].startAgain() }
            }
            try server.end()
            #expect(waitUntil(seconds: 60) { sink.taken.count == ids.count })
            #expect(sink.taken.keys.allSatisfy(Set(ids).contains) && sink.taken.values.allSatisfy { $0.count == 1 })
            // Each that it answered, its log tells, and with what it had not answered there is more than that.
            #expect(waitUntil { ids.allSatisfy { gateways[answeredBy[$0] ?? 0].log.contains("\($0)") } })
            let logs = gateways.map(\.log)
            for id in ids { #expect(logs[try #require(answeredBy[id])].contains(id), "\(id)") }
            let shared = ids.count { id in logs.allSatisfy { $0.contains(id) } }
            print(
                "\(ids.count) pushes, \(answeredBy.values.count { $0 == 1 }) answered by the other gateway,",
                "\(shared) in both logs")
            #expect(answeredBy.values.contains(0) && answeredBy.values.count { $0 == 1 } > ids.count / 2)
        }

        @Test("R8 a call by one gateway, hung up by the other after 0, 2, 20 and 200 ms: none rings on") func hangups()
            throws
        {
            let machine = try Phone(["BELFRY_RING_DURATION": "60s"], isInFleet: true)
            try office.enroll("kiosk", for: machine)
            try machine.systemctl("start", "\(machine.name)-agent.service")
            let device = try object(machine.belfry("device", "add", "--bundle-id", "com.example.phone", "--json"))
            let token = try #require(device["voipToken"]?.stringValue)
            let hangUp = { (call: String) in #"{"type":"hangup","callId":"\#(call)"}"# }
            for gateway in gateways { #expect(try waitUntil { try gateway.push(hangUp("none"), to: token) == "200" }) }
            for milliseconds in [0, 2, 20, 200] as [Int32] {
                var rangCount = 0
                for number in 0..<FleetSize.pairs {
                    let call = "ring-\(milliseconds)-\(number)"
                    let (gateway, other) = (gateways[number % 2], gateways[(number + 1) % 2])
                    let (id, hangupID) = (randomUUID(), randomUUID())
                    let ringing = try gateway.begin(
                        #"{"callId":"\#(call)","callerName":"Ada","handle":"+49"}"#, to: token, id: id)
                    poll(nil, 0, milliseconds)
                    let hangingUp = try other.begin(hangUp(call), to: token, id: hangupID)
                    #expect(ringing.isAccepted() && hangingUp.isAccepted(), "\(call)")
                    #expect(
                        waitUntil {
                            gateway.hasLogged("delivered", of: id) && other.hasLogged("delivered", of: hangupID)
                                && gateway.hasLogged("ringing", of: id) == gateway.hasLogged("ended", of: id)
                        }, "\(call) \(id) \(hangupID): \(gateway.log) \(other.log)")
                    if gateway.hasLogged("ringing", of: id) { rangCount += 1 }
                    #expect(try waitUntil { try machine.rings().isEmpty }, "\(call)")
                }
                #expect(milliseconds < 200 || rangCount > 0)
                print("hung up after \(milliseconds) ms: \(rangCount) of \(FleetSize.pairs) rang before")
            }
            #expect(try machine.rings().isEmpty && !machine.hasFailedUnits())
        }
    }
}

/// A gateway with its endpoint, and the certificate by which its push server is known.
struct PushGateway {
    let phone: Phone
    let certificate: String

    /// Starts it as the gateway `name`, with `settings` besides.
    init(_ name: String, of office: Office, _ settings: [String: String] = [:]) throws {
        phone = try Phone(settings, isInFleet: true)
        try phone.belfry("apns", "setup")
        certificate = try phone.pushCertificate()
        try office.enroll(name, "--gateway", for: phone)
        try startAgain()
    }

    /// Starts what ``kill()`` has stopped.
    func startAgain() throws {
        try phone.systemctl("start", "\(phone.name)-relay.service", "\(phone.name)-apns.socket")
    }

    /// Kills relay and endpoint, and nobody listens at its port any more.
    func kill() throws {
        let endpoint = try phone.process(of: "-apns.service")
        #expect(endpoint != 0)
        try phone.systemctl(
            "kill", "--signal=KILL", "\(phone.name)-apns.service", "\(phone.name)-relay.service")
        try phone.systemctl(
            "stop", "\(phone.name)-apns.socket", "\(phone.name)-apns.service", "\(phone.name)-relay.socket",
            "\(phone.name)-relay.service")
    }

    /// What curl is answered by it: status, and the body before it.
    func push(
        _ payload: String, to token: String, topic: String = "com.example.phone.voip", id: String? = nil
    ) throws -> String {
        let more = id.map { ["--header", "apns-id: \($0)"] } ?? []
        return try phone.push(payload, to: token, topic: topic, by: certificate, more)
    }

    /// curl begins to push, by a connection of its own.
    func begin(_ payload: String, to token: String, id: String) throws -> CurledPush {
        try CurledPush(phone.curl(payload, to: token, by: certificate, ["--header", "apns-id: \(id)"]))
    }

    /// Whether its log has a line of the push `id` with that word.
    func hasLogged(_ word: String, of id: String) -> Bool {
        log.split(separator: "\n").contains { $0.contains(id) && $0.contains("\"\(word)\"") }
    }

    /// What it has logged of pushes.
    var log: String {
        contents(of: "\(phone.state.path)/apns/log.1.jsonl") + contents(of: "\(phone.state.path)/apns/log.jsonl")
    }
}

/// A push that curl is on the way with.
struct CurledPush {
    private let curl: ProgramRun

    init(_ arguments: [String]) throws {
        curl = try ProgramRun("/usr/bin/curl", arguments + ["--write-out", "%{http_code}\n"])
    }

    /// Whether it was answered with 200, which is waited for.
    func isAccepted() -> Bool {
        let answer = curl.lines()
        guard answer != ["200"] else { return true }
        Issue.record("\(answer), \(curl.complaints())")
        return false
    }
}

/// A push server's client that sends to gateways in turn, and what one leaves unanswered to the next
/// (Tests/Servers/apns-client.py).
final class PushServer {
    private let child: ChildProcess
    private var input: OwnedDescriptor?
    private let output: LineReader

    /// `rate` is how many pushes it sends in a second at most.
    init(_ gateways: [PushGateway], rate: Int) throws {
        let input = try DescriptorPair.pipe()
        let output = try DescriptorPair.pipe()
        let words = gateways.flatMap { gateway in
            [
                "\(gateway.phone.endpointPort)", "\(gateway.phone.state.path)/credentials/ca.pem",
                gateway.certificate,
            ]
        }
        child = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/python3",
                arguments: [
                    sourceFile("Tests/Servers/apns-client.py"), "gateways", "\(rate)", "com.example.phone",
                ] + words,
                streams: [0: .descriptor(input.reading.number), 1: .descriptor(output.writing.number)]))
        input.reading.close()
        output.writing.close()
        self.input = consume input.writing
        self.output = LineReader(output.reading)
    }

    /// Sends pushes to tokens, each with its id and kind, `alert` or `voip`.
    func send(_ pushes: [(token: String, id: String, kind: String)]) {
        let text = pushes.map { "\($0.token) \($0.id) \($0.kind)\n" }.joined()
        try? writeAll(Array(text.utf8), to: input?.number ?? -1, path: "apns-client.py")
    }

    /// The next answer that is the last to its push; nil if none comes in two minutes.
    func answer() -> (status: Int, id: String, gateway: Int)? {
        guard let words = output.next(within: 120_000)?.split(separator: " "), words.count == 3,
            let status = Int(words[0]), let gateway = Int(words[2])
        else { return nil }
        return (status, String(words[1]), gateway)
    }

    /// Ends once all is answered.
    func end() throws {
        input.take()?.close()
        #expect(try child.waitUntilExit().isSuccess)
    }
}
