import BelfryDevices
import BelfryJSON
import BelfryTerms
import Testing

@testable import Fleet

/// Credentials, written and read.
@Suite struct FleetCredentialTests {
    private static let brokers = ["a.example:4222", "[::1]:7"].map { BrokerAddress($0)! }

    /// A token that nobody signed.
    private static func token(
        name: JSONValue = "kiosk-1", adding more: JSONObject = [:], nats: JSONObject? = nil, algorithm: String? = nil
    ) -> String {
        let content = nats ?? ["type": "user", "issuer_account": "ACCOUNT"]
        var claims: JSONObject = ["name": name, "sub": "USER", "iss": "SIGNER", "nats": .object(content)]
        for member in more.members { claims[member.key] = member.value }
        let header: JSONObject = ["typ": "JWT", "alg": .string(algorithm ?? "ed25519-nkey")]
        let parts = [header.serialized(), claims.serialized(), [1, 2, 3]]
        return parts.map { String(decoding: Base64.encodedForURL($0.span), as: UTF8.self) }.joined(separator: ".")
    }

    private static func credential(
        _ role: FleetRole = .machine, token: String = token(), brokers: [BrokerAddress] = brokers
    ) throws(FleetCredentialError) -> FleetCredential {
        try FleetCredential(
            name: FleetName("kiosk-1")!, role: role, brokers: brokers, token: token, seed: "SEED",
            authority: (0..<100).map { UInt8($0) })
    }

    private static func error(_ text: String) -> FleetCredentialError? {
        do throws(FleetCredentialError) {
            _ = try FleetCredential(bytes: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("a credential is read as it was written, with any ends of lines", arguments: FleetRole.allCases)
    func both(_ role: FleetRole) throws {
        let credential = try Self.credential(role)
        #expect(try FleetCredential(bytes: Array(credential.text.utf8)) == credential)
        let windows = credential.text.replacing("\n", with: "\r\n")
        #expect(try FleetCredential(bytes: Array(windows.utf8)) == credential)
        // What a later program writes beside is passed over.
        let later = credential.text.replacing("role:", with: "colour: red\nrole:")
        #expect(try FleetCredential(bytes: Array(later.utf8)) == credential)
    }

    @Test("it has the blocks that NATS' own libraries look for, and lines of a certificate")
    func blocks() throws {
        let lines = try Self.credential().text.split(separator: "\n").map(String.init)
        #expect(lines[0] == "# Whoever has this file is the machine kiosk-1 of a Belfry fleet.")
        #expect(
            lines[1...4] == ["version: 1", "name: kiosk-1", "role: machine", "brokers: a.example:4222 [::1]:7"])
        #expect(lines[5] == "-----BEGIN NATS USER JWT-----" && lines[7] == "------END NATS USER JWT------")
        #expect(lines[8] == "-----BEGIN USER NKEY SEED-----" && lines[9] == "SEED")
        #expect(lines[11] == "-----BEGIN CERTIFICATE-----" && lines.last == "-----END CERTIFICATE-----")
        #expect(lines[12...].dropLast().map(\.utf8.count) == [64, 64, 8])
    }

    @Test("cut short anywhere it is refused, and says that it is cut short")
    func cutShort() throws {
        let bytes = Array(try Self.credential().text.utf8)
        for count in 0..<(bytes.count - 1) {
            let error = Self.error(String(decoding: bytes.prefix(count), as: UTF8.self))
            switch error {
            case .cutShort, .badBrokers, .badName, .badRole: break
            case .other: #expect(count < 80, "\(count)")
            default: #expect(Bool(false), "\(count): \(String(describing: error))")
            }
        }
        #expect(try FleetCredential(bytes: bytes.dropLast()) == Self.credential())
    }

    @Test("a wrong one is refused with its reason")
    func reasons() throws {
        let text = try Self.credential().text
        func expect(_ error: FleetCredentialError, _ old: String, _ new: String) {
            #expect(Self.error(text.replacing(old, with: new)) == error, "\(new)")
        }
        for name in ["*", ">", "a.b", "", "A", "-a", "kiosk-1 "] { expect(.badName, "name: kiosk-1", "name: \(name)") }
        expect(.otherName("kiosk-1"), "name: kiosk-1", "name: kiosk-2")
        for role in ["", "Machine", "king"] { expect(.badRole, "role: machine", "role: \(role)") }
        for brokers in ["", "a:0", "a b:x", "a,b", String(repeating: "a ", count: 9)] {
            expect(.badBrokers, "a.example:4222 [::1]:7", brokers)
        }
        expect(.laterVersion, "version: 1", "version: 2")
        expect(.other, "version: 1\n", "")
        expect(.other, "version: 1", "version: one")
        expect(.badLine(4), "role:", "name: kiosk-1\nrole:")
        expect(.badLine(4), "role:", "what\nrole:")
        expect(.cutShort("role"), "role: machine\n", "")
        expect(.cutShort("seed"), "-----BEGIN USER NKEY SEED-----\nSEED\n------END USER NKEY SEED------\n", "")
        expect(.badLine(13), "SEED\n", "SEED\n-----BEGIN CERTIFICATE-----\n")
        expect(.badToken, Self.token(), "a.b.c")
        expect(.cutShort("certificate"), "AAEC", "A*EC")
        #expect(Self.error(text + text) != nil && Self.error("") == .other && Self.error("hello") == .other)
        #expect(Self.error("{\"a\": 1}") == .other)
        let long = text + String(repeating: "#", count: FleetCredential.bytesMax)
        #expect(Self.error(String(long.prefix(FleetCredential.bytesMax))) == nil)
        #expect(Self.error(String(long.prefix(FleetCredential.bytesMax + 1))) == .tooLong)
    }

    @Test("each reason is one sentence for people, with nothing in it that a terminal obeys")
    func words() {
        let time = WallTime(microseconds: 0)
        let all: [FleetCredentialError] = [
            .tooLong, .other, .cutShort("seed"), .laterVersion, .badLine(3), .badName, .badRole, .badBrokers, .badToken,
            .otherName("\u{1B}[2J"), .otherKey, .badSeed, .notYetValid(time), .ended(time),
        ]
        #expect(Set(all.map(\.description)).count == all.count)
        #expect(all.allSatisfy { !$0.description.hasSuffix(".") && !$0.description.contains("\u{1B}") })
    }

    @Test("what is printed of one has nothing secret")
    func printed() throws {
        let credential = try Self.credential(.gateway)
        #expect("\(credential)" == "the credential of the gateway kiosk-1")
        #expect(String(reflecting: credential) == "\(credential)")
    }

    @Test("a token that is none of a user of NATS is refused")
    func tokens() {
        let wrong = [
            "", "a", "a.b", "..", Self.token() + ".a", Self.token(algorithm: "none"), Self.token(algorithm: "ES256"),
            Self.token(name: 1), Self.token(nats: ["type": "account", "issuer_account": "A"]),
            Self.token(nats: ["type": "user"]), Self.token(adding: ["sub": 1]), Self.token(adding: ["exp": "a"]),
            Self.token(adding: ["nbf": 1.5]), Self.token().replacing(".", with: "="),
            Self.token(name: .string(String(repeating: "a", count: 8_192))),
        ]
        for token in wrong { #expect(FleetClaims(token: token) == nil, "\(token.prefix(80))") }
        let claims = FleetClaims(token: Self.token())
        #expect(claims?.name == "kiosk-1" && claims?.key == "USER" && claims?.signer == "SIGNER")
        #expect(claims?.account == "ACCOUNT" && claims?.signature == [1, 2, 3])
        #expect(claims?.beginsAt == nil && claims?.endsAt == nil)
        #expect(FleetClaims(token: Self.token(adding: ["exp": 0, "nbf": 0]))?.endsAt == nil)
    }

    @Test("it is good from its beginning to before its end")
    func times() throws {
        let credential = try Self.credential(token: Self.token(adding: ["nbf": 100, "exp": 200]))
        func error(_ second: Int64) -> FleetCredentialError? {
            do throws(FleetCredentialError) {
                try credential.check(at: WallTime(microseconds: second * 1_000_000))
                return nil
            } catch {
                return error
            }
        }
        let (begin, end) = (WallTime(microseconds: 100_000_000), WallTime(microseconds: 200_000_000))
        #expect(error(99) == .notYetValid(begin) && error(100) == nil && error(199) == nil && error(200) == .ended(end))
    }

    @Test("one names a broker at least, and eight at most")
    func brokers() throws {
        let broker = Self.brokers[0]
        for (count, isGood) in [(0, false), (1, true), (8, true), (9, false)] {
            let made = try? Self.credential(brokers: Array(repeating: broker, count: count))
            #expect((made != nil) == isGood, "\(count)")
        }
    }
}
