/// The errors of cryptography. Source: Apple, `CryptoKitError`.
public enum CryptoKitError: Error, Hashable, Sendable {
    /// A key has another number of bytes.
    case incorrectKeySize
    /// Something else has another number of bytes.
    case incorrectParameterSize
    /// The message is not the sealed one, or not sealed by this key.
    case authenticationFailure
    /// The library below failed.
    case underlyingCoreCryptoError(error: Int32)
    /// A key cannot be wrapped.
    case wrapFailure
    /// A key cannot be unwrapped.
    case unwrapFailure
    /// A parameter is not valid.
    case invalidParameter
}

/// How large a key is.
public struct SymmetricKeySize: Sendable {
    /// How many bits it has.
    public let bitCount: Int

    /// A number of bits, a multiple of eight above 0.
    public init(bitCount: Int) {
        precondition(bitCount > 0 && bitCount % 8 == 0, "a key has whole bytes")
        self.bitCount = bitCount
    }

    /// 16 bytes.
    public static var bits128: SymmetricKeySize { SymmetricKeySize(bitCount: 128) }
    /// 24 bytes.
    public static var bits192: SymmetricKeySize { SymmetricKeySize(bitCount: 192) }
    /// 32 bytes.
    public static var bits256: SymmetricKeySize { SymmetricKeySize(bitCount: 256) }
}

/// A key that both sides have. Source: Apple, `SymmetricKey`.
public struct SymmetricKey: ContiguousBytes, Equatable, Sendable {
    let bytes: [UInt8]

    /// The key of these bytes.
    public init<Bytes: ContiguousBytes>(data: Bytes) { bytes = unsafe data.withUnsafeBytes { unsafe [UInt8]($0) } }

    /// A new key.
    public init(size: SymmetricKeySize) {
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<size.bitCount / 8).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// How many bits it has.
    public var bitCount: Int { bytes.count * 8 }

    /// Calls `body` with its bytes.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe bytes.withUnsafeBytes(body)
    }

    /// Whether both have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { isSame(left.bytes, right.bytes) }
}

/// Proves that a message comes from an owner of the key. Source: Apple, `MessageAuthenticationCode`.
public protocol MessageAuthenticationCode: ContiguousBytes, CustomStringConvertible, Hashable, Sendable, Sequence
where Element == UInt8 {
    /// How many bytes it has.
    var byteCount: Int { get }
}

/// A code made by a hash function.
public struct HashedAuthenticationCode<Function: HashFunction>: MessageAuthenticationCode {
    fileprivate let digest: Function.Digest

    /// How many bytes it has.
    public var byteCount: Int { Function.Digest.byteCount }

    /// Its bytes, one after another.
    public func makeIterator() -> Array<UInt8>.Iterator { digest.bytes.makeIterator() }

    /// Calls `body` with its bytes.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe digest.withUnsafeBytes(body)
    }

    /// The name of the function, and the bytes in hexadecimal digits.
    public var description: String {
        "HMAC with \(Function.self): \(digest.bytes.map { String(format: "%02x", $0) }.joined())"
    }

    /// Whether it has the bytes of `right`.
    public static func == <Bytes: DataProtocol>(left: Self, right: Bytes) -> Bool { left.digest == right }
}

/// Authentication by a hash function (RFC 2104). Source: Apple, `HMAC`.
public struct HMAC<H: HashFunction>: Sendable {
    /// The key.
    public typealias Key = SymmetricKey
    /// Its code.
    public typealias MAC = HashedAuthenticationCode<H>

    private var inner = H()
    private var outer = H()

    /// The code of nothing yet.
    public init(key: SymmetricKey) {
        // RFC 2104: a longer key is hashed, and each is filled up with zeros to a block.
        var block = key.bytes.count > H.blockByteCount ? H.hash(data: key.bytes).bytes : key.bytes
        block += [UInt8](repeating: 0, count: H.blockByteCount - block.count)
        inner.update(data: block.map { $0 ^ 0x36 })
        outer.update(data: block.map { $0 ^ 0x5C })
    }

    /// Goes on with `data`.
    public mutating func update<Bytes: DataProtocol>(data: Bytes) { inner.update(data: data) }

    /// The code of all bytes so far; more may follow.
    public func finalize() -> MAC {
        var end = outer
        end.update(data: inner.finalize().bytes)
        return MAC(digest: end.finalize())
    }

    /// The code of `data`.
    public static func authenticationCode<Bytes: DataProtocol>(for data: Bytes, using key: SymmetricKey) -> MAC {
        var code = HMAC(key: key)
        code.update(data: data)
        return code.finalize()
    }

    /// Whether `authenticationCode` is that of `authenticatedData`.
    public static func isValidAuthenticationCode<Bytes: DataProtocol>(
        _ authenticationCode: MAC, authenticating authenticatedData: Bytes, using key: SymmetricKey
    ) -> Bool {
        authenticationCode == self.authenticationCode(for: authenticatedData, using: key)
    }

    /// Whether `authenticationCode` is that of `authenticatedData`.
    public static func isValidAuthenticationCode<Code: ContiguousBytes, Bytes: DataProtocol>(
        _ authenticationCode: Code, authenticating authenticatedData: Bytes, using key: SymmetricKey
    ) -> Bool {
        let code = unsafe authenticationCode.withUnsafeBytes { unsafe [UInt8]($0) }
        return isSame(code, self.authenticationCode(for: authenticatedData, using: key).map { $0 })
    }
}

/// Keys out of a secret (RFC 5869). Source: Apple, `HKDF`.
public struct HKDF<H: HashFunction>: Sendable {
    /// A key of `outputByteCount` bytes.
    public static func deriveKey<Salt: DataProtocol, Info: DataProtocol>(
        inputKeyMaterial: SymmetricKey, salt: Salt, info: Info, outputByteCount: Int
    ) -> SymmetricKey {
        expand(
            pseudoRandomKey: extract(inputKeyMaterial: inputKeyMaterial, salt: salt), info: info,
            outputByteCount: outputByteCount)
    }

    /// A key of `outputByteCount` bytes.
    public static func deriveKey<Info: DataProtocol>(
        inputKeyMaterial: SymmetricKey, info: Info, outputByteCount: Int
    ) -> SymmetricKey {
        deriveKey(inputKeyMaterial: inputKeyMaterial, salt: Data(), info: info, outputByteCount: outputByteCount)
    }

    /// A key of `outputByteCount` bytes.
    public static func deriveKey<Salt: DataProtocol>(
        inputKeyMaterial: SymmetricKey, salt: Salt, outputByteCount: Int
    ) -> SymmetricKey {
        deriveKey(inputKeyMaterial: inputKeyMaterial, salt: salt, info: Data(), outputByteCount: outputByteCount)
    }

    /// A key of `outputByteCount` bytes.
    public static func deriveKey(inputKeyMaterial: SymmetricKey, outputByteCount: Int) -> SymmetricKey {
        deriveKey(inputKeyMaterial: inputKeyMaterial, salt: Data(), info: Data(), outputByteCount: outputByteCount)
    }

    /// The first step: extracts the randomness of the secret.
    public static func extract<Salt: DataProtocol>(
        inputKeyMaterial: SymmetricKey, salt: Salt?
    ) -> HashedAuthenticationCode<H> {
        let key = salt.map { Array($0) } ?? []
        return HMAC<H>.authenticationCode(for: inputKeyMaterial.bytes, using: SymmetricKey(data: key))
    }

    /// The second step: makes as many bytes as are wanted, at most 255 digests.
    public static func expand<Secret: ContiguousBytes, Info: DataProtocol>(
        pseudoRandomKey prk: Secret, info: Info?, outputByteCount: Int
    ) -> SymmetricKey {
        precondition(
            outputByteCount >= 0 && outputByteCount <= 255 * H.Digest.byteCount, "HKDF gives at most 255 digests")
        let key = SymmetricKey(data: unsafe prk.withUnsafeBytes { unsafe [UInt8]($0) })
        let info = info.map { Array($0) } ?? []
        var output: [UInt8] = []
        var block: [UInt8] = []
        var counter: UInt8 = 1
        while output.count < outputByteCount {
            block = HMAC<H>.authenticationCode(for: block + info + [counter], using: key).map { $0 }
            output += block
            // May overflow after the 255th digest, where the loop ends.
            counter &+= 1
        }
        return SymmetricKey(data: Array(output.prefix(outputByteCount)))
    }
}

/// A secret on which two sides have agreed, to derive keys from. Source: Apple, `SharedSecret`.
public struct SharedSecret: ContiguousBytes, CustomStringConvertible, Hashable, Sendable {
    let bytes: [UInt8]

    /// Calls `body` with its bytes.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe bytes.withUnsafeBytes(body)
    }

    /// A key by ``HKDF``.
    public func hkdfDerivedSymmetricKey<H: HashFunction, Salt: DataProtocol, Info: DataProtocol>(
        using hashFunction: H.Type, salt: Salt, sharedInfo: Info, outputByteCount: Int
    ) -> SymmetricKey {
        HKDF<H>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: bytes), salt: salt, info: sharedInfo, outputByteCount: outputByteCount)
    }

    /// A key by the function of ANSI X9.63 (SEC 1, 3.6.1).
    public func x963DerivedSymmetricKey<H: HashFunction, Info: DataProtocol>(
        using hashFunction: H.Type, sharedInfo: Info, outputByteCount: Int
    ) -> SymmetricKey {
        var output: [UInt8] = []
        var counter: UInt32 = 1
        while output.count < outputByteCount {
            let number = (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) }
            output += H.hash(data: bytes + number + Array(sharedInfo)).bytes
            counter += 1
        }
        return SymmetricKey(data: Array(output.prefix(outputByteCount)))
    }

    /// Its length; never its bytes.
    public var description: String { "SharedSecret of \(bytes.count) bytes" }

    /// Whether both have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { isSame(left.bytes, right.bytes) }
}
