import CBelfryCrypto

/// Ciphers that seal: a message that was changed on the way, or sealed with another key, does not open.
public enum SealingCipher: Hashable, Sendable {
    /// AES in Galois/Counter mode (NIST SP 800-38D), by a key of 16, 24 or 32 bytes.
    case aesGCM
    /// ChaCha20-Poly1305 (RFC 8439), by a key of 32 bytes.
    case chaChaPoly

    /// Bytes of what shows that a message is authentic.
    public static let tagBytes = 16

    private func name(keyBytes: Int) -> String? {
        switch self {
        case .aesGCM: [16: "AES-128-GCM", 24: "AES-192-GCM", 32: "AES-256-GCM"][keyBytes]
        case .chaChaPoly: keyBytes == 32 ? "ChaCha20-Poly1305" : nil
        }
    }

    /// Seals `message`; `context` is bound to it and not sealed.
    public func seal(
        _ message: [UInt8], key: [UInt8], nonce: [UInt8], context: [UInt8]
    ) throws(CryptoFailure) -> (ciphertext: [UInt8], tag: [UInt8]) {
        let run = try begin(key: key, nonce: nonce, encrypts: true)
        try run.bind(context)
        let ciphertext = try run.update(message) + run.finish(or: .library)
        var tag = [UInt8](repeating: 0, count: Self.tagBytes)
        try run.control(EVP_CTRL_AEAD_GET_TAG, &tag)
        return (ciphertext, tag)
    }

    /// Opens what ``seal(_:key:nonce:context:)`` sealed. Throws ``CryptoFailure/notAuthentic`` if it was not sealed so.
    public func open(
        _ ciphertext: [UInt8], tag: [UInt8], key: [UInt8], nonce: [UInt8], context: [UInt8]
    ) throws(CryptoFailure) -> [UInt8] {
        guard tag.count == Self.tagBytes else { throw .invalidInput }
        let run = try begin(key: key, nonce: nonce, encrypts: false)
        try run.bind(context)
        let message = try run.update(ciphertext)
        var tag = tag
        try run.control(EVP_CTRL_AEAD_SET_TAG, &tag)
        return try message + run.finish(or: .notAuthentic)
    }

    private func begin(key: [UInt8], nonce: [UInt8], encrypts: Bool) throws(CryptoFailure) -> CipherRun {
        guard let name = name(keyBytes: key.count), !nonce.isEmpty, nonce.count <= 64 else { throw .invalidInput }
        return try CipherRun(name, key: key, start: nonce, encrypts: encrypts, sealsWithNonceOf: nonce.count)
    }
}

/// AES without any seal, as CommonCrypto has it.
public enum PlainCipher: Hashable, Sendable {
    /// Block by block, all alike.
    case electronicCodebook
    /// Each block with the one before.
    case cipherBlockChaining
    /// As a stream.
    case counter

    /// Bytes of a block.
    public static let blockBytes = 16

    /// Encrypts or decrypts `input` by a key of 16, 24 or 32 bytes; `pads` adds or takes away what fills the last block
    /// (PKCS #7). Throws ``CryptoFailure/notAuthentic`` if the end of the decrypted bytes is not valid padding.
    public func run(
        _ input: [UInt8], key: [UInt8], start: [UInt8], encrypts: Bool, pads: Bool
    ) throws(CryptoFailure) -> [UInt8] {
        let mode =
            switch self {
            case .electronicCodebook: "ECB"
            case .cipherBlockChaining: "CBC"
            case .counter: "CTR"
            }
        guard [16, 24, 32].contains(key.count), start.count == Self.blockBytes else { throw .invalidInput }
        let run = try CipherRun("AES-\(key.count * 8)-\(mode)", key: key, start: start, encrypts: encrypts)
        run.pads = pads
        return try run.update(input) + run.finish(or: .notAuthentic)
    }
}

/// One use of a cipher.
@safe
private final class CipherRun {
    private let context: OpaquePointer
    private let encrypts: Bool

    /// A use of the cipher `name`. A cipher that seals takes nonces of other lengths than its default.
    init(
        _ name: String, key: [UInt8], start: [UInt8], encrypts: Bool, sealsWithNonceOf nonceBytes: Int? = nil
    ) throws(CryptoFailure) {
        let calls = CryptoLibrary.calls
        guard let cipher = unsafe calls.cipher_fetch(nil, name, nil) else { throw .library }
        defer { unsafe calls.cipher_forget(cipher) }
        guard let context = calls.cipher_new() else { throw .library }
        unsafe self.context = context
        self.encrypts = encrypts
        let direction: Int32 = encrypts ? 1 : 0
        guard unsafe calls.cipher_init(context, cipher, nil, nil, nil, direction) == 1 else { throw .library }
        if let nonceBytes {
            let isTaken = unsafe calls.cipher_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(nonceBytes), nil) == 1
            guard isTaken else { throw .invalidInput }
        }
        guard unsafe calls.cipher_init(context, nil, nil, key, start, direction) == 1 else { throw .library }
    }

    deinit { unsafe CryptoLibrary.calls.cipher_free(context) }

    /// Whether the last block is filled up.
    var pads = true {
        didSet { _ = unsafe CryptoLibrary.calls.cipher_set_padding(context, pads ? 1 : 0) }
    }

    /// Binds `bytes` to the sealed message.
    func bind(_ bytes: [UInt8]) throws(CryptoFailure) {
        guard !bytes.isEmpty else { return }
        guard let size = Int32(exactly: bytes.count) else { throw .invalidInput }
        var count: Int32 = 0
        guard unsafe CryptoLibrary.calls.cipher_update(context, nil, &count, bytes, size) == 1 else { throw .library }
    }

    func update(_ bytes: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        guard let size = Int32(exactly: bytes.count) else { throw .invalidInput }
        guard size > 0 else { return [] }
        var output = [UInt8](repeating: 0, count: bytes.count + PlainCipher.blockBytes)
        var count: Int32 = 0
        guard unsafe CryptoLibrary.calls.cipher_update(context, &output, &count, bytes, size) == 1 else {
            throw .library
        }
        return Array(output.prefix(Int(count)))
    }

    func finish(or failure: CryptoFailure) throws(CryptoFailure) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 2 * PlainCipher.blockBytes)
        var count: Int32 = 0
        guard unsafe CryptoLibrary.calls.cipher_final(context, &output, &count) == 1 else { throw failure }
        return Array(output.prefix(Int(count)))
    }

    func control(_ command: Int32, _ tag: inout [UInt8]) throws(CryptoFailure) {
        let size = Int32(tag.count)
        guard unsafe CryptoLibrary.calls.cipher_ctrl(context, command, size, &tag) == 1 else { throw .library }
    }
}
