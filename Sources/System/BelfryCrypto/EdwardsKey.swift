import CBelfryCrypto

/// What a key of Curve25519 is for.
public enum Curve25519Use: Hashable, Sendable {
    /// To agree on a secret: X25519 (RFC 7748).
    case agreement
    /// To sign: Ed25519 (RFC 8032).
    case signing

    /// Bytes of a key, private or public.
    public static let keyBytes = 32
    /// Bytes of a signature.
    public static let signatureBytes = 64

    fileprivate var number: Int32 {
        switch self {
        case .agreement: NID_X25519
        case .signing: NID_ED25519
        }
    }

    /// A new private key.
    public func makePrivateKey() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<Self.keyBytes).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// The public key of `key`. Throws if `key` is not a private key.
    public func publicKey(of key: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let pair = try EdwardsKey(self, private: key)
        var bytes = [UInt8](repeating: 0, count: Self.keyBytes)
        var count = bytes.count
        guard unsafe pair.calls.key_public(pair.key, &bytes, &count) == 1, count == Self.keyBytes else {
            throw .library
        }
        return bytes
    }

    /// Throws if it is not a public key.
    public func check(publicKey: [UInt8]) throws(CryptoFailure) { _ = try EdwardsKey(self, public: publicKey) }
}

/// The secret that only the holders of `key` and of the private key of `peer` know (X25519).
public func curve25519Secret(_ key: [UInt8], with peer: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    let (own, other) = (try EdwardsKey(.agreement, private: key), try EdwardsKey(.agreement, public: peer))
    let calls = own.calls
    guard let context = unsafe calls.agreement_new(own.key, nil) else { throw .library }
    defer { unsafe calls.agreement_free(context) }
    var secret = [UInt8](repeating: 0, count: Curve25519Use.keyBytes)
    var count = secret.count
    guard unsafe calls.agreement_init(context) == 1, unsafe calls.agreement_set_peer(context, other.key) == 1,
        unsafe calls.agreement_derive(context, &secret, &count) == 1
    else { throw .invalidInput }
    return secret
}

/// The signature of `message` by `key` (Ed25519).
public func curve25519Signature(_ message: [UInt8], key: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    let own = try EdwardsKey(.signing, private: key)
    let calls = own.calls
    guard let context = calls.md_new() else { throw .library }
    defer { unsafe calls.md_free(context) }
    var signature = [UInt8](repeating: 0, count: Curve25519Use.signatureBytes)
    var count = signature.count
    guard unsafe calls.sign_init(context, nil, nil, nil, own.key) == 1,
        unsafe calls.sign(context, &signature, &count, message, message.count) == 1
    else { throw .library }
    return signature
}

/// Whether `signature` is that of `message` by the private key of `publicKey` (Ed25519).
public func isCurve25519Signature(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
    guard let other = try? EdwardsKey(.signing, public: publicKey) else { return false }
    let calls = other.calls
    guard let context = calls.md_new() else { return false }
    defer { unsafe calls.md_free(context) }
    return unsafe calls.verify_init(context, nil, nil, nil, other.key) == 1
        && calls.verify(context, signature, signature.count, message, message.count) == 1
}

/// A key as the library has it.
@safe
private final class EdwardsKey {
    let calls = CryptoLibrary.calls
    let key: OpaquePointer

    init(_ use: Curve25519Use, private bytes: [UInt8]) throws(CryptoFailure) {
        guard bytes.count == Curve25519Use.keyBytes else { throw .invalidInput }
        guard let key = unsafe calls.key_of_private(use.number, nil, bytes, bytes.count) else { throw .library }
        unsafe self.key = key
    }

    init(_ use: Curve25519Use, public bytes: [UInt8]) throws(CryptoFailure) {
        guard bytes.count == Curve25519Use.keyBytes else { throw .invalidInput }
        guard let key = unsafe calls.key_of_public(use.number, nil, bytes, bytes.count) else { throw .library }
        unsafe self.key = key
    }

    deinit { unsafe calls.key_free(key) }
}
