import BelfryAppGroup
import BelfryDevices
import BelfryEventLoop
import BelfryJSON
import BelfryServe
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Glibc
import PushCarrier
import PushQueue
import Support
import Testing

/// A carrier that says what another one is given, and what that one says.
private final class OverheardCarrier: Carrier {
    enum Step: Equatable {
        case handedOver(String)
        case told(String, CarrierNews)
    }

    private let carrier: SocketCarrier
    private(set) var steps: [Step] = []
    var told: [(id: String, news: CarrierNews)] {
        steps.compactMap { if case .told(let id, let news) = $0 { (id, news) } else { nil } }
    }
    var onNews: () -> Void = {}

    init(_ carrier: SocketCarrier) { self.carrier = carrier }

    var onReturn: (FleetName?) -> Void {
        get { carrier.onReturn }
        set { carrier.onReturn = newValue }
    }

    func carry(_ handOver: HandOver, _ news: @escaping (CarrierNews) -> Void) {
        steps.append(.handedOver(handOver.push.apnsID))
        carrier.carry(handOver) { [self] what in
            steps.append(.told(handOver.push.apnsID, what))
            news(what)
            onNews()
        }
    }
}

/// R19, R20: what is handed to workers by the push socket.
@Suite struct HandOverTests {
    private let folder = TemporaryFolder()
    private let loop: Loop
    private let registry: TokenRegistry
    private let carrier: OverheardCarrier
    private let queue: NotificationQueue<Loop>

    init() throws {
        loop = try Loop()
        registry = try TokenRegistry(state: StateDirectory(path: folder.path))
        carrier = OverheardCarrier(SocketCarrier(socketPath: "\(folder.path)/push.sock", on: loop))
        queue = try NotificationQueue(
            state: StateDirectory(path: folder.path), registry: registry, carrier: carrier, on: loop)
    }

    private func device(payload: CallPayload? = nil) throws -> VirtualDevice {
        try registry.add(
            bundleID: "com.example.phone", appGroup: GroupName("group.a"), environment: .production,
            callPayload: payload, at: WallTime(microseconds: wallTimeMicroseconds()))
    }

    private func submit(
        _ payload: String, _ device: VirtualDevice, id: String = randomUUID(), expiration: WallTime? = nil,
        collapseID: String? = nil, kind: TokenKind = .voip
    ) -> EndpointPush {
        let registration = device.registrations[kind == .voip ? 1 : 0]
        let push = EndpointPush(
            apnsID: id, token: registration.token, topic: registration.topic,
            pushType: kind == .voip ? .voip : .alert, expiration: expiration, collapseID: collapseID,
            payload: Array(payload.utf8),
            acceptedAt: WallTime(microseconds: 1_000_000 * (wallTimeMicroseconds() / 1_000_000)))
        queue.submit(push, for: registration) { answer in #expect(answer == .accepted) }
        return push
    }

    /// Goes on until `isDone` holds of what the carrier has told.
    private func run(until isDone: @escaping ([CarrierNews]) -> Bool) {
        carrier.onNews = { [loop, carrier] in
            if isDone(carrier.told.map(\.news)) { loop.stop() }
        }
        loop.run()
        // What comes later does not end a later run.
        carrier.onNews = {}
        queue.finish()
    }

    private func server(_ settings: [String: String] = [:]) throws -> PushServer {
        var environment = [
            "BELFRY_SOUND": "none", "BELFRY_STATE_DIRECTORY": folder.path,
            "BELFRY_RUNTIME_DIRECTORY": "\(folder.path)/run",
        ]
        environment.merge(settings) { $1 }
        let worker = ServedWorker(testedProgram("belfry-worker"), environment: environment)
        return try PushServer(
            at: "\(folder.path)/push.sock", worker: worker.command, lifetimeMax: worker.lifetimeMax, on: loop)
    }

    private func stop(_ server: PushServer) {
        server.stop { [loop] in loop.stop() }
        loop.run()
    }

    @Test("the envelope has the payload's bytes as they came, and what the push says of itself")
    func envelope() throws {
        let received = ReceivedBytes()
        let path = "\(folder.path)/push.sock"
        let worker = ScriptedWorker { connection in
            received.set(ScriptedWorker.readAll(connection))
            let line =
                #"{"event":"rejected","at":0.1,"boot":1.5,"id":"\#(randomUUID())","reason":"NoAps","detail":"none"}"#
            ScriptedWorker.write("\(line)\n", to: connection)
        }
        #expect(unsafe symlink(worker.path, path) == 0)
        let id = randomUUID().uppercased()
        let payload = "{ \"callId\" :\t\"a\",\n \"x\": 1.50 }"
        let push = try submit(
            payload, device(payload: .twilio), id: id, expiration: WallTime(microseconds: 0), collapseID: "one \"two\"")
        run { $0.count == 1 }
        let text = String(decoding: received.bytes, as: UTF8.self)
        #expect(text.hasSuffix(",\"payload\":\(payload)}"))
        guard case .object(let object) = try JSONValue.parse(received.bytes) else { return #expect(Bool(false)) }
        #expect(object["id"]?.stringValue == id.lowercased() && object["pushType"] == "voip")
        #expect(object["topic"] == "com.example.phone.voip" && object["appGroup"] == "group.a")
        #expect(object["callPayload"] == "twilio")
        #expect(object["expiration"] == 0 && object["collapseId"] == "one \"two\"")
        #expect(object["sentAt"] == .integer(push.acceptedAt.unixSecond) && object["sentUntil"] == nil)
        #expect(carrier.told.map(\.news) == [.rejected(reason: "NoAps", detail: "none")])
    }

    @Test("R20 a hangup that was accepted with its call is handed over once a worker took the call")
    func order() throws {
        let server = try server()
        let device = try device()
        let call = submit("{\"callId\":\"a\"}", device).apnsID
        let hangup = submit("{\"callId\":\"a\",\"info\":{\"type\":\"hangup\"}}", device).apnsID
        run { news in news.count { $0 == .received } == 2 && news.contains(.event("missed", code: nil)) }
        stop(server)
        try expectInOrder([.handedOver(call), .told(call, .received), .handedOver(hangup), .told(hangup, .received)])
    }

    /// Each of `steps` was taken, and none before the one before it.
    private func expectInOrder(_ steps: [OverheardCarrier.Step]) throws {
        let places = try steps.map { step in try #require(carrier.steps.firstIndex(of: step), "\(step)") }
        #expect(places == places.sorted(), "\(carrier.steps)")
    }

    @Test("R20 a call rings on a real worker and its hangup silences it, in this order, and the log has all of it")
    func rings() throws {
        let server = try server()
        let device = try device()
        let call = submit("{\"callId\":\"a\",\"callerName\":\"Anna\"}", device)
        let ringing = CarrierNews.event("ringing", code: "loud")
        run { $0.contains(ringing) }
        let hangup = submit("{\"callId\":\"a\",\"info\":{\"type\":\"hangup\"}}", device)
        run { $0.contains(.event("missed", code: nil)) }
        stop(server)
        try expectInOrder([
            .handedOver(call.apnsID), .told(call.apnsID, .received), .told(call.apnsID, ringing),
            .handedOver(hangup.apnsID), .told(call.apnsID, .event("ended", code: "hangup")),
        ])
        let lines = try PushLog.lines(of: StateDirectory(path: folder.path)).map { String(decoding: $0, as: UTF8.self) }
        #expect(lines.contains { $0.contains(call.apnsID) && $0.contains("\"step\":\"received\"") })
        #expect(lines.allSatisfy { !$0.contains("Anna") && !$0.contains(device.voipToken.hex) })
    }

    @Test("R20 where there is no socket the push is kept, and handed over as soon as there is one")
    func noSocket() throws {
        _ = submit("{\"callId\":\"a\"}", try device())
        run { $0.count == 1 }
        guard case .offline(.noSocket, _)? = carrier.told.first?.news else {
            return #expect(Bool(false), "\(carrier.told)")
        }
        let server = try server()
        defer { stop(server) }
        run { $0.contains(.received) }
        #expect(carrier.told.map(\.news).contains(.received))
    }

    @Test("R20 a call that finds the line busy is tried again once it may be free")
    func busy() throws {
        // Long enough for a busy machine to get to the second call.
        let server = try server(["BELFRY_MAX_CALLS": "1", "BELFRY_RING_DURATION": "5s"])
        defer { stop(server) }
        let device = try device()
        let first = submit("{\"callId\":\"a\"}", device)
        let second = submit("{\"callId\":\"b\"}", device)
        run { news in news.count { $0 == .received } == 2 }
        let told = carrier.told.filter { $0.id == second.apnsID }.map(\.news)
        guard case .offline(.busy, _)? = told.first else { return #expect(Bool(false), "\(told)") }
        #expect(carrier.told.first?.id == first.apnsID && told.contains(.received))
    }

    @Test("what a worker cannot read is 200 all the same, and rejected in the log, with the reason")
    func rejected() throws {
        let server = try server()
        defer { stop(server) }
        let device = try device()
        let noAps = submit("{\"x\":1}", device, kind: .alert)
        let badField = submit("{\"aps\":[]}", device, kind: .alert)
        run { $0.count == 2 }
        let lines = try PushLog.lines(of: StateDirectory(path: folder.path)).compactMap {
            try JSONValue.parse($0).objectValue
        }
        for (push, reason) in [(noAps, "NoAps"), (badField, "BadField")] {
            let own = lines.filter { $0["id"]?.stringValue == push.apnsID }
            #expect(own.compactMap { $0["step"]?.stringValue } == ["accepted", "handed-over", "rejected"])
            #expect(own.first?["status"] == 200 && own.last?["code"]?.stringValue == reason, "\(own)")
        }
    }

    @Test("R20 a call that finds the line busy is 200; tried once, it expires, and the log says why")
    func busyOnce() throws {
        let server = try server(["BELFRY_MAX_CALLS": "1", "BELFRY_RING_DURATION": "5s"])
        defer { stop(server) }
        let device = try device()
        _ = submit("{\"callId\":\"a\"}", device)
        let second = submit("{\"callId\":\"b\"}", device, expiration: WallTime(microseconds: 0))
        run { [carrier] _ in carrier.told.contains { $0.id == second.apnsID } }
        let own = try PushLog.lines(of: StateDirectory(path: folder.path)).compactMap {
            try JSONValue.parse($0).objectValue
        }.filter { $0["id"]?.stringValue == second.apnsID }
        let steps = own.compactMap { $0["step"]?.stringValue }
        #expect(steps == ["accepted", "handed-over", "offline", "expired"] && own[2]["code"] == "busy", "\(own)")
    }

    @Test("R20 a worker that has waited too long for the push leaves the device offline, and the push for a retry")
    func late() throws {
        let worker = ScriptedWorker { connection in
            _ = ScriptedWorker.readAll(connection)
            let line =
                #"{"event":"rejected","at":5.1,"boot":1.5,"id":"\#(randomUUID())","reason":"Incomplete","detail":"5 s"}"#
            ScriptedWorker.write("\(line)\n", to: connection)
        }
        #expect(unsafe symlink(worker.path, "\(folder.path)/push.sock") == 0)
        _ = submit("{\"callId\":\"a\"}", try device())
        run { $0.count == 1 }
        #expect(carrier.told.map(\.news) == [.offline(.workerDied, detail: "5 s")])
    }

    @Test("R20 a worker that dies before it has taken the push leaves the device offline, and the push for a retry")
    func died() throws {
        let worker = ScriptedWorker(connections: 2) { connection in
            _ = ScriptedWorker.readAll(connection)
        }
        #expect(unsafe symlink(worker.path, "\(folder.path)/push.sock") == 0)
        _ = submit("{\"callId\":\"a\"}", try device())
        run { $0.count == 2 }
        for news in carrier.told.map(\.news) {
            guard case .offline(.workerDied, _) = news else { return #expect(Bool(false), "\(news)") }
        }
    }
}
