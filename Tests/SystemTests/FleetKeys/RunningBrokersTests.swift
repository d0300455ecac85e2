import BelfryAppGroup
import BelfryDevices
import BelfrySyscalls
import BelfryTerms
import Fleet
import FleetLine
import Glibc
import Support
import Testing

@testable import FleetKeys

/// What whoever has the keys of a fleet does at its brokers as they run.
@Suite struct RunningBrokersTests {
    private let folder = TemporaryFolder()
    private let setup: FleetSetup
    private let folders: [BrokerFolder]

    /// Three brokers of this machine, none of which runs.
    init() throws {
        ignoreBrokenPipes()
        setup = try FleetSetup(state: StateDirectory(path: "\(folder.path)/state"))
        let ports = SetUpBroker.freePorts(6)
        let brokers = try (0..<3).map { try #require(Broker("127.0.0.1:\(ports[$0]):\(ports[$0 + 3])")) }
        folders = try setup.setUp(adding: brokers, at: PlayedFleet.now)
    }

    private func credential(_ name: String, _ role: FleetRole = .machine) throws -> FleetCredential {
        let path = try setup.enroll(#require(FleetName(name)), as: role, until: nil, again: false, at: PlayedFleet.now)
        return try FleetCredential(bytes: readFile(at: path, bytesMax: FleetCredential.bytesMax).bytes)
    }

    /// A copy of a broker's folder, as it is on its host, where nothing changes by itself.
    private func copy(_ index: Int) throws -> String {
        let path = "\(folder.path)/host-\(index)"
        let run = try ProgramRun("/bin/cp", ["-a", folders[index].path, path])
        #expect(try run.child.waitUntilExit().isSuccess)
        return path
    }

    private func start(_ index: Int, _ path: String) throws -> SetUpBroker {
        try SetUpBroker(folder: path, port: folders[index].broker.address.port)
    }

    private func isLetIn(_ credential: FleetCredential, _ broker: SetUpBroker) throws -> Bool {
        do {
            _ = try BrokerLine(broker.port, credential)
            return true
        } catch is BrokerLine.Refused { return false }
    }

    @Test("brokers that do not run are told of, each with its reason, and nothing else is done") func none() throws {
        let brokers = try setup.visitBrokers(at: PlayedFleet.now)
        #expect(brokers.reached.isEmpty && brokers.missed.map(\.broker) == folders.map(\.broker.address))
        #expect(brokers.missed.allSatisfy { "\($0.why)".contains("Connection refused") })
        #expect(brokers.tellWhomTheyLetIn().isEmpty)
        var hasWaited = false
        #expect(try brokers.makeRegistry { hasWaited = true } == .tooFewBrokers)
        #expect(!hasWaited)
    }

    @Test("one that says nothing is given up after two seconds") func silent() throws {
        var port: UInt16 = 0
        let listener = try listenLocally(backlog: 8, port: &port)
        let setup = try FleetSetup(state: StateDirectory(path: "\(folder.path)/other"))
        try setup.setUp(adding: [#require(Broker("127.0.0.1:\(port)"))], at: PlayedFleet.now)
        let start = bootTimeMicroseconds()
        let brokers = try setup.visitBrokers(at: PlayedFleet.now)
        let taken = TimeSpan(microseconds: bootTimeMicroseconds() - start)
        #expect(taken >= BrokerVisit.patience && taken < .seconds(5))
        #expect(brokers.missed.map { "\($0.why)" } == ["not reached: no answer in time"])
        withExtendedLifetime(listener) {}
    }

    @Test("another fleet's broker is not trusted, and told nothing") func foreign() throws {
        let foreign = try SetUpBroker(PlayedFleet())
        let setup = try FleetSetup(state: StateDirectory(path: "\(folder.path)/other"))
        try setup.setUp(adding: [#require(Broker("127.0.0.1:\(foreign.port)"))], at: PlayedFleet.now)
        let brokers = try setup.visitBrokers(at: PlayedFleet.now)
        guard case .untrusted? = brokers.missed.first?.why else {
            return #expect(Bool(false), "\(brokers.missed)")
        }
    }

    @Test("the registry is made once, as a gateway needs it, and no machine reaches it") func one() throws {
        let fleet = try PlayedFleet()
        let port = try #require(SetUpBroker.freePorts(1).first)
        let setup = try FleetSetup(state: StateDirectory(path: "\(folder.path)/other"))
        let made = try setup.setUp(adding: [#require(Broker("127.0.0.1:\(port)"))], at: PlayedFleet.now)
        let broker = try SetUpBroker(folder: made[0].path, port: port)
        #expect(try setup.visitBrokers(at: PlayedFleet.now).makeRegistry {} == .made(copies: 1))
        #expect(try setup.visitBrokers(at: PlayedFleet.now).makeRegistry {} == .there(copies: 1))
        let path = try setup.enroll(
            #require(FleetName("gate")), as: .gateway, until: nil, again: false, at: PlayedFleet.now)
        let gateway = try FleetCredential(bytes: readFile(at: path, bytesMax: FleetCredential.bytesMax).bytes)
        let line = try gateway.forLine()
        let visit = try BrokerVisit(to: gateway.brokers, as: line, inbox: "_INBOX.gate")
        func ask(_ subject: String, _ text: String) -> String {
            let answer = visit.ask(subject, Array(text.utf8), of: gateway.brokers[0], for: .seconds(5))
            guard case .bytes(let bytes) = answer else { return "nothing" }
            return String(decoding: bytes, as: UTF8.self)
        }
        let key = "$KV.belfry-devices.kiosk-1.0"
        for number in 1...2 { #expect(ask(key, "a").contains("\"seq\":\(number)")) }
        let info = ask("$JS.API.STREAM.INFO.KV_belfry-devices", "")
        #expect(info.contains("\"messages\":1,") && info.contains("\"deny_delete\":true"), "\(info)")
        let removal = visit.ask(
            "$JS.API.STREAM.DELETE.KV_belfry-devices", [], of: gateway.brokers[0], for: .seconds(5))
        guard case .forbidden = removal else { return #expect(Bool(false), "a gateway may remove the registry") }
        withExtendedLifetime((broker, fleet)) {}
    }

    @Test("three agree on a registry of three copies; who is revoked loses its lines at once, at each of them")
    func three() throws {
        let paths = try (0..<3).map(copy)
        var running = try (0..<3).map { try start($0, paths[$0]) }
        #expect(try setup.visitBrokers(at: PlayedFleet.now).makeRegistry {} == .made(copies: 3))
        let (one, other) = (try credential("kiosk-1"), try credential("kiosk-2"))
        let lines = try running.map { try BrokerLine($0.port, one) }
        let kept = try BrokerLine(running[2].port, other)
        _ = try setup.revoke(#require(FleetName("kiosk-1")), as: nil, at: PlayedFleet.now)
        let brokers = try setup.visitBrokers(at: PlayedFleet.now)
        #expect(brokers.reached.count == 3 && brokers.tellWhomTheyLetIn().isEmpty)
        for line in lines {
            let words = try line.answers(to: "")
            #expect(words.last == "closed" && words.first?.contains("Authentication Revoked") == true, "\(words)")
        }
        for broker in running { #expect(try !isLetIn(one, broker) && isLetIn(other, broker)) }
        #expect(try kept.answers(to: "") == [])
        // One that starts again with the folder that it had keeps it in mind.
        try running[1].stop()
        running[1] = try start(1, paths[1])
        #expect(try !isLetIn(one, running[1]) && isLetIn(other, running[1]))
        // One that was off hears it from the others, soon after it has started with its old folder.
        try running[0].stop()
        _ = try setup.revoke(#require(FleetName("kiosk-2")), as: nil, at: PlayedFleet.now)
        let two = try setup.visitBrokers(at: PlayedFleet.now)
        #expect(two.missed.map(\.broker) == [folders[0].broker.address] && two.tellWhomTheyLetIn().isEmpty)
        #expect(try two.makeRegistry {} == .there(copies: 3))
        running[0] = try start(0, paths[0])
        let begin = bootTimeMicroseconds()
        var isIn = true
        // Without being asked a broker asks the others every two minutes.
        while isIn, bootTimeMicroseconds() - begin < TimeSpan.seconds(30).microseconds {
            poll(nil, 0, 50)
            isIn = try isLetIn(other, running[0])
        }
        #expect(!isIn)
    }

    @Test("a machine's devices are written down as removed, each once, whatever was there, and no other's")
    func removal() throws {
        let port = try #require(SetUpBroker.freePorts(1).first)
        let setup = try FleetSetup(state: StateDirectory(path: "\(folder.path)/other"))
        let made = try setup.setUp(adding: [#require(Broker("127.0.0.1:\(port)"))], at: PlayedFleet.now)
        let broker = try SetUpBroker(folder: made[0].path, port: port)
        let brokers = try setup.visitBrokers(at: PlayedFleet.now)
        let machine = try #require(FleetName("kiosk-1"))
        #expect(throws: FleetError.self) { try brokers.removeDevices(of: machine, at: PlayedFleet.now) }
        #expect(try brokers.makeRegistry {} == .made(copies: 1))
        #expect(try brokers.removeDevices(of: machine, at: PlayedFleet.now) == 0)
        let path = try setup.enroll(
            #require(FleetName("gate")), as: .gateway, until: nil, again: false, at: PlayedFleet.now)
        let gateway = try FleetCredential(bytes: readFile(at: path, bytesMax: FleetCredential.bytesMax).bytes)
        let line = try BrokerLine(port, gateway)
        func put(_ key: String, _ bytes: [UInt8]) throws {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(try line.answers(to: "PUB $KV.belfry-devices.\(key) \(bytes.count)\r\n\(text)\r\n") == [])
        }
        func entry(removedAt: WallTime? = nil) throws -> DeviceEntry {
            func token() throws -> DeviceToken {
                try #require(
                    DeviceToken(
                        hex: (0..<64).map { _ in "0123456789abcdef".randomElement()! }.description
                            .filter(\.isHexDigit)))
            }
            return try DeviceEntry(
                bundleID: "com.example.phone", appGroup: nil, environment: .production, alertToken: token(),
                voipToken: token(), addedAt: PlayedFleet.now, removedAt: removedAt)
        }
        // As many as a machine may have, which is more than one message of the brokers' holds.
        for _ in 0..<1_000 { try put("kiosk-1.\(randomUUID())", entry().bytes) }
        try put("kiosk-1.\(randomUUID())", entry(removedAt: PlayedFleet.now).bytes)
        try put("kiosk-1.\(randomUUID())", ForgottenDevice(removedAt: PlayedFleet.now).bytes)
        try put("kiosk-10.\(randomUUID())", entry().bytes)
        let again = try setup.visitBrokers(at: PlayedFleet.now)
        #expect(try again.removeDevices(of: machine, at: PlayedFleet.now) == 1_000)
        #expect(try again.removeDevices(of: machine, at: PlayedFleet.now) == 0)
        #expect(try again.removeDevices(of: #require(FleetName("kiosk-10")), at: PlayedFleet.now) == 1)
        withExtendedLifetime(broker) {}
    }

    @Test("a registry of two brokers gets three copies as a third one is there") func raised() throws {
        let setup = try FleetSetup(state: StateDirectory(path: "\(folder.path)/other"))
        let ports = SetUpBroker.freePorts(6)
        let brokers = try (0..<3).map { try #require(Broker("127.0.0.1:\(ports[$0]):\(ports[$0 + 3])")) }
        let two = try setup.setUp(adding: Array(brokers[..<2]), at: PlayedFleet.now)
        var running = try (0..<2).map { try SetUpBroker(folder: two[$0].path, port: ports[$0]) }
        #expect(try setup.visitBrokers(at: PlayedFleet.now).makeRegistry {} == .made(copies: 1))
        for broker in running { try broker.stop() }
        let folders = try setup.setUp(adding: [brokers[2]], at: PlayedFleet.now)
        running = try (0..<3).map { try SetUpBroker(folder: folders[$0].path, port: ports[$0]) }
        #expect(try setup.visitBrokers(at: PlayedFleet.now).makeRegistry {} == .raised(from: 1, to: 3))
        #expect(try setup.visitBrokers(at: PlayedFleet.now).makeRegistry {} == .there(copies: 3))
        withExtendedLifetime(running) {}
    }

    @Test("a broker alone that gets two others has a registry of its own no more") func growing() throws {
        let state = StateDirectory(path: "\(folder.path)/other")
        let setup = try FleetSetup(state: state)
        let ports = SetUpBroker.freePorts(6)
        let brokers = try (0..<3).map { try #require(Broker("127.0.0.1:\(ports[$0]):\(ports[$0 + 3])")) }
        let first = try setup.setUp(adding: [brokers[0]], at: PlayedFleet.now)
        let alone = try SetUpBroker(folder: first[0].path, port: ports[0])
        #expect(try setup.visitBrokers(at: PlayedFleet.now).makeRegistry {} == .made(copies: 1))
        let path = try setup.enroll(
            #require(FleetName("gate")), as: .gateway, until: nil, again: false, at: PlayedFleet.now)
        let gateway = try FleetCredential(bytes: readFile(at: path, bytesMax: FleetCredential.bytesMax).bytes)
        func messages() throws -> String {
            let visit = try BrokerVisit(
                to: gateway.brokers, as: gateway.forLine(), inbox: "_INBOX.gate")
            let info = visit.ask(
                "$JS.API.STREAM.INFO.KV_belfry-devices", [], of: gateway.brokers[0], for: .seconds(5))
            guard case .bytes(let bytes) = info else { return "nothing" }
            return String(decoding: bytes, as: UTF8.self).contains("\"messages\":1,") ? "one" : "none"
        }
        let line = try BrokerLine(ports[0], gateway)
        _ = try line.answers(to: "PUB $KV.belfry-devices.kiosk-1.0 1\r\na\r\n")
        #expect(try messages() == "one")
        try alone.stop()
        let folders = try setup.setUp(adding: Array(brokers[1...]), at: PlayedFleet.now)
        let running = try (0..<3).map { try SetUpBroker(folder: folders[$0].path, port: ports[$0]) }
        #expect(try setup.visitBrokers(at: PlayedFleet.now).makeRegistry {} == .made(copies: 3))
        #expect(try messages() == "none")
        withExtendedLifetime(running) {}
    }
}
