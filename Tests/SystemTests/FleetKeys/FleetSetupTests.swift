import BelfryDevices
import BelfryAppGroup
import BelfrySyscalls
import BelfryTLS
import BelfryTerms
import Fleet
import Glibc
import Support
import Testing

@testable import FleetKeys

/// A fleet as it is set up: what stays, what is made anew, and what is refused.
@Suite struct FleetSetupTests {
    private static let now = PlayedFleet.now
    private let folder = TemporaryFolder()
    private let setup: FleetSetup

    init() throws { setup = try FleetSetup(state: StateDirectory(path: "\(folder.path)/state")) }

    @discardableResult
    private func setUp(_ brokers: String..., at now: WallTime = now) throws -> [BrokerFolder.Standing] {
        try setup.setUp(adding: brokers.map { try #require(Broker($0)) }, at: now).map(\.standing)
    }

    private func file(_ name: String) throws -> [UInt8] {
        try readFile(at: "\(setup.path)/\(name)", bytesMax: 1 << 20).bytes
    }

    private func files(_ broker: String) throws -> [String: [UInt8]] {
        let names = ["nats.conf", "server.pem", "server-key.pem", "authority.pem", "operator.jwt"]
        return try names.reduce(into: [:]) { $0[$1] = try file("broker-\(broker)/\($1)") }
    }

    private func enroll(
        _ name: String, _ role: FleetRole = .machine, until end: WallTime? = nil, again: Bool = false
    ) throws -> FleetCredential {
        let path = try setup.enroll(#require(FleetName(name)), as: role, until: end, again: again, at: Self.now)
        return try FleetCredential(bytes: readFile(at: path, bytesMax: 1 << 20).bytes)
    }

    private func error(_ body: () throws -> Void) -> FleetError? {
        do { try body() } catch { return error as? FleetError }
        return nil
    }

    @Test("set up again nothing changes; another broker is a new folder and a route of the others")
    func again() throws {
        #expect(try setUp("a.example") == [.new])
        let (keys, authority, first) = try (file("keys"), file("authority.pem"), files("a.example"))
        #expect(try setUp("a.example", at: Self.now + .seconds(86_400)) == [.same])
        #expect(try setUp(at: Self.now + .seconds(86_400)) == [.same])
        #expect(try files("a.example") == first)
        #expect(!String(decoding: first["nats.conf"] ?? [], as: UTF8.self).contains("cluster {"))
        #expect(try setUp("b.example:5000:5001", at: Self.now + .seconds(86_400)) == [.changed, .new])
        var second = try files("a.example")
        let configuration = String(decoding: second["nats.conf"] ?? [], as: UTF8.self)
        #expect(configuration.contains("\"nats-route://b.example:5001\"") && !configuration.contains("//a.example"))
        second["nats.conf"] = first["nats.conf"]
        #expect(second == first)
        let other = String(decoding: try file("broker-b.example-5000/nats.conf"), as: UTF8.self)
        #expect(other.contains("\"nats-route://a.example:6222\"") && other.contains("listen: \"0.0.0.0:5001\""))
        #expect(try file("keys") == keys && file("authority.pem") == authority)
        // A port for the others that changed is theirs from then on.
        #expect(try setUp("b.example:5000:5002") == [.changed, .changed])
        #expect(try setup.records()?.brokers.map(\.routePort) == [6222, 5002])
        #expect(String(decoding: try file("broker-a.example/nats.conf"), as: UTF8.self).contains("b.example:5002"))
    }

    @Test("a broker's certificate is for its host, as server and as client, and is made anew in its last 90 days")
    func certificates() throws {
        try setUp("a.example", "10.0.0.1", "[::1]")
        let first = try files("a.example")
        let day = TimeSpan.seconds(86_400)
        #expect(try setUp(at: Self.now + day * 729) == [.same, .same, .same])
        #expect(try files("a.example") == first)
        #expect(try setUp(at: Self.now + day * 731) == [.changed, .changed, .changed])
        let second = try files("a.example")
        #expect(second["server.pem"] != first["server.pem"] && second["server-key.pem"] != first["server-key.pem"])
        #expect(second["nats.conf"] == first["nats.conf"] && second["authority.pem"] == first["authority.pem"])
        let names = [("a.example", "DNS:a.example"), ("10.0.0.1", "IP Address:10.0.0.1"), ("::1", "IP Address:0:0:0:")]
        for (broker, name) in names {
            let path = "\(setup.path)/broker-\(broker)"
            let words = ["x509", "-noout", "-text", "-in", "\(path)/server.pem"]
            let said = try ProgramRun("/usr/bin/openssl", words).lines()
            #expect(said.contains { $0.contains(name) }, "\(said)")
            #expect(said.contains { $0.contains("TLS Web Server Authentication, TLS Web Client Authentication") })
            let verified = try ProgramRun(
                "/usr/bin/openssl",
                ["verify", "-x509_strict", "-CAfile", "\(path)/authority.pem", "\(path)/server.pem"])
            #expect(verified.lines() == ["\(path)/server.pem: OK"])
        }
    }

    @Test(
        "keys that are lost are told of, and never made anew",
        arguments: ["keys", "authority.pem", "authority-key.pem"])
    func lost(_ name: String) throws {
        try setUp("a")
        #expect(unsafe unlink("\(setup.path)/\(name)") == 0)
        let missing = "\(setup.path)/\(name) is missing, on which all credentials hang: put it back from a copy"
        #expect(error { _ = try setUp("b") }?.description == missing)
        if name != "authority-key.pem" { #expect(error { _ = try enroll("a") }?.description == missing) }
        #expect(unsafe access("\(setup.path)/\(name)", F_OK) != 0)
    }

    @Test("damaged files are told of, and left", arguments: ["keys", "fleet.json"])
    func damaged(_ name: String) throws {
        try setUp("a")
        let text = String(decoding: try file(name), as: UTF8.self)
        for wrong in [
            "", String(text.dropLast(9)), text.replacing("machine ", with: "machin "), "[]", "{\"version\":2}",
        ] {
            guard wrong != text else { continue }
            try setup.write(Array(wrong.utf8), as: name, in: setup.directory)
            #expect(error { _ = try setUp("b") }?.description == "\(setup.path)/\(name) is damaged", "\(wrong)")
        }
    }

    @Test("a set-up that was cut short before its records goes on with the keys that it made")
    func cutShort() throws {
        try setUp("a")
        let keys = try file("keys")
        #expect(unsafe unlink("\(setup.path)/fleet.json") == 0)
        try setUp("a")
        #expect(try file("keys") == keys)
    }

    @Test("a name is enrolled once, unless again; a gateway may have a machine's name, and who shares one may not")
    func names() throws {
        #expect(error { _ = try enroll("a") }?.kind == .absent)
        try setUp("a")
        let first = try enroll("a")
        #expect(error { _ = try enroll("a") }?.kind == .present)
        #expect(error { _ = try enroll("a", .shared) }?.kind == .present)
        let gateway = try enroll("a", .gateway)
        #expect(error { _ = try enroll("a", .gateway) }?.kind == .present)
        let second = try enroll("a", again: true)
        #expect(Set([first, second, gateway].map(\.claims.key)).count == 3)
        let keys = try setup.keys(makes: false)
        #expect(first.claims.signer == keys.machine.name && gateway.claims.signer == keys.gateway.name)
        #expect(first.claims.account == keys.account.name)
    }

    @Test("a credential has its key, and says when it is another's or not valid")
    func keyOfCredential() throws {
        try setUp("a")
        let end = Self.now + .seconds(60)
        let (first, other) = try (enroll("a", until: end), enroll("a", again: true))
        #expect(try first.key(at: Self.now).name == first.claims.key)
        func error(
            _ token: String, _ seed: String, at now: WallTime = Self.now
        ) -> FleetCredentialError? {
            do throws(FleetCredentialError) {
                _ = try FleetCredential(
                    name: first.name, role: first.role, brokers: first.brokers, token: token, seed: seed,
                    authority: first.authority
                ).key(at: now)
                return nil
            } catch {
                return error
            }
        }
        #expect(error(first.token, first.seed) == nil)
        #expect(error(first.token, other.seed) == .otherKey && error(other.token, first.seed) == .otherKey)
        var parts = first.token.split(separator: ".").map(String.init)
        parts[2] = (parts[2].hasPrefix("A") ? "B" : "A") + parts[2].dropFirst()
        #expect(error(parts.joined(separator: "."), first.seed) == .otherKey)
        let account = try setup.keys(makes: false).account
        #expect(error(first.token, account.seed) == .badSeed && error(first.token, "SU") == .badSeed)
        #expect(error(first.token, first.seed, at: end)?.description.hasPrefix("it has ended") == true)
        let early = error(first.token, first.seed, at: Self.now + .seconds(-3_602))
        #expect(early?.description.hasPrefix("it is not valid yet") == true)
    }

    @Test("revoked are all credentials of a name and role, until they end; each new token is later than the last")
    func revoked() throws {
        try setUp("a")
        let credentials = try [
            enroll("a"), enroll("a", again: true), enroll("a", .gateway), enroll("b", until: Self.now + .seconds(60)),
        ]
        let keys = credentials.map(\.claims.key)
        let (a, b) = try (#require(FleetName("a")), #require(FleetName("b")))
        #expect(error { _ = try setup.revoke(a, as: nil, at: Self.now) }?.kind == .present)
        #expect(error { _ = try setup.revoke(#require(FleetName("c")), as: nil, at: Self.now) }?.kind == .absent)
        #expect(error { _ = try setup.revoke(b, as: .gateway, at: Self.now) }?.kind == .absent)
        let before = try #require(try setup.records()).accountTokenAt
        #expect(try setup.revoke(a, as: .machine, at: Self.now + .seconds(-100)).roles == [.machine])
        let after = try #require(try setup.records())
        #expect(after.accountTokenAt == before + .seconds(1))
        #expect(Set(after.revoked(at: Self.now).keys) == Set(keys[..<2]))
        #expect(try setup.revoke(b, as: nil, at: Self.now).roles == [.machine])
        let records = try #require(try setup.records())
        #expect(Set(records.revoked(at: Self.now).keys) == [keys[0], keys[1], keys[3]])
        #expect(Set(records.revoked(at: Self.now + .seconds(60)).keys) == Set(keys[..<2]))
        #expect(FleetRecords(file: records.file) == records)
    }

    @Test("as many as one message of the brokers has room for can be revoked, and no more")
    func revokedMax() throws {
        try setUp("a")
        var records = try #require(try setup.records())
        let name = try #require(FleetName("a"))
        for _ in 0..<FleetRecords.revokedMax {
            let key = try NATSKey(new: .user).name
            records.credentials.append(EnrolledCredential(name: name, role: .machine, key: key, endsAt: nil))
        }
        try setup.write(records)
        #expect(try setup.revoke(name, as: nil, at: Self.now).roles == [.machine])
        let token = try setup.keys(makes: false).accountToken(
            revoked: #require(try setup.records()).revoked(at: Self.now), at: Self.now)
        #expect(token.utf8.count < 60_000)
        _ = try enroll("b")
        let error = error { _ = try setup.revoke(#require(FleetName("b")), as: nil, at: Self.now) }
        #expect(error?.description == "a fleet has 400 revoked credentials at most that have not ended")
        #expect(try #require(try setup.records()).revoked(at: Self.now).count == FleetRecords.revokedMax)
    }

    @Test("who sets up while another does is told to try again")
    func lock() throws {
        try setUp("a")
        let lock = try setup.lock()
        #expect(error { _ = try setUp("b") }?.description == "another command is changing the fleet; try again")
        withExtendedLifetime(lock) {}
    }

    @Test("rights are those of the subjects that programs use")
    func rights() {
        let name = "kiosk-1"
        let (fleetName, own) = (FleetName(name)!, { (subject: String) in subject.replacing("{{name()}}", with: name) })
        #expect(FleetRights.machine.heard.map(own) == FleetSubject.heard(byMachine: fleetName))
        #expect(FleetRights.gateway.heard.map(own) == FleetSubject.heard(byGateway: fleetName) + ["_INBOX.\(name).>"])
        let said = [FleetSubject.here(fleetName), .device(of: fleetName)].map(\.text) + ["belfry.said.\(name).>"]
        #expect(FleetRights.machine.published.map(own) == said)
    }
}
