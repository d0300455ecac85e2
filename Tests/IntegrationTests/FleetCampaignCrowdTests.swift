import BelfryAppGroup
import BelfryConfinement
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

extension IntegrationTests {
    @Suite("A fleet of thousands of machines, and of a hundred thousand devices", .timeLimit(.minutes(15)))
    struct FleetCampaignCrowd {
        private static let machinesCount =
            Surroundings.value("BELFRY_FLEET_MACHINES").flatMap { Int($0) } ?? 5_000
        /// How many begin at once.
        private static let perTurn = 250
        private static let idleSeconds: Int64 = 30
        private static let (devicesCount, devicesPerMachine) = (100_000, 1_000)

        private let fleet: OrdealFleet
        private let loop: Loop

        init() throws {
            try ResourceLimit.descriptors.raise(to: 16_384)
            fleet = try OrdealFleet()
            loop = try Loop()
        }

        /// A machine without pushes: its lines, and its word that it is there.
        private final class IdleMachine {
            let lines: FleetLines
            private let name: FleetName
            private let loop: Loop
            private let life = UInt64.random(in: 1 ... .max)
            private var number: UInt64 = 0

            init(_ credential: FleetCredential, on loop: Loop) throws {
                (name, self.loop) = (credential.name, loop)
                // As an agent has them.
                lines = FleetLines(
                    to: credential.brokers, credential: try credential.forLine(),
                    hearing: FleetSubject.heard(byMachine: credential.name), pings: .seconds(15), on: loop)
                lines.onUp = { [unowned self] in say(by: $0) }
                sayLater()
            }

            private func say(by line: FleetLines.Number) {
                number += 1
                _ = lines.publish(
                    FleetSubject.here(name).text, reply: FleetSubject.answer(to: name, number: number).text,
                    HereMessage(agent: life, isBack: false).bytes, over: line)
            }

            private func sayLater() {
                let span = TimeSpan.milliseconds(.random(in: 25_000...35_000))
                _ = loop.schedule(at: loop.now + span, description: "here") { [weak self] in
                    guard let self else { return }
                    for line in lines.up.sorted() { say(by: line) }
                    sayLater()
                }
            }
        }

        /// Idle machines on a thread of their own: a loop that has thousands of lines asks all of them at each turn,
        /// which an agent's never does.
        private final class Crowd: Sendable {
            /// How many have so many lines, and how many have one to each broker.
            struct Count: Sendable { var (whole, byBroker) = (0, [String: Int]()) }

            private let counted = Mutex((count: Count(), isOver: false))
            private let thread: Mutex<PosixThread?> = Mutex(nil)

            /// Without a loop or its lines, none of them is ever up.
            init(_ credentials: [FleetCredential]) {
                thread.withLock { $0 = PosixThread { [self] in try? run(credentials) } }
            }

            var count: Count { counted.withLock(\.count) }

            private func run(_ credentials: [FleetCredential]) throws {
                // They have processors of their own elsewhere.
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
                let loop = try Loop()
                let machines = try credentials.map { try IdleMachine($0, on: loop) }
                countAll(machines, on: loop)
                loop.run()
            }

            private func countAll(_ machines: [IdleMachine], on loop: Loop) {
                var count = Count()
                for machine in machines where machine.lines.up.count == 2 {
                    count.whole += 1
                    for line in machine.lines.status { count.byBroker[line.broker, default: 0] += 1 }
                }
                let isOver = counted.withLock { counted in
                    counted.count = count
                    return counted.isOver
                }
                guard !isOver else { return loop.stop() }
                _ = loop.schedule(at: loop.now + .milliseconds(100), description: "count") { [self] in
                    countAll(machines, on: loop)
                }
            }

            func end() {
                counted.withLock { $0.isOver = true }
                thread.withLock { $0?.join() }
            }
        }

        private func status(_ name: String, of process: Int32) -> Int {
            let line = contents(of: "/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix(name) }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }

        /// The processor time of a process, in seconds.
        private func processorSeconds(of process: Int32) -> Double {
            let fields = contents(of: "/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
            guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
            return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }

        private var brokers: [Int32] { (0..<3).map(fleet.office.process) }

        private func enrollAll() throws -> [FleetCredential] {
            let now = WallTime(microseconds: wallTimeMicroseconds())
            let copies = TemporaryFolder()
            return try stride(from: 0, to: Self.machinesCount, by: Self.perTurn).flatMap { start in
                // By a copy of the keys each, since the list of who is enrolled is written anew each time.
                let state = "\(copies.path)/\(start)"
                #expect(try run("/bin/cp", ["-r", fleet.office.state.path, state]).status.isSuccess)
                let setup = try FleetSetup(state: StateDirectory(path: state))
                return try (start..<start + Self.perTurn).map { number in
                    let path = try setup.enroll(
                        #require(FleetName("m-\(number)")), as: .machine, until: nil, again: false, at: now)
                    return try FleetCredential(bytes: bytes(of: path))
                }
            }
        }

        private func seconds(since begin: Instant) -> Double { Double((loop.now - begin).microseconds) / 1e6 }

        @Test("thousands of machines with two lines each: memory, idle brokers; a broker dies, and no push is late")
        func lines()
            throws
        {
            var begin = loop.now
            let credentials = try enrollAll()
            print("\(credentials.count) enrolled in \(seconds(since: begin)) s")
            let before = brokers.map { status("VmRSS", of: $0) }
            begin = loop.now
            var crowds: [Crowd] = []
            defer { for crowd in crowds { crowd.end() } }
            /// Whether all have two lines, within so many seconds.
            func areUp(within limit: Int64) -> Bool {
                waitUntil(seconds: limit, every: 50) { crowds.allSatisfy { $0.count.whole == Self.perTurn } }
            }
            // As fast as two processors have handshakes.
            for start in stride(from: 0, to: credentials.count, by: Self.perTurn) {
                crowds.append(Crowd(Array(credentials[start..<start + Self.perTurn])))
                #expect(areUp(within: 60))
            }
            print("all have two lines after \(seconds(since: begin)) s")
            let relay = try fleet.gates[0].process(of: "-relay.service")
            let used = brokers.map(processorSeconds)
            loop.run(for: .seconds(Self.idleSeconds))
            let kibibytes = zip(brokers, before).map { status("VmRSS", of: $0) - $1 }
            let lineKibibytes = Double(kibibytes.reduce(0, +)) / Double(2 * credentials.count)
            let shares = crowds.map(\.count.byBroker).reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
            #expect(shares.count == 3 && shares.values.allSatisfy { $0 > credentials.count / 2 }, "\(shares)")
            let idle = zip(brokers, used).map { (processorSeconds(of: $0) - $1) / Double(Self.idleSeconds) * 100 }
            print(
                "a line is \(lineKibibytes) KiB in the broker; idle, brokers take \(idle) % of a processor;",
                "the relay has \(status("VmRSS", of: relay)) KiB")
            // Of fewer lines each has more of what a broker has anyway.
            if Self.machinesCount >= 5_000 { #expect(lineKibibytes <= 64) }
            #expect(status("VmRSS", of: relay) <= 64 << 10)

            let (outcome, span) = try withPushes {
                try fleet.office.signal(0, SIGKILL)
                let begin = loop.now
                #expect(waitUntil(seconds: 5) { crowds.contains { $0.count.whole < Self.perTurn } })
                #expect(areUp(within: 120))
                return seconds(since: begin)
            }
            print("a broker died: all have two lines again after \(span) s; latest push \(outcome.latest)")
            #expect(span <= 60 && outcome.isOnceEach && outcome.latest <= .seconds(1), "\(outcome.latest)")
            #expect(status("VmHWM", of: relay) <= 64 << 10, "\(status("VmHWM", of: relay)) KiB")
        }

        /// The fleet, which a thread alone has until it is joined.
        private struct Lent: @unchecked Sendable { fileprivate let fleet: OrdealFleet }

        /// Does `body` while pushes go to a machine of its own, from another thread.
        private func withPushes<Value>(_ body: () throws -> Value) throws -> (OrdealFleet.Outcome, Value) {
            let lent = Lent(fleet: fleet)
            let outcome = Mutex<OrdealFleet.Outcome?>(nil)
            let thread = PosixThread { [lent] in
                let found = try? lent.fleet.go(pushes: 2_000)
                outcome.withLock { $0 = found }
            }
            defer { thread.join() }
            let value = try body()
            #expect(waitUntil(seconds: 120) { outcome.withLock { $0 != nil } })
            return (try #require(outcome.withLock { $0 }), value)
        }

        @Test(
            "100,000 devices: how long from a relay's start until its endpoint knows them all, and in how much memory")
        func devices() throws {
            let gate = try RawMember(
                FleetCredential(bytes: bytes(of: fleet.office.credential("gate-9", ["--gateway"]))),
                hearing: ["_INBOX.gate-9.>"], on: loop)
            var begin = loop.now
            let now = WallTime(microseconds: wallTimeMicroseconds())
            let perTurn = 500
            for start in stride(from: 0, to: Self.devicesCount, by: perTurn) {
                for number in start..<start + perTurn {
                    let machine = try #require(FleetName("m-\(number / Self.devicesPerMachine)"))
                    let key = try #require(DeviceKey(machine, randomUUID()))
                    let entry = DeviceEntry(
                        bundleID: "com.example.phone", appGroup: nil, environment: .production,
                        alertToken: try token(2 * number), voipToken: try token(2 * number + 1), addedAt: now)
                    let request = BucketRequest.put(.device(key), entry.bytes, over: nil)
                    try gate.say(
                        request.subject, String(decoding: request.bytes, as: UTF8.self), reply: "_INBOX.gate-9.1")
                }
                #expect(loop.run(within: .seconds(30)) { gate.messages.count == start + perTurn })
            }
            print("\(Self.devicesCount) put in \(seconds(since: begin)) s")
            // Two more relays read along, and are to be done before the one that is watched.
            for gate in fleet.gates { #expect(isWhole(gate, within: .seconds(60))) }
            let third = try Phone(isInFleet: true)
            try fleet.office.enroll("gate-3", "--gateway", for: third)
            begin = loop.now
            try third.systemctl("start", "\(third.name)-relay.service")
            let isThere = isWhole(third, within: .seconds(60))
            let span = seconds(since: begin)
            let relay = try third.process(of: "-relay.service")
            print(
                "the registry has them after \(span) s, \(processorSeconds(of: relay)) of a processor;",
                "the relay has \(status("VmRSS", of: relay)) KiB,",
                "at most \(status("VmHWM", of: relay))")
            #expect(isThere && status("VmHWM", of: relay) <= 64 << 10)
            #expect(try third.belfry("device", "list").output.split(separator: "\n").count >= Self.devicesCount)
        }

        /// Whether the registry of the gateway has all that the bucket has, in time.
        private func isWhole(_ gate: Phone, within limit: TimeSpan) -> Bool {
            let carrier = RelayCarrier(socketPath: gate.relaySocket, on: loop)
            var (isCertain, isAsked) = (false, false)
            return loop.run(within: limit) {
                if !isAsked, !isCertain {
                    isAsked = true
                    carrier.fence { (isCertain, isAsked) = ($0, false) }
                }
                return isCertain
            }
        }

        private func token(_ number: Int) throws -> DeviceToken {
            let digits = String(number, radix: 16)
            return try #require(DeviceToken(hex: String(repeating: "0", count: 64 - digits.count) + digits))
        }
    }
}
