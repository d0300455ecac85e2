public import BelfryCrypto
import BelfryTerms

/// A key of NATS (an nkey): Ed25519, written in base32 between a letter that says what it is for and a checksum.
public struct NATSKey: Hashable, Sendable, CustomStringConvertible {
    /// What a key is for, by its prefix.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// Signs accounts.
        case `operator` = 112
        /// Signs users.
        case account = 0
        /// Signs what a broker asks of whom it lets in.
        case user = 160
    }

    private static let seedPrefix: UInt8 = 144
    private static let checksumBytes = 2

    /// What it is for.
    public let kind: Kind
    /// The public key, as NATS writes it.
    public let name: String
    /// The private key.
    let privateBytes: [UInt8]

    /// A new one.
    public init(new kind: Kind) throws(CryptoFailure) {
        try self.init(kind, Curve25519Use.signing.makePrivateKey())
    }

    /// The one of the seed `text`; nil if it is none.
    public init?(seed text: String) {
        guard let bytes = Self.checked(text), bytes.count == 2 + Curve25519Use.keyBytes,
            bytes[0] & 0xF8 == Self.seedPrefix, bytes[1] & 0x07 == 0,
            let kind = Kind(rawValue: bytes[0] << 5 | bytes[1] >> 3), let key = try? NATSKey(kind, Array(bytes[2...]))
        else { return nil }
        self = key
    }

    private init(_ kind: Kind, _ bytes: [UInt8]) throws(CryptoFailure) {
        self.kind = kind
        privateBytes = bytes
        name = Self.text([kind.rawValue] + (try Curve25519Use.signing.publicKey(of: bytes)))
    }

    /// The seed, as NATS writes it: who has it has the key.
    public var seed: String { Self.text([Self.seedPrefix | kind.rawValue >> 5, kind.rawValue << 3] + privateBytes) }

    /// The public key alone.
    public var description: String { name }

    /// The signature of `message`.
    public func signature(of message: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        try curve25519Signature(message, key: privateBytes)
    }

    /// Whether `signature` is that of `message` by the key whose public half is called `name`, one of this kind.
    static func isSignature(_ signature: [UInt8], of message: [UInt8], by name: String, _ kind: Kind) -> Bool {
        guard let bytes = checked(name), bytes.count == 1 + Curve25519Use.keyBytes, bytes[0] == kind.rawValue else {
            return false
        }
        return isCurve25519Signature(signature, of: message, by: Array(bytes[1...]))
    }

    private static func text(_ bytes: [UInt8]) -> String {
        let checksum = checksum(of: bytes[...])
        return Base32.encoded(bytes + [UInt8(truncatingIfNeeded: checksum), UInt8(checksum >> 8)])
    }

    /// The bytes before a checksum that is theirs.
    private static func checked(_ text: String) -> [UInt8]? {
        // One of 34 bytes has 58 digits.
        guard text.utf8.count <= 64, let bytes = Base32.decoded(text), bytes.count > checksumBytes else { return nil }
        let content = bytes.dropLast(checksumBytes)
        let stated = UInt16(bytes[content.endIndex]) | UInt16(bytes[content.endIndex + 1]) << 8
        return checksum(of: content) == stated ? Array(content) : nil
    }

    /// CRC-16 of XMODEM: x¹⁶ + x¹² + x⁵ + 1, from 0.
    private static func checksum(of bytes: ArraySlice<UInt8>) -> UInt16 {
        bytes.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ UInt16(byte) << 8) { rest, _ in rest & 0x8000 == 0 ? rest << 1 : rest << 1 ^ 0x1021 }
        }
    }
}
