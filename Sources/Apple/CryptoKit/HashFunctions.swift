import BelfryCrypto

/// The digest of ``SHA256``.
public struct SHA256Digest: Digest {
    /// How many bytes it has.
    public static var byteCount: Int { 32 }
    fileprivate let digest: [UInt8]

    /// Calls `body` with its bytes.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe digest.withUnsafeBytes(body)
    }
}

/// SHA-256 (FIPS 180-4).
public struct SHA256: HashFunction {
    /// Its digest.
    public typealias Digest = SHA256Digest
    /// How many bytes it works on at once.
    public static var blockByteCount: Int { HashName.sha256.blockBytes }
    private var hashing = Hashing(.sha256)

    /// Nothing yet.
    public init() {}

    /// Goes on with bytes.
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unsafe hashing.update(bufferPointer) }

    /// The digest of all so far.
    public func finalize() -> SHA256Digest { SHA256Digest(digest: hashing.digest()) }
}

/// The digest of ``SHA384``.
public struct SHA384Digest: Digest {
    /// How many bytes it has.
    public static var byteCount: Int { 48 }
    fileprivate let digest: [UInt8]

    /// Calls `body` with its bytes.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe digest.withUnsafeBytes(body)
    }
}

/// SHA-384 (FIPS 180-4).
public struct SHA384: HashFunction {
    /// Its digest.
    public typealias Digest = SHA384Digest
    /// How many bytes it works on at once.
    public static var blockByteCount: Int { HashName.sha384.blockBytes }
    private var hashing = Hashing(.sha384)

    /// Nothing yet.
    public init() {}

    /// Goes on with bytes.
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unsafe hashing.update(bufferPointer) }

    /// The digest of all so far.
    public func finalize() -> SHA384Digest { SHA384Digest(digest: hashing.digest()) }
}

/// The digest of ``SHA512``.
public struct SHA512Digest: Digest {
    /// How many bytes it has.
    public static var byteCount: Int { 64 }
    fileprivate let digest: [UInt8]

    /// Calls `body` with its bytes.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe digest.withUnsafeBytes(body)
    }
}

/// SHA-512 (FIPS 180-4).
public struct SHA512: HashFunction {
    /// Its digest.
    public typealias Digest = SHA512Digest
    /// How many bytes it works on at once.
    public static var blockByteCount: Int { HashName.sha512.blockBytes }
    private var hashing = Hashing(.sha512)

    /// Nothing yet.
    public init() {}

    /// Goes on with bytes.
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unsafe hashing.update(bufferPointer) }

    /// The digest of all so far.
    public func finalize() -> SHA512Digest { SHA512Digest(digest: hashing.digest()) }
}

/// Broken hash functions, for data that others have made with them.
public enum Insecure {
    /// The digest of ``MD5``.
    public struct MD5Digest: Digest {
        /// How many bytes it has.
        public static var byteCount: Int { 16 }
        fileprivate let digest: [UInt8]

        /// Calls `body` with its bytes.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try unsafe digest.withUnsafeBytes(body)
        }
    }

    /// MD5 (RFC 1321).
    public struct MD5: HashFunction {
        /// Its digest.
        public typealias Digest = MD5Digest
        /// How many bytes it works on at once.
        public static var blockByteCount: Int { HashName.md5.blockBytes }
        private var hashing = Hashing(.md5)

        /// Nothing yet.
        public init() {}

        /// Goes on with bytes.
        public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unsafe hashing.update(bufferPointer) }

        /// The digest of all so far.
        public func finalize() -> MD5Digest { MD5Digest(digest: hashing.digest()) }
    }

    /// The digest of ``SHA1``.
    public struct SHA1Digest: Digest {
        /// How many bytes it has.
        public static var byteCount: Int { 20 }
        fileprivate let digest: [UInt8]

        /// Calls `body` with its bytes.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try unsafe digest.withUnsafeBytes(body)
        }
    }

    /// SHA-1 (FIPS 180-4).
    public struct SHA1: HashFunction {
        /// Its digest.
        public typealias Digest = SHA1Digest
        /// How many bytes it works on at once.
        public static var blockByteCount: Int { HashName.sha1.blockBytes }
        private var hashing = Hashing(.sha1)

        /// Nothing yet.
        public init() {}

        /// Goes on with bytes.
        public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unsafe hashing.update(bufferPointer) }

        /// The digest of all so far.
        public func finalize() -> SHA1Digest { SHA1Digest(digest: hashing.digest()) }
    }
}
