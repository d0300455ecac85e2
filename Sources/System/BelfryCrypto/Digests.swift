import CBelfryCrypto

/// The hash functions that there are.
public enum HashName: String, Hashable, Sendable, CaseIterable {
    /// MD5 (RFC 1321), which is broken.
    case md5 = "MD5"
    /// SHA-1 (FIPS 180-4), which is broken.
    case sha1 = "SHA1"
    /// SHA-256 (FIPS 180-4).
    case sha256 = "SHA256"
    /// SHA-384 (FIPS 180-4).
    case sha384 = "SHA384"
    /// SHA-512 (FIPS 180-4).
    case sha512 = "SHA512"

    /// Bytes of a digest.
    public var digestBytes: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// Bytes that are worked on at once.
    public var blockBytes: Int {
        switch self {
        case .md5, .sha1, .sha256: 64
        case .sha384, .sha512: 128
        }
    }

    fileprivate var algorithm: OpaquePointer {
        // Fetched once for a process, and never given back.
        guard let algorithm = unsafe Self.algorithms[rawValue] else {
            preconditionFailure("libcrypto has no \(rawValue)")
        }
        return unsafe algorithm
    }

    nonisolated(unsafe) private static let algorithms: [String: OpaquePointer] = unsafe allCases.reduce(into: [:]) {
        unsafe $0[$1.rawValue] = CryptoLibrary.calls.md_fetch(nil, $1.rawValue, nil)
    }
}

/// A digest that is being made. Used by one thread at a time.
@safe
public final class DigestState: @unchecked Sendable {
    /// Which hash function.
    public let hash: HashName
    private let context: OpaquePointer

    /// The digest of nothing yet.
    public init(_ hash: HashName) {
        self.hash = hash
        unsafe context = Self.makeContext()
        let isReady = unsafe CryptoLibrary.calls.md_init(context, hash.algorithm, nil) == 1
        precondition(isReady, "libcrypto refuses \(hash.rawValue)")
    }

    /// The digest of the same so far.
    public init(copying other: DigestState) {
        hash = other.hash
        unsafe context = Self.makeContext()
        let isCopied = unsafe CryptoLibrary.calls.md_copy(context, other.context) == 1
        precondition(isCopied, "no memory for a digest")
    }

    deinit { unsafe CryptoLibrary.calls.md_free(context) }

    /// Goes on with `bytes`.
    public func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        let isDone = unsafe CryptoLibrary.calls.md_update(context, base, bytes.count) == 1
        precondition(isDone, "libcrypto cannot go on with a digest")
    }

    /// Goes on with `bytes`.
    public func update(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe update($0) } }

    /// The digest of all so far, which may go on.
    public func digest() -> [UInt8] {
        let end = DigestState(copying: self)
        var digest = [UInt8](repeating: 0, count: hash.digestBytes)
        let isDone = unsafe CryptoLibrary.calls.md_final(end.context, &digest, nil) == 1
        precondition(isDone, "libcrypto cannot end a digest")
        return digest
    }

    private static func makeContext() -> OpaquePointer {
        guard let context = CryptoLibrary.calls.md_new() else { preconditionFailure("no memory for a digest") }
        return unsafe context
    }
}

/// An authentication code that is being made: HMAC (RFC 2104).
public struct KeyedDigest: Sendable {
    private let inner: DigestState
    private let outer: DigestState

    /// The code of nothing yet, by `key` of any length.
    package init(_ hash: HashName, key: [UInt8]) {
        var block = key
        if key.count > hash.blockBytes {
            let state = DigestState(hash)
            state.update(key)
            block = state.digest()
        }
        block += [UInt8](repeating: 0, count: hash.blockBytes - block.count)
        inner = DigestState(hash)
        inner.update(block.map { $0 ^ 0x36 })
        outer = DigestState(hash)
        outer.update(block.map { $0 ^ 0x5C })
    }

    private init(copying other: KeyedDigest) {
        inner = DigestState(copying: other.inner)
        outer = other.outer
    }

    /// The same so far, which goes on apart.
    public func copy() -> KeyedDigest { KeyedDigest(copying: self) }

    /// Goes on with `bytes`.
    public func update(_ bytes: UnsafeRawBufferPointer) { unsafe inner.update(bytes) }

    /// Goes on with `bytes`.
    public func update(_ bytes: [UInt8]) { inner.update(bytes) }

    /// The code of all so far, which may go on.
    public func code() -> [UInt8] {
        let end = DigestState(copying: outer)
        end.update(inner.digest())
        return end.digest()
    }
}

/// A key of `count` bytes out of a password, in `rounds` rounds (PBKDF2, RFC 8018); nil for lengths that are not valid.
public func passwordKey(_ hash: HashName, password: [UInt8], salt: [UInt8], rounds: Int, count: Int) -> [UInt8]? {
    guard let rounds = Int32(exactly: rounds), rounds > 0, let size = Int32(exactly: count), size > 0,
        let passwordSize = Int32(exactly: password.count), let saltSize = Int32(exactly: salt.count)
    else { return nil }
    var key = [UInt8](repeating: 0, count: count)
    let isDone = unsafe password.withUnsafeBytes { password in
        let text = unsafe password.baseAddress?.assumingMemoryBound(to: CChar.self)
        return unsafe CryptoLibrary.calls.pbkdf2(
            text, passwordSize, salt, saltSize, rounds, hash.algorithm, size, &key) == 1
    }
    return isDone ? key : nil
}
