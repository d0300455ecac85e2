import BelfryCrypto

/// A curve of NIST's.
public protocol NISTCurve: Sendable {
    /// How many bytes a coordinate has.
    static var coordinateByteCount: Int { get }
}

extension NISTCurve {
    /// The curve that computes.
    fileprivate static var curve: PrimeCurve {
        coordinateByteCount == 32 ? .p256 : coordinateByteCount == 48 ? .p384 : .p521
    }
}

/// The curve P-256. Source: Apple, `P256`.
public enum P256: NISTCurve {
    /// How many bytes a coordinate has.
    public static var coordinateByteCount: Int { 32 }

    /// Two sides agree on a secret.
    public enum KeyAgreement {
        /// The key that one side keeps.
        public typealias PrivateKey = NISTAgreementPrivateKey<P256>
        /// The key that one side gives to the other.
        public typealias PublicKey = NISTAgreementPublicKey<P256>
    }
}

/// The curve P-384. Source: Apple, `P384`.
public enum P384: NISTCurve {
    /// How many bytes a coordinate has.
    public static var coordinateByteCount: Int { 48 }

    /// Two sides agree on a secret.
    public enum KeyAgreement {
        /// The key that one side keeps.
        public typealias PrivateKey = NISTAgreementPrivateKey<P384>
        /// The key that one side gives to the other.
        public typealias PublicKey = NISTAgreementPublicKey<P384>
    }
}

/// The curve P-521. Source: Apple, `P521`.
public enum P521: NISTCurve {
    /// How many bytes a coordinate has.
    public static var coordinateByteCount: Int { 66 }

    /// Two sides agree on a secret.
    public enum KeyAgreement {
        /// The key that one side keeps.
        public typealias PrivateKey = NISTAgreementPrivateKey<P521>
        /// The key that one side gives to the other.
        public typealias PublicKey = NISTAgreementPublicKey<P521>
    }
}

/// A public key of a curve of NIST's.
public struct NISTAgreementPublicKey<Curve: NISTCurve>: Sendable {
    /// 4 and both coordinates.
    fileprivate let point: [UInt8]

    fileprivate init(point: [UInt8]) { self.point = point }

    /// The key of both coordinates, one after the other.
    public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws {
        let bytes = unsafe rawRepresentation.withUnsafeBytes { unsafe [UInt8]($0) }
        guard bytes.count == 2 * Curve.coordinateByteCount else { throw CryptoKitError.incorrectParameterSize }
        point = try checked { try Curve.curve.point([4] + bytes) }
    }

    /// The key as ANSI X9.63 has it: 4 and both coordinates.
    public init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws {
        let bytes = unsafe x963Representation.withUnsafeBytes { unsafe [UInt8]($0) }
        guard bytes.count == 1 + 2 * Curve.coordinateByteCount else { throw CryptoKitError.incorrectParameterSize }
        point = try checked { try Curve.curve.point(bytes) }
    }

    /// The key of its first coordinate, and 2 or 3 before it.
    public init<Bytes: ContiguousBytes>(compressedRepresentation: Bytes) throws {
        let bytes = unsafe compressedRepresentation.withUnsafeBytes { unsafe [UInt8]($0) }
        guard bytes.count == 1 + Curve.coordinateByteCount else { throw CryptoKitError.incorrectParameterSize }
        point = try checked { try Curve.curve.point(bytes) }
    }

    /// Both coordinates, one after the other.
    public var rawRepresentation: Data { Data(point.dropFirst()) }

    /// 4 and both coordinates.
    public var x963Representation: Data { Data(point) }

    /// The first coordinate, and 2 or 3 before it.
    public var compressedRepresentation: Data {
        let sign: UInt8 = (point.last ?? 0) & 1 == 1 ? 3 : 2
        return Data([sign] + point[1...Curve.coordinateByteCount])
    }
}

/// A private key of a curve of NIST's.
public struct NISTAgreementPrivateKey<Curve: NISTCurve>: Sendable {
    private let key: [UInt8]
    /// The key for the other side.
    public let publicKey: NISTAgreementPublicKey<Curve>

    private init(key: [UInt8]) throws {
        self.key = key
        publicKey = NISTAgreementPublicKey(point: try checked { try Curve.curve.publicKey(of: key) })
    }

    /// A new key.
    public init(compactRepresentable: Bool = true) {
        let key = Curve.curve.makePrivateKey()
        guard let made = try? Self(key: key) else { preconditionFailure("a key that was just made is none") }
        self = made
    }

    /// The key of this number.
    public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws {
        let bytes = unsafe rawRepresentation.withUnsafeBytes { unsafe [UInt8]($0) }
        guard bytes.count == Curve.coordinateByteCount else { throw CryptoKitError.incorrectKeySize }
        try self.init(key: bytes)
    }

    /// The key as ANSI X9.63 has it: 4, both coordinates of its public key, and its number.
    public init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws {
        let bytes = unsafe x963Representation.withUnsafeBytes { unsafe [UInt8]($0) }
        guard bytes.count == 1 + 3 * Curve.coordinateByteCount else { throw CryptoKitError.incorrectParameterSize }
        try self.init(key: Array(bytes.suffix(Curve.coordinateByteCount)))
        // The private number determines the public key: the one in the bytes must be the same.
        guard publicKey.point == Array(bytes.dropLast(Curve.coordinateByteCount)) else {
            throw CryptoKitError.invalidParameter
        }
    }

    /// Its number.
    public var rawRepresentation: Data { Data(key) }

    /// 4, both coordinates of its public key, and its number.
    public var x963Representation: Data { Data(publicKey.point + key) }

    /// The secret of both sides.
    public func sharedSecretFromKeyAgreement(
        with publicKeyShare: NISTAgreementPublicKey<Curve>
    ) throws -> SharedSecret {
        SharedSecret(bytes: try checked { try Curve.curve.sharedSecret(key, with: publicKeyShare.point) })
    }
}

/// The result of `body`. Invalid input becomes an invalid parameter, any other error one of the library.
func checked<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch CryptoFailure.invalidInput {
        throw CryptoKitError.invalidParameter
    } catch {
        throw CryptoKitError.underlyingCoreCryptoError(error: -1)
    }
}
