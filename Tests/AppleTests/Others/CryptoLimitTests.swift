import BelfryCrypto
import Testing

/// What the modules of cryptography ask of the library, at its limits.
@Suite struct CryptoLimitTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    }

    private static let key = [UInt8](repeating: 7, count: 32)

    @Test("a nonce of AES-GCM has up to 64 bytes, one of ChaCha20-Poly1305 up to 12", arguments: [1, 12, 64])
    func nonces(count: Int) throws {
        func seal(_ cipher: SealingCipher, _ count: Int) throws -> (ciphertext: [UInt8], tag: [UInt8]) {
            try cipher.seal([1, 2], key: Self.key, nonce: .init(repeating: 3, count: count), context: [4])
        }
        let nonce = [UInt8](repeating: 3, count: count)
        let sealed = try seal(.aesGCM, count)
        let opened = try SealingCipher.aesGCM.open(
            sealed.ciphertext, tag: sealed.tag, key: Self.key, nonce: nonce, context: [4])
        #expect(opened == [1, 2])
        #expect(throws: CryptoFailure.notAuthentic) {
            try SealingCipher.aesGCM.open(
                sealed.ciphertext, tag: sealed.tag, key: Self.key, nonce: nonce, context: [])
        }
        for count in [0, 65] { #expect(throws: CryptoFailure.invalidInput) { try seal(.aesGCM, count) } }
        for count in [0, 13, 64] { #expect(throws: CryptoFailure.invalidInput) { try seal(.chaChaPoly, count) } }
        #expect(try seal(.chaChaPoly, 12).tag.count == SealingCipher.tagBytes)
    }

    @Test("keys of AES have 16, 24 or 32 bytes, and what it starts with a block") func plainKeys() throws {
        let start = [UInt8](repeating: 0, count: PlainCipher.blockBytes)
        func run(_ input: [UInt8], _ count: Int, _ start: [UInt8], encrypts: Bool) throws -> [UInt8] {
            try PlainCipher.cipherBlockChaining.run(
                input, key: Array(Self.key.prefix(count)), start: start, encrypts: encrypts, pads: true)
        }
        var results: Set<[UInt8]> = []
        for count in [16, 24, 32] {
            let encrypted = try run([1, 2, 3], count, start, encrypts: true)
            #expect(try run(encrypted, count, start, encrypts: false) == [1, 2, 3])
            #expect(throws: CryptoFailure.notAuthentic) {
                try run(Array(encrypted.reversed()), count, start, encrypts: false)
            }
            results.insert(encrypted)
        }
        #expect(results.count == 3)
        for count in [0, 15, 17, 25, 31] {
            #expect(throws: CryptoFailure.invalidInput) { try run([1], count, start, encrypts: true) }
        }
        for start in [[], Array(start.dropLast()), start + [0]] {
            #expect(throws: CryptoFailure.invalidInput) { try run([1], 16, start, encrypts: true) }
        }
    }

    @Test(
        "digests of \"abc\" are those of FIPS 180-4 and RFC 1321",
        arguments: [
            (HashName.md5, "900150983cd24fb0d6963f7d28e17f72"), (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha384,
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
            ),
            (
                .sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        ]) func digests(hash: HashName, hex: String)
    {
        let state = DigestState(hash)
        state.update(Array("abc".utf8))
        #expect(state.digest() == Self.bytes(hex))
        #expect(state.digest().count == hash.digestBytes)
    }

    @Test("an authentication code's key of any length counts whole (RFC 4231, 4.2 and 4.7)") func keyedDigest() {
        func code(_ key: [UInt8], _ text: String) -> [UInt8] {
            let digest = KeyedDigest(.sha256, key: key)
            digest.update(Array(text.utf8))
            return digest.code()
        }
        #expect(
            code([UInt8](repeating: 0x0B, count: 20), "Hi There")
                == Self.bytes("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"))
        #expect(
            code([UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First")
                == Self.bytes("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"))
        // A key as long as a block is itself, and not its digest.
        let block = [UInt8](repeating: 0xAA, count: HashName.sha256.blockBytes)
        let state = DigestState(.sha256)
        state.update(block)
        #expect(code(block, "") != code(state.digest(), "") && code(block + [0], "") != code(block, ""))
    }

    @Test("what both sides of a curve agree on has the field's bytes", arguments: [PrimeCurve.p256, .p384, .p521])
    func agreement(curve: PrimeCurve) throws {
        let count = [PrimeCurve.p256: 32, .p384: 48, .p521: 66][curve]
        let (own, other) = (curve.makePrivateKey(), curve.makePrivateKey())
        let point = try curve.publicKey(of: other)
        #expect(curve.fieldBytes == count && own.count == count && point.count == 1 + 2 * curve.fieldBytes)
        let secret = try curve.sharedSecret(own, with: point)
        #expect(try secret.count == count && secret == curve.sharedSecret(other, with: curve.publicKey(of: own)))
        #expect(throws: CryptoFailure.invalidInput) { try curve.sharedSecret(own + [0], with: point) }
        #expect(throws: CryptoFailure.invalidInput) { try curve.sharedSecret(own, with: Array(point.dropLast())) }
    }

    @Test("a private key is at least 1 and below the order of the curve (SP 800-186, 3.2.1.3)") func order() throws {
        let order = Self.bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        var last = order
        last[31] -= 1
        #expect(try PrimeCurve.p256.publicKey(of: last).count == 65)
        for key in [order, [UInt8](repeating: 0, count: 32), [UInt8](repeating: 255, count: 32)] {
            #expect(throws: CryptoFailure.invalidInput) { try PrimeCurve.p256.publicKey(of: key) }
        }
    }

    @Test("with a point of small order nothing is agreed on (RFC 7748, 6.1)") func smallOrder() throws {
        let own = Curve25519Use.agreement.makePrivateKey()
        let zeros = [UInt8](repeating: 0, count: Curve25519Use.keyBytes)
        #expect(throws: CryptoFailure.invalidInput) { try curve25519Secret(own, with: zeros) }
        #expect(throws: CryptoFailure.invalidInput) { try curve25519Secret(own, with: Array(zeros.dropLast())) }
    }
}
