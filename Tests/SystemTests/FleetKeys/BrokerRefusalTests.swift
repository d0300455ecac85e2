import BelfryDevices
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import Fleet
import Glibc
import Support
import Testing

@testable import FleetKeys

/// Whom a real broker lets in by the keys that a set-up made, and whom not.
@Suite struct BrokerRefusalTests {
    private static let violation = BrokerLine.Refused(words: "-ERR 'Authorization Violation'")
    private static let ended = BrokerLine.Refused(words: "-ERR 'User Authentication Expired'")

    private let fleet: PlayedFleet
    private let broker: SetUpBroker

    init() throws {
        fleet = try PlayedFleet()
        broker = try SetUpBroker(fleet)
    }

    /// Connects with the token, by the key of the seed, as someone who knows where the broker is.
    private func connect(_ credential: FleetCredential, token: String? = nil, seed: String? = nil) throws {
        let key = try #require(NATSKey(seed: seed ?? credential.seed))
        _ = try BrokerLine(broker.port, credential, token: token, key: key)
    }

    private func keys() throws -> FleetKeySet { try fleet.setup.keys(makes: false) }

    /// A user's token that `signer` signed.
    private func token(
        _ name: String, _ key: NATSKey, by signer: NATSKey, adding more: JSONObject = [:]
    ) throws -> String {
        var content: JSONObject = ["type": "user", "version": 2, "issuer_account": .string(try keys().account.name)]
        for member in more.members { content[member.key] = member.value }
        return try NATSToken(name: name, key: key.name, content: content).signed(by: signer, at: PlayedFleet.now)
    }

    @Test("a credential lets in from its beginning to its end, and no longer")
    func times() throws {
        let now = PlayedFleet.now
        try connect(fleet.enroll("a"))
        try connect(fleet.enroll("b", until: now + .seconds(3_600)))
        // One begins an hour before it was made, since clocks differ.
        try connect(fleet.enroll("c", at: now + .seconds(3_000)))
        let early = try fleet.enroll("d", at: now + .seconds(7_200))
        #expect(throws: Self.violation) { try connect(early) }
        let late = try fleet.enroll("e", until: now + .seconds(-10), at: now + .seconds(-100))
        #expect(throws: Self.violation) { try connect(late) }
    }

    @Test("another fleet's credential, another's token, a forged name and a key of nobody are refused")
    func keysOfOthers() throws {
        let own = try fleet.enroll("kiosk-1")
        let second = try fleet.enroll("kiosk-2")
        let foreign = try PlayedFleet().enroll("kiosk-1")
        #expect(throws: Self.violation) { try connect(own, token: foreign.token, seed: foreign.seed) }
        #expect(throws: Self.violation) { try connect(own, token: second.token) }
        #expect(throws: Self.violation) { try connect(own, token: foreign.token) }
        // Its own token for another name, with the signature of the first.
        var parts = own.token.split(separator: ".").map(String.init)
        let claims = Base64.decoded(Array(parts[1].utf8).span, allowing: [.urlAlphabet, .unpadded]) ?? []
        let other = String(decoding: claims, as: UTF8.self).replacing("kiosk-1", with: "kiosk-2")
        parts[1] = String(decoding: Base64.encodedForURL(Array(other.utf8).span), as: UTF8.self)
        #expect(throws: Self.violation) { try connect(own, token: parts.joined(separator: ".")) }
        // Signed by keys that the account does not name: a stranger's, the user's own, that of another account.
        let key = try #require(NATSKey(seed: own.seed))
        for signer in try [NATSKey(new: .account), key, keys().system] {
            let token = try token("kiosk-1", key, by: signer)
            #expect(throws: Self.violation) { try connect(own, token: token) }
        }
        // The broker lets in whom the fleet's own key signed: what is refused above is so for its key alone.
        try connect(own, token: token("kiosk-1", key, by: keys().machine))
    }

    @Test("a token cannot give itself rights beside those of its role")
    func ownRights() throws {
        let own = try fleet.enroll("kiosk-1")
        let key = try #require(NATSKey(seed: own.seed))
        let more: JSONObject = ["sub": .object(["allow": [">"]]), "pub": .object(["allow": [">"]])]
        let token = try token("kiosk-1", key, by: keys().machine, adding: more)
        #expect(throws: Self.violation) { try connect(own, token: token) }
    }

    @Test("a name of wildcards is made and read by none of our programs", arguments: ["*", ">"])
    func wildcards(_ name: String) throws {
        let own = try fleet.enroll("kiosk-1")
        let key = try #require(NATSKey(seed: own.seed))
        let forged = try token(name, key, by: keys().machine)
        #expect(throws: FleetCredentialError.otherName(name)) {
            try FleetCredential(
                name: own.name, role: own.role, brokers: own.brokers, token: forged, seed: own.seed,
                authority: own.authority)
        }
        // A broker takes the name as it is: nothing but our programs stands between it and all machines' pushes.
        #expect(try BrokerLine(broker.port, own, token: forged, key: key).maySubscribe("belfry.push.kiosk-2"))
        let text = own.text.replacing("name: kiosk-1", with: "name: \(name)").replacing(own.token, with: forged)
        #expect(throws: FleetCredentialError.badName) { try FleetCredential(bytes: Array(text.utf8)) }
    }

    @Test("who shows no credential, or a password, is refused")
    func nobody() throws {
        let own = try fleet.enroll("kiosk-1")
        for answer in ["{}", #"{"user":"a","pass":"b"}"#, #"{"auth_token":"a"}"#, #"{"jwt":""}"#] {
            #expect(throws: Self.violation) {
                _ = try BrokerLine(broker.port, own, answer: answer)
            }
        }
    }

    @Test("who is revoked is refused from then on, also where an older folder comes back, and enrolled again let in")
    func revoked() throws {
        let (first, other) = (try fleet.enroll("kiosk-1"), try fleet.enroll("kiosk-2"))
        let gateway = try fleet.enroll("kiosk-1", as: .gateway)
        try connect(first)
        let file = "\(broker.folder)/nats.conf"
        let old = try readFile(at: file, bytesMax: 1 << 20).bytes
        let name = try #require(FleetName("kiosk-1"))
        #expect(try fleet.setup.revoke(name, as: .machine, at: PlayedFleet.now).roles == [.machine])
        try broker.stop()
        func expectRefusal() throws {
            let broker = try SetUpBroker(fleet)
            func connect(_ credential: FleetCredential) throws { _ = try BrokerLine(broker.port, credential) }
            #expect(throws: Self.violation) { try connect(first) }
            try connect(other)
            try connect(gateway)
            try connect(fleet.enroll("kiosk-1", again: true))
            try broker.stop()
        }
        try expectRefusal()
        try Directory.open(path: broker.folder, makes: false).write(old, as: "nats.conf", aside: "nats.conf.new")
        try expectRefusal()
    }
}
