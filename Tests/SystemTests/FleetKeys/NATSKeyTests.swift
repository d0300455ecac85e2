import BelfryTerms
import Testing

@testable import FleetKeys

/// Keys as NATS writes them.
@Suite struct NATSKeyTests {
    /// Of NATS' documentation of nkeys.
    private static let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
    private static let name = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"

    @Test("a key of NATS' documentation has its public half, and is written as it was")
    func documented() throws {
        let key = try #require(NATSKey(seed: Self.seed))
        #expect(key.kind == .user && key.name == Self.name && key.seed == Self.seed)
        #expect(key.description == Self.name)
    }

    @Test(
        "the letter says what a new key is for",
        arguments: [(NATSKey.Kind.operator, "O"), (.account, "A"), (.user, "U")])
    func letters(_ kind: NATSKey.Kind, _ letter: String) throws {
        let key = try NATSKey(new: kind)
        #expect(key.name.hasPrefix(letter) && key.seed.hasPrefix("S\(letter)"))
        #expect(key.name.count == 56 && key.seed.count == 58)
        #expect(NATSKey(seed: key.seed) == key)
    }

    @Test("what is no seed is none, whatever letter of one is another")
    func wrong() {
        for text in ["", "S", Self.name, Self.seed.lowercased(), Self.seed + "A", String(Self.seed.dropLast())] {
            #expect(NATSKey(seed: text) == nil, "\(text)")
        }
        for index in Self.seed.indices {
            var text = Self.seed
            text.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            #expect(NATSKey(seed: text) == nil, "\(text)")
        }
    }

    @Test("a signature is that of its message and key alone")
    func signatures() throws {
        let (key, other) = (try NATSKey(new: .account), try NATSKey(new: .account))
        let signature = try key.signature(of: [1, 2, 3])
        #expect(NATSKey.isSignature(signature, of: [1, 2, 3], by: key.name, .account))
        #expect(!NATSKey.isSignature(signature, of: [1, 2, 4], by: key.name, .account))
        #expect(!NATSKey.isSignature(signature, of: [1, 2, 3], by: other.name, .account))
        #expect(!NATSKey.isSignature(signature, of: [1, 2, 3], by: key.name, .user))
        #expect(!NATSKey.isSignature(signature, of: [1, 2, 3], by: key.seed, .account))
    }

    /// RFC 4648, section 10.
    @Test(
        "base32",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ])
    func base32(_ text: String, _ digits: String) {
        #expect(Base32.encoded(Array(text.utf8)) == digits)
        #expect(Base32.decoded(digits) == Array(text.utf8))
    }

    @Test("what is no base32 is none", arguments: ["M", "MZ", "MZXW6Y", "M1", "my", "MY=", "MY "])
    func noBase32(_ text: String) { #expect(Base32.decoded(text) == nil) }
}
