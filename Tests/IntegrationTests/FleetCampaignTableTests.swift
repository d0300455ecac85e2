import BelfryAppGroup
import BelfryDevices
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Fleet
import FleetKeys
import Glibc
import Support
import Testing

extension IntegrationTests {
    /// Two gateways, three brokers, three machines of real workers beside a hundred that write down what they take.
    @Suite("All that can fail, one after another", .timeLimit(.minutes(20))) struct FleetCampaignTable {
        private static let pushesCount = 10 * FleetSize.pushes
        private static let (agentsCount, machinesCount, devicesPerMachine) = (100, 3, 20)
        private static let rate = 150

        private let office: Office
        private let gateways: [PushGateway]
        private let sink = Sink()
        private let agents: [PlainAgent]
        private let machines: [WorkingMachine]

        init() throws {
            ignoreBrokenPipes()
            let office = try Office(brokers: 3)
            self.office = office
            gateways = try ["gate-1", "gate-2"].map { try PushGateway($0, of: office) }
            let sink = sink
            agents = try (0..<Self.agentsCount).map { try PlainAgent("agent-\($0)", of: office, sink: sink.path) }
            machines = try (0..<Self.machinesCount).map {
                try WorkingMachine("machine-\($0)", of: office, devices: Self.devicesPerMachine)
            }
        }

        /// A push, and whose it is.
        private struct Push {
            let id = randomUUID()
            let token: String
            let kind: String
            /// The agent's number; nil for a machine with workers.
            let agent: Int?
        }

        private func makePushes() -> [Push] {
            (0..<Self.pushesCount).map { number in
                let place = number % (agents.count + machines.count)
                if place < agents.count { return Push(token: agents[place].token, kind: "alert", agent: place) }
                let tokens = machines[place - agents.count].tokens
                return Push(token: tokens[number / 103 % tokens.count], kind: "voip", agent: nil)
            }
        }

        /// What fails, each with how it is mended.
        private var disturbances: [(name: String, disturb: () throws -> Void, mend: () throws -> Void)] {
            let brokers: [(String, () throws -> Void, () throws -> Void)] = (0..<3).flatMap { number in
                [
                    (
                        "broker \(number) killed", { try office.signal(number, SIGKILL) },
                        { try office.startAgain(number) }
                    ),
                    (
                        "broker \(number) stopped", { try office.signal(number, SIGSTOP) },
                        { try office.signal(number, SIGCONT) }
                    ),
                ]
            }
            let relays: [(String, () throws -> Void, () throws -> Void)] = gateways.enumerated().flatMap {
                number, gateway in
                [
                    ("relay \(number) killed", { try gateway.phone.strike("-relay.service", "KILL") }, {}),
                    (
                        "relay \(number) stopped", { try gateway.phone.strike("-relay.service", "STOP") },
                        { try gateway.phone.strike("-relay.service", "CONT") }
                    ),
                    ("endpoint \(number) killed", { try gateway.phone.strike("-apns.service", "KILL") }, {}),
                    ("gateway \(number) away", { try gateway.kill() }, { try gateway.startAgain() }),
                ]
            }
            let struck = agents.prefix(Self.struckCount)
            return brokers + relays + [
                ("agents killed", { for agent in struck { try agent.killAndStartAgain() } }, {}),
                (
                    "agents stopped", { for agent in agents.suffix(Self.struckCount) { try agent.signal(SIGSTOP) } },
                    { for agent in agents.suffix(Self.struckCount) { try agent.signal(SIGCONT) } }
                ),
                ("a machine's agent killed", { try machines[0].phone.strike("-agent.service", "KILL") }, {}),
                (
                    "all brokers killed", { for number in 0..<3 { try office.signal(number, SIGKILL) } },
                    { for number in 0..<3 { try office.startAgain(number) } }
                ),
            ]
        }

        /// How many agents are struck at once; the first ones are those that are killed.
        private static let struckCount = 10

        @Test("none is lost, none comes twice but to an agent that died, and no call rings twice") func table() throws {
            let expected = agents.count + machines.count * Self.devicesPerMachine
            for gateway in gateways {
                let registry = try TokenRegistry(state: gateway.phone.state)
                #expect(waitUntil(seconds: 60) { registry.all().count >= expected })
            }
            let pushes = makePushes()
            let server = try PushServer(gateways, rate: Self.rate)
            server.send(pushes.map { ($0.token, $0.id, $0.kind) })
            let disturbances = disturbances
            let slot = pushes.count / (disturbances.count + 1)
            var statuses: [Int: Int] = [:]
            for number in pushes.indices {
                let answer = try #require(server.answer(), "\(number) answered")
                statuses[answer.status, default: 0] += 1
                let (place, rest) = (number / slot, number % slot)
                guard disturbances.indices.contains(place) else { continue }
                if rest == slot / 4 {
                    print(disturbances[place].name)
                    try disturbances[place].disturb()
                }
                if rest == slot * 3 / 4 { try disturbances[place].mend() }
            }
            try server.end()
            #expect(statuses == [200: pushes.count], "\(statuses)")
            judge(pushes)
        }

        private func judge(_ pushes: [Push]) {
            func takenCounts() -> [String: Int] {
                machines.map(\.workers.taken).reduce(sink.taken.mapValues(\.count)) {
                    $0.merging($1, uniquingKeysWith: +)
                }
            }
            _ = waitUntil(seconds: 60) { takenCounts().count >= pushes.count }
            let taken = takenCounts()
            let lost = pushes.filter { taken[$0.id] == nil }
            #expect(lost.isEmpty, "\(lost.count) lost: \(lost.prefix(3))")
            for push in lost.prefix(3) {
                for gateway in gateways { print(gateway.log.split(separator: "\n").filter { $0.contains(push.id) }) }
            }
            let twice = pushes.filter { taken[$0.id] ?? 0 > 1 }
            // Calls are for the workers, who know their own.
            let wrong = twice.filter { $0.agent.map { $0 >= Self.struckCount } ?? false }
            #expect(wrong.isEmpty, "\(wrong.count) twice: \(wrong.prefix(3))")
            let rung = machines.map(\.workers.rung).reduce([:]) { $0.merging($1, uniquingKeysWith: +) }
            #expect(rung.values.allSatisfy { $0 == 1 } && !rung.isEmpty)
            for machine in machines { machine.workers.stop() }
            let secrets = ["sesame"] + pushes.map(\.token)
            for gateway in gateways {
                let journal = try? gateway.phone.journal(of: "-relay.service").joined()
                #expect(journal.map { journal in secrets.prefix(200).allSatisfy { !journal.contains($0) } } == true)
            }
            print("\(pushes.count) pushes: \(lost.count) lost, \(twice.count) taken twice, \(rung.count) calls rang")
        }
    }
}

/// An agent without units, whose device's pushes go to a socket.
private final class PlainAgent {
    let token: String
    private let folder = TemporaryFolder()
    private let listener: OwnedDescriptor
    private let sink: String
    private var child: ChildProcess?

    init(_ name: String, of office: Office, sink: String) throws {
        self.sink = sink
        let now = WallTime(microseconds: wallTimeMicroseconds())
        let path = try FleetSetup(state: office.state).enroll(
            #require(FleetName(name)), as: .machine, until: nil, again: false, at: now)
        let state = StateDirectory(path: "\(folder.path)/state")
        try FleetMembership(state: state).keep(FleetCredential(bytes: bytes(of: path)))
        token = try TokenRegistry(state: state).add(
            bundleID: "com.example.phone", appGroup: nil, environment: .production, at: now
        ).alertToken.hex
        listener = try listenPrivately(at: "\(folder.path)/agent.sock", backlog: 16)
        child = try start()
    }

    private func start() throws -> ChildProcess {
        try ChildProcess(
            ChildCommand(
                path: "\(Surroundings.programs)/belfry-fleet", arguments: ["agent"],
                environment: [
                    "BELFRY_STATE_DIRECTORY": "\(folder.path)/state", "BELFRY_RUNTIME_DIRECTORY": folder.path,
                    "BELFRY_SOCKET": sink, "BELFRY_CONFIG_FILES": "no", "HOME": folder.path, "LISTEN_FDS": "1",
                ],
                streams: [0: .null, 1: .null, 2: .null, 3: .descriptor(listener.number)]))
    }

    func signal(_ signal: Int32) throws { try child?.signal(signal) }

    func killAndStartAgain() throws {
        try child?.signal(SIGKILL)
        _ = try child?.waitUntilExit()
        child = try start()
    }
}

/// A machine with its units, whose workers are overheard.
private final class WorkingMachine {
    let phone: Phone
    let workers: WitnessedWorkers
    /// Of its devices' calls, an app group each.
    let tokens: [String]
    private let folder = TemporaryFolder()

    init(_ name: String, of office: Office, devices count: Int) throws {
        let socket = "\(folder.path)/push.sock"
        phone = try Phone(["BELFRY_SOCKET": socket], isInFleet: true)
        workers = try WitnessedWorkers(
            at: socket,
            environment: [
                "BELFRY_SOUND": "none", "BELFRY_STATE_DIRECTORY": phone.state.path, "BELFRY_RING_DURATION": "10s",
                "BELFRY_RUNTIME_DIRECTORY": "\(folder.path)/run", "BELFRY_CONFIG_FILES": "no",
            ])
        let registry = try TokenRegistry(state: phone.state)
        tokens = try (0..<count).map { number in
            try registry.add(
                bundleID: "com.example.phone", appGroup: GroupName("group.table\(number)"), environment: .production,
                at: WallTime(microseconds: wallTimeMicroseconds())
            ).voipToken.hex
        }
        try office.enroll(name, for: phone)
        try phone.systemctl("start", "\(phone.name)-agent.service")
    }
}
