import BelfryAppGroup
import BelfryDevices
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import DeviceRegistry
import Glibc
import Support
import Testing

/// What hits the endpoint.
enum EndpointBlow: String, CaseIterable, CustomTestStringConvertible {
    case kill, restart

    var testDescription: String { rawValue }
}

extension IntegrationTests {
    /// R19: belfry-apns under systemd, a client that gives nothing up, and calls of which each may ring once.
    @Suite("A push server goes on while its endpoint is struck") struct EndpointStorm {
        private let folder = TemporaryFolder()
        private let phone: Phone
        private let workers: WitnessedWorkers
        private let certificate: String

        init() throws {
            ignoreBrokenPipes()
            let socketPath = "\(folder.path)/push.sock"
            phone = try Phone(["BELFRY_SOCKET": socketPath])
            try phone.belfry("apns", "setup")
            let minted = try phone.belfry(
                "apns", "credentials", "new", "--bundle-id", "com.example.phone", "--json")
            certificate = try #require(
                try JSONValue.parse(Array(minted.output.utf8)).objectValue?["certificate"]?.stringValue)
            workers = try WitnessedWorkers(
                at: socketPath,
                environment: [
                    "BELFRY_SOUND": "none", "BELFRY_STATE_DIRECTORY": phone.state.path, "BELFRY_RING_DURATION": "10s",
                    "BELFRY_RUNTIME_DIRECTORY": "\(folder.path)/run", "BELFRY_CONFIG_FILES": "no",
                ])
            try phone.systemctl("start", "\(phone.name)-apns.socket")
        }

        /// Apps on devices, a group each; their tokens for calls.
        private func tokens(_ count: Int) throws -> [String] {
            let registry = try TokenRegistry(state: phone.state)
            return try (0..<count).map { number in
                try registry.add(
                    bundleID: "com.example.phone", appGroup: GroupName("group.storm\(number)"),
                    environment: .production, at: WallTime(microseconds: wallTimeMicroseconds())
                ).voipToken.hex
            }
        }

        @Test(
            "of all that was answered 200 none is missing and none rings twice", arguments: EndpointStormSize.blows)
        func storm(_ blow: EndpointBlow) throws {
            let size = EndpointStormSize.chosen
            let tokens = try tokens(size.devices)
            let requests = (0..<size.pushes).map { (token: tokens[$0 % tokens.count], id: randomUUID()) }
            let storming = try StormingClient(
                port: phone.endpointPort, authority: "\(phone.state.path)/credentials/ca.pem", certificate: certificate)
            var random = SeededRandom(seed: size.seed)
            var due = size.blows(using: &random)
            var struck: Set<Int32> = []
            var accepted: Set<String> = []
            for start in stride(from: 0, to: requests.count, by: EndpointStormSize.batch) {
                // Calls that wait for too long are stale, and would not ring.
                while accepted.count - workers.begunCount > EndpointStormSize.ahead, workers.waitForNews() {}
                let batch = requests[start..<min(start + EndpointStormSize.batch, requests.count)]
                let victim = due.remove(start / EndpointStormSize.batch) == nil ? nil : try livingEndpoint()
                storming.send(batch.map { "\($0.token) \($0.id)\n" }.joined())
                if let victim {
                    // Anywhere between the request's first byte and the worker's word.
                    Self.pass(microseconds: Int.random(in: 0..<15_000, using: &random))
                    try strike(blow, victim)
                    struck.insert(victim)
                }
                for _ in batch {
                    let answer = try #require(storming.line(), "seed \(size.seed): no answer")
                    #expect(answer.hasPrefix("200 "), "seed \(size.seed): \(answer)")
                    accepted.insert(String(answer.dropFirst(4)))
                }
            }
            while workers.takenCount < requests.count, workers.waitForNews() {}
            try storming.end()
            workers.stop()
            #expect(accepted == Set(requests.map(\.id)) && struck.count == size.strikes)
            judge(accepted, blow, size)
            #expect(try !phone.hasFailedUnits())
        }

        private func judge(_ accepted: Set<String>, _ blow: EndpointBlow, _ size: EndpointStormSize) {
            let (taken, rung) = (workers.taken, workers.rung)
            let twice = rung.filter { $0.value > 1 }.keys
            #expect(twice.isEmpty, "seed \(size.seed): \(Array(twice.prefix(3)))")
            #expect(rung.count > size.pushes / 2, "most of them rang")
            for id in accepted where taken[id] == nil {
                let told = contents(of: "\(phone.state.path)/apns/log.jsonl").split(separator: "\n")
                Issue.record("seed \(size.seed): \(id) is missing: \(told.filter { $0.contains(id) })")
            }
            let repeated = taken.values.reduce(0) { $0 + $1 - 1 }
            print(
                "\(blow.rawValue), \(size.strikes) times among \(size.pushes) pushes: \(repeated) hand-overs repeated,",
                "\(rung.count) rang")
        }

        private func strike(_ blow: EndpointBlow, _ victim: Int32) throws {
            switch blow {
            case .kill: #expect(kill(victim, SIGKILL) == 0)
            case .restart: try phone.systemctl("restart", "\(phone.name)-apns.service")
            }
        }

        /// The process that serves, as soon as one does.
        private func livingEndpoint() throws -> Int32 {
            // The first connection starts it.
            #expect(waitUntil(seconds: 60) { phone.endpoint != nil })
            return try #require(phone.endpoint)
        }

        private static func pass(microseconds: Int) {
            var time = timespec(tv_sec: 0, tv_nsec: microseconds * 1_000)
            _ = unsafe pselect(0, nil, nil, nil, &time, nil)
        }
    }
}

/// How large a storm is, which the environment may say.
private struct EndpointStormSize {
    /// How many requests are sent at once.
    static let batch = 50
    /// How many that were answered wait for their worker at most.
    static let ahead = 60

    static let chosen = EndpointStormSize()
    static let blows: [EndpointBlow] = Surroundings.cases(chosenBy: "BELFRY_STORM_WAY")

    let pushes = number("BELFRY_STORM_PUSHES").map { Int($0) } ?? 2_000
    let strikes = number("BELFRY_STORM_KILLS").map { Int($0) } ?? 5
    let seed = number("BELFRY_STORM_SEED") ?? UInt64.random(in: 0..<1_000_000)
    var devices: Int { min(1_000, pushes / 2) }

    /// The batches that are struck.
    func blows(using random: inout SeededRandom) -> Set<Int> {
        var blows: Set<Int> = []
        while blows.count < strikes { blows.insert(Int.random(in: 1..<(pushes / Self.batch), using: &random)) }
        return blows
    }

    private static func number(_ name: String) -> UInt64? { Surroundings.value(name).flatMap { UInt64($0) } }
}

/// A push server's client that sends again what was not answered (Tests/Servers/apns-client.py).
private final class StormingClient {
    private let child: ChildProcess
    private var input: OwnedDescriptor?
    private let output: LineReader

    init(port: UInt16, authority: String, certificate: String) throws {
        let input = try DescriptorPair.pipe()
        let output = try DescriptorPair.pipe()
        child = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/python3",
                arguments: [
                    sourceFile("Tests/Servers/apns-client.py"), "storm", String(port), authority,
                    "com.example.phone.voip", certificate,
                ],
                streams: [0: .descriptor(input.reading.number), 1: .descriptor(output.writing.number)]))
        input.reading.close()
        output.writing.close()
        self.input = consume input.writing
        self.output = LineReader(output.reading)
    }

    func send(_ text: String) { try? writeAll(Array(text.utf8), to: input?.number ?? -1, path: "apns-client.py") }

    func line() -> String? { output.next(within: 120_000) }

    func end() throws {
        input.take()?.close()
        #expect(try child.waitUntilExit().isSuccess)
    }
}
