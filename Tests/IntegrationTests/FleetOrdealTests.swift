import BelfryDevices
import BelfryEventLoop
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import Glibc
import PushCarrier
import Support
import Synchronization
import Testing

extension IntegrationTests {
    /// Two relays, an agent and three brokers, as they are installed; pushes go into the relays as an endpoint has them
    /// go, and come out at a push socket that writes down what it takes.
    @Suite("What is promised of a fleet when something fails", .timeLimit(.minutes(5))) struct FleetOrdeal {
        private static let pushesCount = 200
        /// Between two pushes.
        private static let pause = TimeSpan.milliseconds(10)

        private let office: Office
        private let gates: [Phone]
        private let machine: Phone
        private let sink: Sink
        private let registration: Registration

        init() throws {
            ignoreBrokenPipes()
            let office = try Office(brokers: 3)
            self.office = office
            gates = try ["gate-1", "gate-2"].map { name in
                let phone = try Phone(isInFleet: true)
                try office.enroll(name, "--gateway", for: phone)
                try phone.systemctl("start", "\(phone.name)-relay.service")
                return phone
            }
            let sink = Sink()
            self.sink = sink
            machine = try Phone(["BELFRY_SOCKET": sink.path], isInFleet: true)
            try office.enroll("kiosk", for: machine)
            try machine.systemctl("start", "\(machine.name)-agent.service")
            let device = try object(machine.belfry("device", "add", "--bundle-id", "com.example.phone", "--json"))
            registration = Registration(
                token: try #require(device["alertToken"]?.stringValue.flatMap { DeviceToken(hex: $0) }),
                deviceID: "d", kind: .alert, bundleID: "com.example.phone", appGroup: nil, environment: .production,
                machine: FleetName("kiosk"))
        }

        /// What became of one push.
        private struct Story {
            var sentAt: Instant
            var news: [CarrierNews] = []
        }

        /// Sends pushes by both relays in turn, does `disturb` after a quarter of them and `mend` after three quarters,
        /// and waits until each is settled; the longest time until one was taken, and how often each was.
        private func go(
            disturb: @escaping () throws -> Void = {}, mend: @escaping () throws -> Void = {}
        ) throws -> (latest: TimeSpan, counts: [Int]) {
            let loop = try Loop()
            let carriers = gates.map { RelayCarrier(socketPath: $0.relaySocket, on: loop) }
            var stories: [Story] = []
            var fault: (any Error)?
            let run = randomUUID()
            func send() {
                let number = stories.count
                let push = EndpointPush(
                    apnsID: "\(run)-\(number)", token: registration.token, topic: registration.bundleID,
                    pushType: .alert, payload: Array("{}".utf8), acceptedAt: WallTime(microseconds: 1))
                stories.append(Story(sentAt: loop.now))
                carriers[number % 2].carry(HandOver(push: push, registration: registration)) {
                    stories[number].news.append($0)
                }
                do {
                    if stories.count == Self.pushesCount / 4 { try disturb() }
                    if stories.count == Self.pushesCount * 3 / 4 { try mend() }
                } catch { fault = error }
                if stories.count < Self.pushesCount {
                    _ = loop.schedule(at: loop.now + Self.pause, description: "push") { send() }
                }
            }
            send()
            let isSettled = loop.run(within: .seconds(60)) {
                stories.count == Self.pushesCount && stories.allSatisfy { $0.news.contains(.received) }
            }
            if let fault { throw fault }
            let unsettled = stories.indices.filter { !stories[$0].news.contains(.received) }
            #expect(isSettled, "\(unsettled.map { ($0, stories[$0].news) })")
            let taken = sink.taken
            let times = stories.indices.map { taken["\(run)-\($0)"] ?? [] }
            let delays = zip(times, stories).compactMap { times, story in times.first.map { $0 - story.sentAt } }
            return (delays.max() ?? .zero, times.map(\.count))
        }

        @Test("nothing: each is taken once") func nothing() throws {
            let (_, counts) = try go()
            #expect(counts == [Int](repeating: 1, count: Self.pushesCount))
        }

        @Test("a broker is killed, each in turn: none lost, none twice, none later than 1 s", arguments: 0..<3)
        func killed(broker: Int) throws {
            let (latest, counts) = try go(
                disturb: { try office.signal(broker, SIGKILL) }, mend: { try office.startAgain(broker) })
            #expect(counts == [Int](repeating: 1, count: Self.pushesCount))
            #expect(latest <= .seconds(1), "\(latest)")
        }

        @Test("a broker is stopped, each in turn: none lost, none twice, none later than 1 s", arguments: 0..<3)
        func stopped(broker: Int) throws {
            let (latest, counts) = try go(
                disturb: { try office.signal(broker, SIGSTOP) }, mend: { try office.signal(broker, SIGCONT) })
            #expect(counts == [Int](repeating: 1, count: Self.pushesCount))
            #expect(latest <= .seconds(1), "\(latest)")
        }

        @Test("all brokers are killed: what waits is delivered within 5 s of their return, once") func all() throws {
            let loop = try Loop()
            var returnedAt = loop.now
            let (latest, counts) = try go(
                disturb: { for broker in 0..<3 { try office.signal(broker, SIGKILL) } },
                mend: {
                    returnedAt = loop.now
                    for broker in 0..<3 { try office.startAgain(broker) }
                })
            #expect(counts == [Int](repeating: 1, count: Self.pushesCount))
            let last = sink.taken.values.compactMap(\.first).max() ?? loop.now
            #expect(last - returnedAt <= .seconds(5), "\(last - returnedAt), \(latest)")
        }

        @Test("the agent is killed: none lost, none later than 2 s") func agent() throws {
            let (latest, counts) = try go(
                disturb: { try machine.systemctl("kill", "--signal=KILL", "\(machine.name)-agent.service") })
            #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
            #expect(latest <= .seconds(2), "\(latest)")
        }

        @Test("a relay is killed: none lost, none twice, none later than 2 s") func relay() throws {
            let (latest, counts) = try go(
                disturb: { try gates[0].systemctl("kill", "--signal=KILL", "\(gates[0].name)-relay.service") })
            #expect(counts == [Int](repeating: 1, count: Self.pushesCount))
            #expect(latest <= .seconds(2), "\(latest)")
        }
    }
}

/// A push socket that takes all it gets, as a worker that costs nothing, and writes down what and when.
private final class Sink {
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
