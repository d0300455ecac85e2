import BelfryAppGroup
import BelfryDevices
import BelfryEventLoop
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetKeys
import Glibc
import Support
import Testing

// What `make fleet` runs alone: it takes minutes, fills disks and cuts networks.
extension IntegrationTests {
    /// In a network that Tests/in-network has made.
    @Suite("Brokers are cut off", .timeLimit(.minutes(5))) struct FleetCampaignCuts {
        private let fleet: OrdealFleet
        /// How many pushes come in five seconds.
        private static let fiveSeconds = Int(5_000_000 / FleetSize.pause.microseconds)

        init() throws {
            fleet = try OrdealFleet()
            try cutOff([])
        }

        /// Has packets from and to these ports dropped, and no others'.
        private func cutOff(_ ports: [UInt16]) throws {
            let path = try #require(Surroundings.value("BELFRY_TEST_CUTS"), "run these tests by make fleet")
            let cuts = OwnedDescriptor(owning: unsafe open(path, O_WRONLY | O_CLOEXEC))
            let line = ports.map(String.init).joined(separator: " ") + "\n"
            try writeAll(Array(line.utf8), to: cuts.number, path: path)
        }

        @Test(
            "brokers are cut from each other for 25 s: none lost but by the offline rule, none twice; all flows after 35 s"
        )
        func routes() throws {
            let outcome = try fleet.go(
                pushes: 8 * Self.fiveSeconds,
                strikes: [
                    Self.fiveSeconds: { try cutOff(fleet.office.routePorts) },
                    6 * Self.fiveSeconds: { try cutOff([]) },
                ])
            print("routes cut for 25 s: latest \(outcome.latest), \(outcome.offlineCount) offline")
            #expect(outcome.counts.allSatisfy { $0 <= 1 }, "\(outcome)")
            #expect(outcome.counts.count { $0 == 0 } <= outcome.offlineCount, "\(outcome)")
            let after = try fleet.go(pushes: Self.fiveSeconds)
            #expect(after.isOnceEach && after.latest <= .seconds(1), "\(after)")
            #expect(
                try fleet.machine.belfry("device", "add", "--bundle-id", "com.example.other", "--share").status
                    .isSuccess)
        }

        @Test(
            "machines and gateways are cut from a broker for 15 s: none lost, none twice, none later than 1 s",
            arguments: 0..<3)
        func clients(broker: Int) throws {
            let outcome = try fleet.go(
                pushes: 5 * Self.fiveSeconds,
                strikes: [
                    Self.fiveSeconds: { try cutOff([fleet.office.ports[broker]]) },
                    4 * Self.fiveSeconds: { try cutOff([]) },
                ])
            print("clients cut from broker \(broker) for 15 s: latest \(outcome.latest)")
            #expect(outcome.isOnceEach && outcome.latest <= .seconds(1), "\(outcome)")
        }
    }

    @Suite("Disks of a fleet are full", .timeLimit(.minutes(5))) struct FleetCampaignDisks {
        private let small = TemporaryFolder(in: Surroundings.smallDisk)

        private var filler: String { "\(small.path)/filler" }

        @Test("a gateway's: a push is answered 500, and taken by the other gateway") func gateway() throws {
            let office = try Office()
            let state = small.makeFolder("state")
            let full = try PushGateway("gate-1", of: office, ["BELFRY_STATE_DIRECTORY": state])
            let other = try PushGateway("gate-2", of: office)
            let machine = try SinkMachine(of: office)
            let (sink, token) = (machine.sink, machine.token)
            #expect(try waitUntil { try full.push("{}", to: token, topic: "com.example.phone") == "200" })
            fillDisk(at: filler)
            #expect(try full.push("{}", to: token, topic: "com.example.phone").contains("500"))
            #expect(try other.push("{}", to: token, topic: "com.example.phone") == "200")
            unsafe unlink(filler)
            #expect(try waitUntil { try full.push("{}", to: token, topic: "com.example.phone") == "200" })
            #expect(waitUntil { sink.taken.count >= 3 && sink.taken.values.allSatisfy { $0.count == 1 } })
        }

        @Test("the broker's: pushes go on, and device add ends with 69") func broker() throws {
            let fleet = try OrdealFleet(brokers: 1, store: small.makeFolder("store"))
            fillDisk(at: filler)
            #expect(try fleet.go(pushes: 100).isOnceEach)
            // There may be room in the last page of its file still.
            var refused: Finished?
            var count = 0
            while refused == nil, count < 40 {
                let added = try fleet.machine.belfry("device", "add", "--bundle-id", "com.example.other", "--share")
                if added.status.isSuccess { count += 1 } else { refused = added }
            }
            #expect(refused?.status == .exited(code: 69), "\(count) added, \(String(describing: refused))")
            let listed = try fleet.machine.belfry("device", "list").output.split(separator: "\n")
            #expect(listed.count { $0.contains("com.example.other") } == count, "\(listed)")
            #expect(try fleet.go(pushes: 100).isOnceEach)
        }

        @Test("a machine's: nothing changes") func machine() throws {
            let fleet = try OrdealFleet(brokers: 1, ["BELFRY_STATE_DIRECTORY": small.makeFolder("state")])
            fillDisk(at: filler)
            #expect(try fleet.go(pushes: 100).isOnceEach)
            try fleet.machine.systemctl("restart", "\(fleet.machine.name)-agent.service")
            #expect(try fleet.go(pushes: 100).isOnceEach)
            #expect(try fleet.machine.fleetStatus()["dropped"] == 0)
        }
    }

    @Suite("Credentials that brokers refuse", .timeLimit(.minutes(6))) struct FleetCampaignCredentials {
        private let office: Office

        init() throws { office = try Office() }

        private func machine() throws -> Phone { try Phone(isInFleet: true) }

        /// A credential that was made at `now` and ends then.
        private func credential(_ name: String, until end: WallTime?, at now: WallTime) throws -> FleetCredential {
            let path = try FleetSetup(state: office.state).enroll(
                #require(FleetName(name)), as: .machine, until: end, again: false, at: now)
            return try FleetCredential(bytes: bytes(of: path))
        }

        @Test("revoked, ended, not yet valid: told once, and tried again after minutes and not faster")
        func refused() throws {
            let now = WallTime(microseconds: wallTimeMicroseconds())
            let phones = try ["revoked", "ended", "early"].map { ($0, try machine()) }
            try office.enroll("revoked", for: phones[0].1)
            try FleetMembership(state: phones[1].1.state).keep(credential("ended", until: now + .seconds(20), at: now))
            try FleetMembership(state: phones[2].1.state).keep(
                credential("early", until: nil, at: now + .seconds(2 * 86_400)))
            for (_, phone) in phones { try phone.systemctl("start", "\(phone.name)-agent.service") }
            for (name, phone) in phones.prefix(2) {
                #expect(try waitUntil { try isTold("is up", by: phone) }, "\(name)")
            }
            #expect(try office.belfry(["fleet", "revoke", "revoked"]).status.isSuccess)
            for (name, phone) in phones {
                #expect(try waitUntil(seconds: 40) { try isTold("denies", by: phone) }, "\(name)")
            }
            // Each tries once more within the next two minutes, and not again within four.
            let count = refusalsCount
            #expect(!waitUntil(seconds: 200) { refusalsCount > count + phones.count })
            #expect(refusalsCount == count + phones.count, "\(count), \(refusalsCount)")
            for (name, phone) in phones {
                let told = try phone.journal(of: "-agent.service").filter { $0.contains("denies") }
                #expect(told.count == 1, "\(name): \(told)")
            }
        }

        private func isTold(_ word: String, by phone: Phone) throws -> Bool {
            try phone.journal(of: "-agent.service").contains { $0.contains(word) }
        }

        /// How often the broker has let nobody in.
        private var refusalsCount: Int {
            office.log(of: 0).split(separator: "\n").count { $0.contains("uthentication") }
        }
    }
}
