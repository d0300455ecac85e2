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
    @Suite("A fleet of a thousand machines, and of a hundred thousand devices", .timeLimit(.minutes(15)))
    struct FleetCampaignCrowd {
        /// A thousand in one process without optimisation, beside their brokers: of more, handshakes time out.
        private static let machinesCount =
            Surroundings.value("BELFRY_FLEET_MACHINES").flatMap { Int($0) } ?? 1_000
        /// How many are made at once.
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

        @Test("a thousand machines with two lines each: memory, idle brokers; a broker dies, and no push is late")
        func lines()
            throws
        {
            var begin = loop.now
            let credentials = try enrollAll()
            print("\(credentials.count) enrolled in \(seconds(since: begin)) s")
            let before = brokers.map { status("VmRSS", of: $0) }
            begin = loop.now
            var machines: [IdleMachine] = []
            // As fast as two processors have handshakes.
            func isUp(_ count: Int) -> Bool { machines.suffix(count).allSatisfy { $0.lines.up.count == 2 } }
            for start in stride(from: 0, to: credentials.count, by: Self.perTurn) {
                machines += try credentials[start..<start + Self.perTurn].map { try IdleMachine($0, on: loop) }
                #expect(loop.run(within: .seconds(60)) { isUp(Self.perTurn) })
            }
            #expect(isUp(machines.count))
            print("all have two lines after \(seconds(since: begin)) s")
            let relay = try fleet.gates[0].process(of: "-relay.service")
            let used = brokers.map(processorSeconds)
            loop.run(for: .seconds(Self.idleSeconds))
            let kibibytes = zip(brokers, before).map { status("VmRSS", of: $0) - $1 }
            let lineKibibytes = Double(kibibytes.reduce(0, +)) / Double(2 * machines.count)
            let shares = (0..<3).map { number in
                machines.count { $0.lines.status.contains { $0.broker.hasSuffix(":\(fleet.office.ports[number])") } }
            }
            #expect(shares.allSatisfy { $0 > machines.count / 2 }, "\(shares)")
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
                loop.run(for: .milliseconds(500))
                #expect(loop.run(within: .seconds(120)) { isUp(machines.count) })
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
