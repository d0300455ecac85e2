import BelfryAppGroup
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
import Testing

extension IntegrationTests {
    @Suite("What a fleet hears that it should not, and who is in it no more", .timeLimit(.minutes(5)))
    struct FleetStrangers {
        private let fleet: OrdealFleet

        init() throws { fleet = try OrdealFleet(brokers: 1) }

        private func credential(_ name: String, _ more: String...) throws -> FleetCredential {
            try FleetCredential(bytes: bytes(of: fleet.office.credential(name, more)))
        }

        private func droppedCount(of phone: Phone) throws -> Int64 {
            try #require(try phone.fleetStatus()["dropped"]?.integerValue)
        }

        private static let deep = String(repeating: "[", count: 60_000)

        @Test("what makes no sense, or is another's, is dropped and counted; what a later version adds is passed over")
        func nonsense() throws {
            let loop = try Loop()
            // What both gateways have answered makes sense, though one answer is enough.
            for phone in fleet.gates + [fleet.machine] { #expect(try droppedCount(of: phone) == 0) }
            let processes = [
                try fleet.gates[0].process(of: "-relay.service"), try fleet.machine.process(of: "-agent.service"),
            ]
            let other = try RawMember(
                credential("other"), hearing: ["belfry.push.other", "belfry.answer.other.>"], on: loop)
            let nonsense = [
                "", "sesame", "{}", #"{"version":1}"#, #"{"version":"1","agent":5}"#, "\u{0}\u{1}", Self.deep,
            ]
            for text in nonsense {
                try other.say("belfry.here.other", text, reply: "belfry.answer.other.1")
                try other.say("belfry.device.other", text, reply: "belfry.answer.kiosk.1")
                try other.say("belfry.said.other.gate-1.1", text)
                try other.say("belfry.said.other.gate-1.x", text)
            }
            let here = #"{"version":7,"agent":"5","back":false,"colour":{"of":["hair",1.5e300]}}"#
            try other.say("belfry.here.other", here)
            try other.say("belfry.here.other", here, reply: "belfry.answer.kiosk.1")
            try other.say("belfry.said.other.gate-1.1", #"{"version":7,"agent":"5","said":"dreamt"}"#)
            try other.say("belfry.device.other", "sesame", reply: "belfry.answer.other.2")
            try other.say("belfry.here.other", here, reply: "belfry.answer.other.3")
            #expect(
                other.heard("belfry.answer.other.2").map { "\(String(decoding: $0.bytes, as: UTF8.self))" }?
                    .contains("malformed") == true)
            #expect(other.heard("belfry.answer.other.3") != nil && other.messages.count >= 2)
            let (atRelay, expectedAtRelay) = (try droppedCount(of: fleet.gates[0]), Int64(4 * nonsense.count + 2))
            #expect(atRelay == expectedAtRelay, "\(atRelay)")

            let gate = try RawMember(credential("gate-9", "--gateway"), hearing: ["belfry.said.*.gate-9.*"], on: loop)
            for text in nonsense {
                try gate.say("belfry.push.kiosk", text, reply: "belfry.said.kiosk.gate-9.1")
                try gate.say("belfry.answer.kiosk.1", text)
            }
            let push = try FleetPush(
                EndpointPush(
                    apnsID: "later", token: fleet.registration.token, topic: "com.example.phone", pushType: .alert,
                    payload: Array("{}".utf8), acceptedAt: WallTime(microseconds: 1))
            ).later
            // Whose answer would go to nobody, or to another machine's gateway.
            for reply in [nil, "belfry.said.other.gate-9.1", "belfry.said.kiosk.gate-9.x", "_INBOX.gate-1.1"] {
                try gate.say("belfry.push.kiosk", push, reply: reply)
            }
            try gate.say("belfry.push.kiosk", push, reply: "belfry.said.kiosk.gate-9.2")
            #expect(gate.heard("belfry.said.kiosk.gate-9.2") != nil)
            #expect(loop.run(within: .seconds(5)) { fleet.sink.taken["later"]?.count == 1 })
            let (atAgent, expectedAtAgent) = (try droppedCount(of: fleet.machine), Int64(2 * nonsense.count + 4))
            #expect(atAgent == expectedAtAgent, "\(atAgent)")

            #expect(try fleet.go(pushes: 50).isOnceEach)
            #expect(try fleet.gates[0].process(of: "-relay.service") == processes[0])
            #expect(try fleet.machine.process(of: "-agent.service") == processes[1])
            try expectNoSecrets()
        }

        @Test("ten thousand unknown tokens a second cost ten fences a second at most, and other pushes nothing")
        func fences() throws {
            let watcher = try credential("gate-9", "--gateway")
            // By a line of its own: a broker ends one that is not read while the pushes come.
            func last() throws -> UInt64 {
                let gate = try RawMember(watcher, hearing: ["_INBOX.gate-9.>"], on: Loop())
                try gate.say(BucketRequest.information.subject, "", reply: "_INBOX.gate-9.1")
                let answer = try #require(gate.heard("_INBOX.gate-9.1"))
                guard case .bucket(_, let last, _) = BucketAnswer(answer) else { throw BucketMissing() }
                return last
            }
            let before = try last()
            let begin = bootTimeMicroseconds()
            var (asked, certain, uncertain) = (0, 0, 0)
            var carrier: RelayCarrier?
            let outcome = try fleet.go { loop in
                let flooding = RelayCarrier(socketPath: fleet.gates[0].relaySocket, on: loop)
                carrier = flooding
                func flood() {
                    for _ in 0..<100 {
                        asked += 1
                        flooding.fence { if $0 { certain += 1 } else { uncertain += 1 } }
                    }
                    _ = loop.schedule(at: loop.now + .milliseconds(9), description: "flood") { flood() }
                }
                flood()
            }
            let seconds = Double(bootTimeMicroseconds() - begin) / 1e6
            withExtendedLifetime(carrier) {}
            let fences = try last() - before
            print(
                "\(asked) unknown tokens in \(seconds) s: \(fences) fences, \(certain) certain, \(uncertain) not;",
                "latest push \(outcome.latest)")
            #expect(outcome.isOnceEach && outcome.latest <= .seconds(1), "\(outcome)")
            // Ten at once, and the next ten a second after them.
            #expect(Double(fences) <= 10 * (seconds + 1) && fences > 0, "\(fences)")
            #expect(Double(asked) >= 5_000 * seconds && certain > asked / 2, "\(asked)")
            try expectNoSecrets()
        }

        private struct BucketMissing: Error {}

        @Test("two machines by one credential both ring, which is told; revoked, it is told once and not tried on")
        func twice() throws {
            let second = Sink()
            let twin = try Phone(["BELFRY_SOCKET": second.path], isInFleet: true)
            #expect(try twin.belfry("fleet", "join", fleet.office.credential("kiosk", ["--again"])).status.isSuccess)
            try twin.systemctl("start", "\(twin.name)-agent.service")
            #expect(
                try waitUntil {
                    try twin.belfry("device", "list", "--json").output.contains(fleet.registration.token.hex)
                })
            _ = try fleet.go(pushes: 20)
            // Either may have said so before the other one took it.
            for sink in [fleet.sink, second] {
                #expect(waitUntil { sink.taken.count == 20 && sink.taken.values.allSatisfy { $0.count == 1 } })
            }
            for gate in fleet.gates {
                let told = try gate.journal(of: "-relay.service").filter { $0.contains("twice") }
                #expect(told.count == 1 && told.allSatisfy { $0.contains("kiosk") }, "\(told)")
            }
            try twin.systemctl("stop", "\(twin.name)-agent.service", "\(twin.name)-agent.socket")

            #expect(try fleet.office.belfry(["fleet", "revoke", "kiosk"]).status.isSuccess)
            #expect(try waitUntil { try !denials(of: fleet.machine).isEmpty })
            // A line that merely was lost would be tried many times by then; and one that is tried is seen.
            #expect(!waitUntil(seconds: 3) { refusalsCount > 0 })
            #expect(try denials(of: fleet.machine).count == 1)
            try fleet.machine.systemctl("restart", "\(fleet.machine.name)-agent.service")
            #expect(waitUntil { refusalsCount == 1 })
            try expectNoSecrets()
        }

        private func denials(of phone: Phone) throws -> [Substring] {
            try phone.journal(of: "-agent.service").filter { $0.contains("denies") }
        }

        /// How often the broker has let nobody in.
        private var refusalsCount: Int {
            fleet.office.log(of: 0).split(separator: "\n").count { $0.contains("uthentication") }
        }

        @Test("a credential that is cut short is told of once, and nothing is tried by it") func cutShort() throws {
            try fleet.machine.systemctl("stop", "\(fleet.machine.name)-agent.service")
            let path = "\(fleet.machine.state.path)/fleet/machine"
            let whole = bytes(of: path)
            try #require(whole.count > 1_000)
            #expect(unsafe truncate(path, off_t(whole.count / 2)) == 0)
            _ = try run("/usr/bin/systemctl", ["--user", "start", "\(fleet.machine.name)-agent.service"])
            // The journal may not know any more whose unit it was: it looks at the process, which has ended.
            func told() throws -> [Substring] {
                try run("/usr/bin/journalctl", ["--user", "--output=cat"]).output.split(separator: "\n")
                    .filter { $0.contains("\(path): it is cut short") }
            }
            #expect(try waitUntil { try !told().isEmpty })
            #expect(try !waitUntil(seconds: 2) { try told().count > 1 })
        }

        /// The journals of relays and agent have neither tokens nor payloads nor credentials.
        private func expectNoSecrets() throws {
            let credentials = try [(fleet.machine, "machine"), (fleet.gates[0], "gateway")].map { phone, name in
                try FleetCredential(bytes: bytes(of: "\(phone.state.path)/fleet/\(name)"))
            }
            let secrets = [fleet.registration.token.hex, "sesame"] + credentials.flatMap { [$0.token, $0.seed] }
            for (phone, unit) in [(fleet.machine, "-agent.service")] + fleet.gates.map({ ($0, "-relay.service") }) {
                let journal = try phone.journal(of: unit).joined(separator: "\n")
                #expect(!journal.isEmpty && secrets.allSatisfy { !journal.contains($0) }, "\(journal)")
            }
        }
    }
}

extension FleetPush {
    /// As a later version writes it, with more than this one knows.
    fileprivate var later: String {
        get throws {
            var fields = try #require(try JSONValue.parse(bytes).objectValue)
            fields["version"] = 7
            fields["colour"] = .object(["of": ["hair", 1.5]])
            return String(decoding: fields.serialized(), as: UTF8.self)
        }
    }
}
