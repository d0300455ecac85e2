import CBelfryOpenSSL

/// A key that signs, with its private half.
@safe
public final class SigningKey {
    /// The longest file that a key or certificate is read from.
    public static let fileBytesMax = 1 << 16

    let key: OpaquePointer

    /// The key in the PEM file `bytes`, a `.p8` or the end of a certificate's `.pem`. Throws if there is none, or none
    /// without a passphrase.
    public init(pem bytes: [UInt8]) throws(TLSFailure) {
        let text = try MemoryText(bytes)
        guard let key = unsafe copenssl_read_key(text.bio) else {
            throw TLSFailure.last("there is no private key in it, or none without a passphrase")
        }
        unsafe self.key = key
    }

    /// What a new key is of.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// P-256, as ES256 needs.
        case ec
        /// RSA of 2,048 bits, as Apple's certificates have.
        case rsa
    }

    /// A new one.
    public init(_ kind: Kind = .ec) throws(TLSFailure) {
        let context = unsafe EVP_PKEY_CTX_new_id(kind == .rsa ? EVP_PKEY_RSA : EVP_PKEY_EC, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe kind == .rsa
                ? EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2_048) == 1
                : EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            unsafe EVP_PKEY_keygen(context, &made) == 1, let made = unsafe made
        else { throw TLSFailure.last("no key can be made") }
        unsafe key = made
    }

    deinit { unsafe EVP_PKEY_free(key) }

    /// The public half: 4, and both coordinates. Throws if the key is none of P-256.
    public func publicPoint() throws(TLSFailure) -> [UInt8] {
        var name = [CChar](repeating: 0, count: 64)
        var nameCount = 0
        guard unsafe EVP_PKEY_get_id(key) == EVP_PKEY_EC,
            unsafe EVP_PKEY_get_group_name(key, &name, name.count, &nameCount) == 1,
            name.prefix(nameCount).map({ UInt8(bitPattern: $0) }).elementsEqual("prime256v1".utf8)
        else { throw TLSFailure("it is no key of P-256, which ES256 needs") }
        var point = [UInt8](repeating: 0, count: 133)
        var count = 0
        guard unsafe EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &count) == 1,
            count == ES256.pointBytes, point[0] == 4
        else { throw TLSFailure.last("its public half cannot be read") }
        return Array(point.prefix(count))
    }

    /// The key as a PEM file, PKCS #8 without a passphrase.
    public func pem() throws(TLSFailure) -> [UInt8] {
        let text = try MemoryText()
        guard unsafe copenssl_write_key(text.bio, key) == 1 else { throw TLSFailure.last("the key cannot be written") }
        return text.bytes
    }
}

/// Signatures of ES256: ECDSA of P-256 over SHA-256, as r and s of 32 bytes each, which RFC 7518 (3.4) asks for, or as
/// DER (RFC 3279, 2.2.3), which Java, Ruby, PHP, node and `openssl` make. Apple takes both.
///
/// The algorithm is fixed here, whatever a token's header says.
@safe
public final class ES256 {
    /// Bytes of a public key: 4, and both coordinates.
    public static let pointBytes = 65
    /// Bytes of r and s.
    private static let pairBytes = 64
    /// How many keys are kept ready.
    private static let keysMax = 256

    private var keys: [[UInt8]: PublicKey] = [:]

    /// Nothing is kept ready yet.
    public init() {}

    /// Whether `signature` is one of `message` by the key whose public point is `point`. False for whatever is no
    /// signature, or no point of the curve.
    public func isSigned(_ message: [UInt8], _ signature: [UInt8], by point: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        guard let key = key(of: point) else { return false }
        if signature.count == Self.pairBytes, let der = Self.der(of: signature), isSigned(message, der: der, by: key) {
            return true
        }
        // DER may have that length too.
        return isSigned(message, der: signature, by: key)
    }

    /// OpenSSL accepts only the encoding that it would write itself: the one DER of two numbers above 0 and below the
    /// order, with nothing after it.
    private func isSigned(_ message: [UInt8], der: [UInt8], by key: PublicKey) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        return unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1
            && EVP_DigestVerify(context, der, der.count, message, message.count) == 1
    }

    private func key(of point: [UInt8]) -> PublicKey? {
        if let known = keys[point] { return known }
        guard point.count == Self.pointBytes, let key = PublicKey(point) else { return nil }
        if keys.count >= Self.keysMax { keys = [:] }
        keys[point] = key
        return key
    }

    /// r and s as OpenSSL takes them.
    private static func der(of signature: [UInt8]) -> [UInt8]? {
        guard let pair = unsafe ECDSA_SIG_new() else { return nil }
        defer { unsafe ECDSA_SIG_free(pair) }
        let r = unsafe BN_bin2bn(Array(signature.prefix(32)), 32, nil)
        let s = unsafe BN_bin2bn(Array(signature.suffix(32)), 32, nil)
        guard unsafe ECDSA_SIG_set0(pair, r, s) == 1 else {
            unsafe BN_free(r)
            unsafe BN_free(s)
            return nil
        }
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_ECDSA_SIG(pair, &start)
        guard count > 0, let start = unsafe start else { return nil }
        defer { unsafe copenssl_free(start) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }
}

/// The public half of a P-256 key.
@safe
private final class PublicKey {
    let pointer: OpaquePointer

    /// The key at `point`; nil if that is none of the curve.
    init?(_ point: [UInt8]) {
        guard let pointer = unsafe copenssl_public_key(point, point.count) else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_PKEY_free(pointer) }
}
