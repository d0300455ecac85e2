import CommonCrypto
@testable import CryptoKit
import Testing

/// Cryptography, by published vectors.
@Suite struct CryptoKitTests {
    @Test("digests of abc (FIPS 180-4, RFC 1321), at once and piece by piece") func digests() {
        let abc = Data("abc".utf8)
        #expect(SHA256.hash(data: abc).hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(SHA384.hash(data: abc).hex.hasPrefix("cb00753f45a35e8bb5a03d699ac65007272c32ab0eded163"))
        #expect(SHA512.hash(data: abc).hex.hasPrefix("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea2"))
        #expect(Insecure.MD5.hash(data: abc).hex == "900150983cd24fb0d6963f7d28e17f72")
        #expect(Insecure.SHA1.hash(data: abc).hex == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(SHA256.hash(data: abc).description.hasPrefix("SHA256 digest: ba7816bf"))
        var (first, second) = (SHA256(), SHA256())
        first.update(data: Data("a".utf8))
        second = first
        first.update(data: Data("bc".utf8))
        second.update(data: Data("x".utf8))
        #expect(first.finalize() == SHA256.hash(data: abc) && second.finalize() != first.finalize())
        #expect(first.finalize() == Data(SHA256.hash(data: abc)) && Data(first.finalize()).count == 32)
    }

    @Test("a hash function says how many bytes its digest and its block have") func sizes() {
        #expect([SHA256.byteCount, SHA384.byteCount, SHA512.byteCount] == [32, 48, 64] as [Int])
        #expect([Insecure.MD5.byteCount, Insecure.SHA1.byteCount] == [16, 20] as [Int])
        #expect([SHA256.blockByteCount, SHA384.blockByteCount, SHA512.blockByteCount] == [64, 128, 128] as [Int])
        #expect([Insecure.MD5.blockByteCount, Insecure.SHA1.blockByteCount] == [64, 64] as [Int])
    }

    @Test("authentication codes and keys (RFC 4231, RFC 5869)") func codes() {
        let (key, data) = (SymmetricKey(data: Data("Jefe".utf8)), Data("what do ya want for nothing?".utf8))
        let code = HMAC<SHA256>.authenticationCode(for: data, using: key)
        #expect(code.hex == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: data, using: key))
        #expect(!HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: data + [0], using: key))
        let isOther = code == Data(count: 32)
        #expect(code == Data(code) && !isOther)
        let long = SymmetricKey(data: [UInt8](repeating: 0xAA, count: 131))
        let text = Data("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(
            HMAC<SHA256>.authenticationCode(for: text, using: long).hex
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
        let derived = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: [UInt8](repeating: 0x0B, count: 22)), salt: Array(0...12),
            info: Array(0xF0...0xF9), outputByteCount: 42)
        #expect(
            derived.hex
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    }

    @Test("AES-GCM opens what was sealed, and nothing else (McGrew and Viega, test case 4)") func galoisCounter() throws
    {
        let key = SymmetricKey(data: Data(hex: "feffe9928665731c6d6a8f9467308308"))
        let message = Data(
            hex: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
        let context = Data(hex: "feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let nonce = try AES.GCM.Nonce(data: Data(hex: "cafebabefacedbaddecaf888"))
        let box = try AES.GCM.seal(message, using: key, nonce: nonce, authenticating: context)
        #expect(box.tag.hex == "5bc94fbc3221a5db94fae95ae7121a47")
        #expect(box.ciphertext.hex.hasPrefix("42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e0"))
        let combined = try #require(box.combined)
        let received = try AES.GCM.SealedBox(combined: combined)
        #expect(try AES.GCM.open(received, using: key, authenticating: context) == message)
        #expect(throws: CryptoKitError.authenticationFailure) { try AES.GCM.open(received, using: key) }
        let changed = try AES.GCM.SealedBox(combined: combined.dropLast() + [combined[combined.count - 1] ^ 1])
        #expect(throws: CryptoKitError.authenticationFailure) {
            try AES.GCM.open(changed, using: key, authenticating: context)
        }
        #expect(throws: CryptoKitError.incorrectParameterSize) { try AES.GCM.SealedBox(combined: Data(count: 27)) }
        #expect(throws: CryptoKitError.incorrectKeySize) { try AES.GCM.seal(message, using: SymmetricKey(data: [1])) }
        let own = try AES.GCM.seal(Data(), using: SymmetricKey(size: .bits256))
        #expect(own.ciphertext.isEmpty && own.combined?.count == 28)
    }

    @Test("ChaCha20-Poly1305 (RFC 8439, 2.8.2)") func chaCha() throws {
        let key = SymmetricKey(data: Array(0x80...0x9F))
        let text =
            "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen "
            + "would be it."
        let nonce = try ChaChaPoly.Nonce(data: Data(hex: "070000004041424344454647"))
        let context = Data(hex: "50515253c0c1c2c3c4c5c6c7")
        let box = try ChaChaPoly.seal(Data(text.utf8), using: key, nonce: nonce, authenticating: context)
        #expect(box.tag.hex == "1ae10b594f09e26a7e902ecbd0600691")
        #expect(box.ciphertext.hex.hasPrefix("d31a8d34648e60db7b86afbc53ef7ec2"))
        let received = try ChaChaPoly.SealedBox(combined: box.combined)
        #expect(try ChaChaPoly.open(received, using: key, authenticating: context) == Data(text.utf8))
        #expect(throws: CryptoKitError.authenticationFailure) { try ChaChaPoly.open(received, using: key) }
    }

    @Test("P-256 (RFC 5903, 8.1): both sides have the same secret, and no point off the curve counts")
    func primeCurve() throws {
        let own = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: Data(hex: "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433"))
        let other = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: Data(hex: "c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53"))
        #expect(
            own.publicKey.rawRepresentation.hex
                == "dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c3772581180"
                + "5271a0461cdb8252d61f1c456fa3e59ab1f45b33accf5f58389e0577b8990bb3")
        let secret = try own.sharedSecretFromKeyAgreement(with: other.publicKey)
        #expect(secret.hex == "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de")
        #expect(try secret == other.sharedSecretFromKeyAgreement(with: own.publicKey))
        let spellings = try [
            P256.KeyAgreement.PublicKey(x963Representation: own.publicKey.x963Representation),
            P256.KeyAgreement.PublicKey(compressedRepresentation: own.publicKey.compressedRepresentation),
        ]
        for key in spellings { #expect(key.rawRepresentation == own.publicKey.rawRepresentation) }
        #expect(
            try P256.KeyAgreement.PrivateKey(x963Representation: own.x963Representation).rawRepresentation
                == own.rawRepresentation)
        #expect(throws: CryptoKitError.invalidParameter) {
            try P256.KeyAgreement.PublicKey(rawRepresentation: Data(repeating: 1, count: 64))
        }
        #expect(throws: CryptoKitError.invalidParameter) {
            try P256.KeyAgreement.PrivateKey(rawRepresentation: Data(count: 32))
        }
        #expect(throws: CryptoKitError.invalidParameter) {
            try P256.KeyAgreement.PrivateKey(rawRepresentation: Data(repeating: 0xFF, count: 32))
        }
        let keys = (P521.KeyAgreement.PrivateKey(), P521.KeyAgreement.PrivateKey())
        #expect(
            try keys.0.sharedSecretFromKeyAgreement(with: keys.1.publicKey)
                == keys.1.sharedSecretFromKeyAgreement(with: keys.0.publicKey))
        #expect(P384.KeyAgreement.PrivateKey().publicKey.rawRepresentation.count == 96)
        let key = secret.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: Data(), sharedInfo: Data(), outputByteCount: 32)
        #expect(key.bitCount == 256)
    }

    @Test("a key out of a secret by ANSI X9.63 (NIST CAVS 12.0), of one digest and of two") func derived() {
        let secret = SharedSecret(bytes: [UInt8](Data(hex: "96c05619d56c328ab95fe84b18264b08725b85e33fd34f08")))
        func key(_ count: Int, _ info: Data = Data()) -> SymmetricKey {
            secret.x963DerivedSymmetricKey(using: SHA256.self, sharedInfo: info, outputByteCount: count)
        }
        #expect(key(16).hex == "443024c3dae66b95e6f5670601558f71")
        #expect(key(48).hex.hasSuffix("c89cb225a8d3655c407cb151ec12f283"))
        #expect(key(32, Data([9])).hex == SHA256.hash(data: secret.bytes + [0, 0, 0, 1, 9]).hex)
    }

    @Test("Curve25519: a secret (RFC 7748, 5.2), a signature (RFC 8032, 7.1)") func edwards() throws {
        let own = try Curve25519.KeyAgreement.PrivateKey(
            rawRepresentation: Data(hex: "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"))
        let peer = try Curve25519.KeyAgreement.PublicKey(
            rawRepresentation: Data(hex: "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"))
        #expect(
            try own.sharedSecretFromKeyAgreement(with: peer).hex
                == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552")
        let signer = try Curve25519.Signing.PrivateKey(
            rawRepresentation: Data(hex: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
        #expect(
            signer.publicKey.rawRepresentation.hex
                == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
        let signature = try signer.signature(for: Data())
        #expect(signature.hex.hasPrefix("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974"))
        #expect(signer.publicKey.isValidSignature(signature, for: Data()))
        #expect(!signer.publicKey.isValidSignature(signature, for: Data([1])))
        #expect(throws: CryptoKitError.incorrectKeySize) {
            try Curve25519.Signing.PublicKey(rawRepresentation: Data(count: 31))
        }
    }

    @Test("CommonCrypto: digests, PBKDF2 (RFC 6070), AES in blocks (SP 800-38A)") func common() {
        var md5 = [UInt8](repeating: 0, count: Int(CC_MD5_DIGEST_LENGTH))
        unsafe CC_MD5("abc", 3, &md5)
        #expect(md5.hex == "900150983cd24fb0d6963f7d28e17f72")
        var code = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
        unsafe CCHmac(CCHmacAlgorithm(kCCHmacAlgSHA256), "Jefe", 4, "what do ya want for nothing?", 28, &code)
        #expect(code.hex.hasPrefix("5bdcc146bf60754e6a0424"))
        var key = [UInt8](repeating: 0, count: 20)
        let salt = Array("salt".utf8)
        let status = unsafe CCKeyDerivationPBKDF(
            CCPBKDFAlgorithm(kCCPBKDF2), "password", 8, salt, 4, CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA1), 4_096,
            &key, key.count)
        #expect(status == kCCSuccess && key.hex == "4b007901b765489abead49d926f721d065a429c1")
        let (cipherKey, start) = ([UInt8](Data(hex: "2b7e151628aed2a6abf7158809cf4f3c")), Array(UInt8(0)...15))
        let message = [UInt8](Data(hex: "6bc1bee22e409f96e93d7e117393172a"))
        func crypt(_ operation: Int, _ options: Int, _ input: [UInt8], room: Int = 64) -> (Int32, [UInt8]) {
            var output = [UInt8](repeating: 0, count: room)
            var count = 0
            let status = unsafe CCCrypt(
                CCOperation(operation), CCAlgorithm(kCCAlgorithmAES), CCOptions(options), cipherKey, cipherKey.count,
                start, input, input.count, &output, room, &count)
            return (status, Array(output.prefix(count)))
        }
        #expect(crypt(kCCEncrypt, 0, message).1.hex == "7649abac8119b246cee98e9b12e9197d")
        #expect(crypt(kCCEncrypt, kCCOptionECBMode, message).1.hex == "3ad77bb40d7a3660a89ecaf32466ef97")
        let padded = crypt(kCCEncrypt, kCCOptionPKCS7Padding, [1, 2, 3])
        #expect(padded.1.count == 16 && crypt(kCCDecrypt, kCCOptionPKCS7Padding, padded.1).1 == [1, 2, 3])
        #expect(crypt(kCCEncrypt, 0, [1]).0 == kCCAlignmentError)
        #expect(crypt(kCCEncrypt, 0, message, room: 8).0 == kCCBufferTooSmall)
        #expect(crypt(kCCDecrypt, kCCOptionPKCS7Padding, message).0 == kCCDecodeError)
    }

    @Test("CommonCrypto's numbers are Apple's") func numbers() {
        let statuses = [
            kCCSuccess, kCCParamError, kCCBufferTooSmall, kCCAlignmentError, kCCDecodeError, kCCUnimplemented,
        ]
        #expect(statuses == [0, -4300, -4301, -4303, -4304, -4305])
        let choices = [
            kCCEncrypt, kCCDecrypt, kCCAlgorithmAES, kCCAlgorithmAES128, kCCOptionPKCS7Padding, kCCOptionECBMode,
            kCCPBKDF2,
        ]
        #expect(choices == [0, 1, 0, 0, 1, 2, 2])
        let sizes = [kCCKeySizeAES128, kCCKeySizeAES192, kCCKeySizeAES256, kCCBlockSizeAES128]
        #expect(sizes == [16, 24, 32, 16])
        let functions = [kCCPRFHmacAlgSHA1, kCCPRFHmacAlgSHA256, kCCPRFHmacAlgSHA384, kCCPRFHmacAlgSHA512]
        #expect(functions == [1, 3, 4, 5])
        let codes = [kCCHmacAlgSHA1, kCCHmacAlgMD5, kCCHmacAlgSHA256, kCCHmacAlgSHA384, kCCHmacAlgSHA512]
        #expect(codes == [0, 1, 2, 3, 4])
    }

    @Test("CommonCrypto's random bytes are as many as are asked for") func random() {
        var bytes = [UInt8](repeating: 0, count: 64)
        // One byte can come out as it was by chance; not each of them.
        for _ in bytes.indices {
            #expect(unsafe CCRandomGenerateBytes(&bytes, 0) == kCCSuccess)
            #expect(bytes[0] == 0)
        }
        #expect(unsafe CCRandomGenerateBytes(&bytes, 48) == kCCSuccess)
        #expect(Set(bytes.prefix(48)).count > 16 && bytes.dropFirst(48).allSatisfy { $0 == 0 })
    }
}

extension Sequence<UInt8> {
    fileprivate var hex: String { map { String(format: "%02x", $0) }.joined() }
}

extension SymmetricKey {
    fileprivate var hex: String { unsafe withUnsafeBytes { unsafe Array($0) }.hex }
}

extension SharedSecret {
    fileprivate var hex: String { unsafe withUnsafeBytes { unsafe Array($0) }.hex }
}

extension Data {
    fileprivate init(hex: String) {
        var rest = hex[...]
        var bytes: [UInt8] = []
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self.init(bytes)
    }
}
