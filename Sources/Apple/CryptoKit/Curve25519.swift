import BelfryCrypto

/// Curve25519. Source: Apple, `Curve25519`.
public enum Curve25519 {
    /// Two sides agree on a secret (X25519).
    public enum KeyAgreement {
        /// The key that one side gives to the other.
        public struct PublicKey: Sendable {
            fileprivate let bytes: [UInt8]

            /// The key of these 32 bytes.
            public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws {
                bytes = try keyBytes(rawRepresentation)
                try checked { try Curve25519Use.agreement.check(publicKey: bytes) }
            }

            /// Its bytes.
            public var rawRepresentation: Data { Data(bytes) }
        }

        /// The key that one side keeps.
        public struct PrivateKey: Sendable {
            private let bytes: [UInt8]
            /// The key for the other side.
            public let publicKey: PublicKey

            /// A new key.
            public init() {
                let made = try? Self(rawRepresentation: Curve25519Use.agreement.makePrivateKey())
                guard let made else { preconditionFailure("a key that was just made is none") }
                self = made
            }

            /// The key of these 32 bytes.
            public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws {
                let bytes = try keyBytes(rawRepresentation)
                self.bytes = bytes
                publicKey = try PublicKey(
                    rawRepresentation: try checked { try Curve25519Use.agreement.publicKey(of: bytes) })
            }

            /// Its bytes.
            public var rawRepresentation: Data { Data(bytes) }

            /// The secret of both sides.
            public func sharedSecretFromKeyAgreement(with publicKeyShare: PublicKey) throws -> SharedSecret {
                SharedSecret(bytes: try checked { try curve25519Secret(bytes, with: publicKeyShare.bytes) })
            }
        }
    }

    /// Signatures (Ed25519).
    public enum Signing {
        /// The key for everybody, which checks signatures.
        public struct PublicKey: Sendable {
            fileprivate let bytes: [UInt8]

            /// The key of these 32 bytes.
            public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws {
                bytes = try keyBytes(rawRepresentation)
                try checked { try Curve25519Use.signing.check(publicKey: bytes) }
            }

            /// Its bytes.
            public var rawRepresentation: Data { Data(bytes) }

            /// Whether `signature` is that of `data` by this key's private key.
            public func isValidSignature<Signature: DataProtocol, Message: DataProtocol>(
                _ signature: Signature, for data: Message
            ) -> Bool { isCurve25519Signature(Array(signature), of: Array(data), by: bytes) }
        }

        /// The key that signs, kept by its owner.
        public struct PrivateKey: Sendable {
            private let bytes: [UInt8]
            /// The key for everybody.
            public let publicKey: PublicKey

            /// A new key.
            public init() {
                let made = try? Self(rawRepresentation: Curve25519Use.signing.makePrivateKey())
                guard let made else { preconditionFailure("a key that was just made is none") }
                self = made
            }

            /// The key of these 32 bytes.
            public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws {
                let bytes = try keyBytes(rawRepresentation)
                self.bytes = bytes
                publicKey = try PublicKey(
                    rawRepresentation: try checked { try Curve25519Use.signing.publicKey(of: bytes) })
            }

            /// Its bytes.
            public var rawRepresentation: Data { Data(bytes) }

            /// The signature of `data`.
            public func signature<Message: DataProtocol>(for data: Message) throws -> Data {
                Data(try checked { try curve25519Signature(Array(data), key: bytes) })
            }
        }
    }

    fileprivate static func keyBytes(_ data: some ContiguousBytes) throws -> [UInt8] {
        let bytes = unsafe data.withUnsafeBytes { unsafe [UInt8]($0) }
        guard bytes.count == Curve25519Use.keyBytes else { throw CryptoKitError.incorrectKeySize }
        return bytes
    }
}
