import BelfryDevices
import BelfryEventLoop
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetKeys
import FleetLine
import Glibc
import PushCarrier
import Support
import Synchronization
import Testing

/// How much the rows of what is promised have to bear: more by `make fleet`.
enum FleetSize {
    /// Whether `make fleet` asks for it.
    static let isCampaign = Surroundings.value("BELFRY_FLEET_PUSHES") != nil
    /// How many pushes a row has.
    static let pushes = Surroundings.value("BELFRY_FLEET_PUSHES").flatMap { Int($0) } ?? 200
    /// Between two pushes.
    static let pause = TimeSpan.milliseconds(isCampaign ? 20 : 10)
    /// How often a relay or an agent is struck in a row.
    static let strikes = isCampaign ? 10 : 1
    /// Which brokers are struck, each in turn: members of the fleet have their lines to two of three.
    static let brokers = 0..<(isCampaign ? 3 : 1)
    /// How many calls are hung up by the other gateway after each of the times.
    static let pairs = isCampaign ? 40 : 3
}

/// The machine kiosk of a fleet, as it is installed, whose pushes come out at a push socket that writes down what it
/// takes.
struct SinkMachine {
    let sink = Sink()
    let phone: Phone
    /// Its device's, for alerts.
    let token: String

    /// Joins the fleet of `office`, and has `settings` besides.
    init(of office: Office, _ settings: [String: String] = [:]) throws {
        phone = try Phone(settings.merging(["BELFRY_SOCKET": sink.path]) { $1 }, isInFleet: true)
        try office.enroll("kiosk", for: phone)
        try phone.systemctl("start", "\(phone.name)-agent.service")
        let device = try object(phone.belfry("device", "add", "--bundle-id", "com.example.phone", "--json"))
        token = try #require(device["alertToken"]?.stringValue)
    }
}

/// Relays, an agent and brokers, as they are installed; pushes go into the relays as an endpoint has them go, and come
/// out at a push socket that writes down what it takes.
final class OrdealFleet {
    let office: Office
    let gates: [Phone]
    let machine: Phone
    let sink: Sink
    /// The machine's device.
    let registration: Registration

    /// With so many brokers, whose registry lies in the folder `store` if that is named; the machine has `settings`
    /// besides.
    init(brokers: Int = 3, store: String? = nil, _ settings: [String: String] = [:]) throws {
        ignoreBrokenPipes()
        let office = try Office(brokers: brokers, store: store)
        self.office = office
        gates = try ["gate-1", "gate-2"].map { name in
            let phone = try Phone(isInFleet: true)
            try office.enroll(name, "--gateway", for: phone)
            try phone.systemctl("start", "\(phone.name)-relay.service")
            return phone
        }
        let machine = try SinkMachine(of: office, settings)
        (self.machine, sink) = (machine.phone, machine.sink)
        registration = Registration(
            token: try #require(DeviceToken(hex: machine.token)),
            deviceID: "d", kind: .alert, bundleID: "com.example.phone", appGroup: nil, environment: .production,
            machine: FleetName("kiosk"))
    }

    /// What became of the pushes of a row.
    struct Outcome {
        /// The longest time until one was taken.
        var latest = TimeSpan.zero
        /// How often each was taken.
        var counts: [Int] = []
        /// How many were given up since the machine was offline.
        var offlineCount = 0

        /// Whether each was taken, and none twice.
        var isOnceEach: Bool { counts.allSatisfy { $0 == 1 } }
    }

    /// What becomes of one push.
    private struct Story {
        let sentAt: Instant
        var isSettled = false
        var isOffline = false
        var news: [CarrierNews] = []
    }

    /// Sends pushes by both relays in turn, and before each does what `strikes` has at its number; `beside` adds to the
    /// loop what happens besides. Waits until each is settled.
    func go(
        pushes count: Int = FleetSize.pushes, strikes: [Int: () throws -> Void] = [:],
        beside: (Loop) throws -> Void = { _ in }
    ) throws -> Outcome {
        let loop = try Loop()
        let carriers = gates.map { RelayCarrier(socketPath: $0.relaySocket, on: loop) }
        var stories: [Story] = []
        var settledCount = 0
        var fault: (any Error)?
        let run = randomUUID()
        func hear(_ news: CarrierNews, of number: Int) {
            stories[number].news.append(news)
            if case .offline = news { stories[number].isOffline = true }
            guard !stories[number].isSettled, news == .received || stories[number].isOffline else { return }
            stories[number].isSettled = true
            settledCount += 1
        }
        func send() {
            let number = stories.count
            do { try strikes[number]?() } catch { fault = error }
            let push = EndpointPush(
                apnsID: "\(run)-\(number)", token: registration.token, topic: registration.bundleID,
                pushType: .alert, payload: Array(Self.payload.utf8), acceptedAt: WallTime(microseconds: 1))
            stories.append(Story(sentAt: loop.now))
            carriers[number % carriers.count].carry(HandOver(push: push, registration: registration)) {
                hear($0, of: number)
            }
            guard stories.count < count else { return }
            _ = loop.schedule(at: loop.now + FleetSize.pause, description: "push") { send() }
        }
        try beside(loop)
        send()
        let limit = TimeSpan(microseconds: FleetSize.pause.microseconds * Int64(count)) + .seconds(60)
        let isSettled = loop.run(within: limit) { stories.count == count && settledCount == count }
        if let fault { throw fault }
        let unsettled = stories.indices.filter { !stories[$0].isSettled }.prefix(5)
        #expect(isSettled, "\(unsettled.map { ($0, stories[$0].news) })")
        let taken = sink.taken
        let times = stories.indices.map { taken["\(run)-\($0)"] ?? [] }
        let delays = zip(times, stories).compactMap { times, story in times.first.map { $0 - story.sentAt } }
        return Outcome(
            latest: delays.max() ?? .zero, counts: times.map(\.count), offlineCount: stories.count(where: \.isOffline))
    }

    /// What no journal may have.
    static let payload = #"{"aps":{"alert":"sesame"}}"#

    /// What a row does after a quarter of the pushes, and after three quarters.
    static func once(
        _ disturb: @escaping () throws -> Void, mend: @escaping () throws -> Void = {}
    ) -> [Int: () throws -> Void] {
        [FleetSize.pushes / 4: disturb, FleetSize.pushes * 3 / 4: mend]
    }

    /// The same as often as a campaign wants it, each time for half a second.
    static func often(
        _ disturb: @escaping () throws -> Void, mend: @escaping () throws -> Void = {}
    ) -> [Int: () throws -> Void] {
        let span = Int(500_000 / FleetSize.pause.microseconds)
        var strikes: [Int: () throws -> Void] = [:]
        for number in 1...FleetSize.strikes {
            let start = FleetSize.pushes * number / (FleetSize.strikes + 2)
            strikes[start] = disturb
            strikes[start + span] = mend
        }
        return strikes
    }
}

extension Phone {
    /// Sends `signal` to all processes of its unit.
    func strike(_ unit: String, _ signal: String) throws {
        try systemctl("kill", "--signal=\(signal)", "\(name)\(unit)")
    }

    /// The main process of its unit; 0 if none runs.
    func process(of unit: String) throws -> Int32 {
        Int32(try systemctl("show", "--property=MainPID", "--value", "\(name)\(unit)").output.filter(\.isNumber)) ?? 0
    }

    /// What its unit wrote into the journal.
    func journal(of unit: String) throws -> [Substring] {
        try run("/usr/bin/journalctl", ["--user", "--unit=\(name)\(unit)", "--output=cat"]).output
            .split(separator: "\n")
    }

    /// What `belfry fleet status` tells of it.
    func fleetStatus() throws -> JSONObject { try object(belfry("fleet", "status", "--json")) }
}

/// A client of the brokers by a credential of the fleet, which says what none of Belfry's programs would.
final class RawMember {
    let lines: FleetLines
    private let loop: Loop
    private(set) var messages: [LineMessage] = []

    init(_ credential: FleetCredential, hearing subjects: [String], on loop: Loop) throws {
        self.loop = loop
        lines = FleetLines(
            to: credential.brokers, credential: try credential.forLine(), hearing: subjects, pings: .seconds(2),
            on: loop)
        // By one line, where both hear the same.
        lines.onMessage = { [unowned self] message, line in
            if line == self.lines.up.min() { messages.append(message) }
        }
        let lines = lines
        #expect(loop.run(within: .seconds(10)) { !lines.up.isEmpty })
    }

    /// Publishes by one line.
    func say(_ subject: String, _ text: String, reply: String? = nil) throws {
        let line = try #require(lines.up.min())
        #expect(lines.publish(subject, reply: reply, Array(text.utf8), over: line), "\(subject)")
    }

    /// The first message on `subject` that comes.
    func heard(_ subject: String) -> LineMessage? {
        _ = loop.run(within: .seconds(5)) { [unowned self] in messages.contains { $0.subject == subject } }
        return messages.first { $0.subject == subject }
    }
}

/// A push socket that takes all it gets, as a worker that costs nothing, and writes down what and when.
final class Sink {
    private let all = Taken()
    private let worker: ScriptedWorker

    private final class Taken: Sendable {
        let pushes = Mutex<[String: [Instant]]>([:])
    }

    init() {
        worker = ScriptedWorker(connections: .max) { [all] connection in
            let envelope = try? JSONValue.parse(ScriptedWorker.readAll(connection)).objectValue
            let now = Instant(microseconds: bootTimeMicroseconds())
            let id = envelope?["id"]?.stringValue ?? ""
            all.pushes.withLock { $0[id, default: []].append(now) }
            let received = #"{"event":"received","at":0.1,"boot":1.5,"id":"\#(id)","type":"alert","intercepted":true}"#
            ScriptedWorker.write(received + "\n", to: connection)
        }
    }

    var path: String { worker.path }

    /// When each push was taken.
    var taken: [String: [Instant]] { all.pushes.withLock { $0 } }
}
