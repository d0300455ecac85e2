import BelfryCrypto

/// A nonce: 12 bytes, or more where a cipher accepts them.
struct NonceBytes: Sendable {
    static let count = 12

    let bytes: [UInt8]

    init() {
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<Self.count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    init(_ data: some DataProtocol, isExact: Bool) throws {
        guard isExact ? data.count == Self.count : (Self.count...64).contains(data.count) else {
            throw CryptoKitError.incorrectParameterSize
        }
        bytes = Array(data)
    }
}

extension SealingCipher {
    /// The parts of a sealed box: nonce, message and tag, one after the other.
    static func parts(of combined: some DataProtocol) throws -> (nonce: [UInt8], ciphertext: Data, tag: Data) {
        guard combined.count >= NonceBytes.count + tagBytes else { throw CryptoKitError.incorrectParameterSize }
        return (
            Array(combined.prefix(NonceBytes.count)), Data(combined.dropFirst(NonceBytes.count).dropLast(tagBytes)),
            Data(combined.suffix(tagBytes))
        )
    }

    func sealed(
        _ message: some DataProtocol, _ key: SymmetricKey, _ nonce: [UInt8], _ context: [UInt8]
    ) throws -> (ciphertext: Data, tag: Data) {
        do {
            let sealed = try seal(Array(message), key: key.bytes, nonce: nonce, context: context)
            return (Data(sealed.ciphertext), Data(sealed.tag))
        } catch CryptoFailure.invalidInput {
            throw CryptoKitError.incorrectKeySize
        }
    }

    func opened(
        _ ciphertext: Data, _ tag: Data, _ key: SymmetricKey, _ nonce: [UInt8], _ context: [UInt8]
    ) throws -> Data {
        do {
            return Data(
                try open([UInt8](ciphertext), tag: [UInt8](tag), key: key.bytes, nonce: nonce, context: context))
        } catch CryptoFailure.invalidInput {
            throw CryptoKitError.incorrectKeySize
        } catch {
            throw CryptoKitError.authenticationFailure
        }
    }
}

/// The Advanced Encryption Standard. Source: Apple, `AES`.
public enum AES {
    /// Its Galois/Counter mode.
    public enum GCM {
        /// A nonce: bytes to be used only once with a key.
        public struct Nonce: ContiguousBytes, Sendable, Sequence {
            let value: NonceBytes

            /// A new one of 12 bytes.
            public init() { value = NonceBytes() }

            /// The one of these bytes, at least 12.
            public init<Bytes: DataProtocol>(data: Bytes) throws { value = try NonceBytes(data, isExact: false) }

            /// Calls `body` with its bytes.
            public func withUnsafeBytes<Result>(
                _ body: (UnsafeRawBufferPointer) throws -> Result
            ) rethrows -> Result { try unsafe value.bytes.withUnsafeBytes(body) }

            /// Its bytes, one after another.
            public func makeIterator() -> Array<UInt8>.Iterator { value.bytes.makeIterator() }
        }

        /// A sealed message.
        public struct SealedBox: Sendable {
            /// The tag that proves that it is authentic.
            public let tag: Data
            /// The message, sealed.
            public let ciphertext: Data
            /// The nonce.
            public let nonce: Nonce

            /// Nonce, message and tag, one after the other; nil for a nonce of another length than 12.
            public var combined: Data? {
                nonce.value.bytes.count == NonceBytes.count ? Data(nonce.value.bytes) + ciphertext + tag : nil
            }

            /// A message as ``combined`` has it.
            public init<Bytes: DataProtocol>(combined: Bytes) throws {
                let parts = try SealingCipher.parts(of: combined)
                nonce = try Nonce(data: parts.nonce)
                (ciphertext, tag) = (parts.ciphertext, parts.tag)
            }

            /// A message in its parts; the tag has 16 bytes.
            public init<Message: DataProtocol, Tag: DataProtocol>(
                nonce: Nonce, ciphertext: Message, tag: Tag
            ) throws {
                guard tag.count == SealingCipher.tagBytes else { throw CryptoKitError.incorrectParameterSize }
                self.nonce = nonce
                self.ciphertext = Data(ciphertext)
                self.tag = Data(tag)
            }
        }

        /// Seals `message`, and binds `authenticatedData` to it.
        public static func seal<Message: DataProtocol, Context: DataProtocol>(
            _ message: Message, using key: SymmetricKey, nonce: Nonce? = nil, authenticating authenticatedData: Context
        ) throws -> SealedBox {
            let nonce = nonce ?? Nonce()
            let sealed = try SealingCipher.aesGCM.sealed(message, key, nonce.value.bytes, Array(authenticatedData))
            return try SealedBox(nonce: nonce, ciphertext: sealed.ciphertext, tag: sealed.tag)
        }

        /// Seals `message`.
        public static func seal<Message: DataProtocol>(
            _ message: Message, using key: SymmetricKey, nonce: Nonce? = nil
        ) throws -> SealedBox { try seal(message, using: key, nonce: nonce, authenticating: Data()) }

        /// The message, if it was sealed by `key` with `authenticatedData`.
        public static func open<Context: DataProtocol>(
            _ sealedBox: SealedBox, using key: SymmetricKey, authenticating authenticatedData: Context
        ) throws -> Data {
            try SealingCipher.aesGCM.opened(
                sealedBox.ciphertext, sealedBox.tag, key, sealedBox.nonce.value.bytes, Array(authenticatedData))
        }

        /// The message, if it was sealed by `key`.
        public static func open(_ sealedBox: SealedBox, using key: SymmetricKey) throws -> Data {
            try open(sealedBox, using: key, authenticating: Data())
        }
    }
}

/// ChaCha20-Poly1305. Source: Apple, `ChaChaPoly`.
public enum ChaChaPoly {
    /// A nonce: bytes to be used only once with a key.
    public struct Nonce: ContiguousBytes, Sendable, Sequence {
        let value: NonceBytes

        /// A new one.
        public init() { value = NonceBytes() }

        /// The one of these 12 bytes.
        public init<Bytes: DataProtocol>(data: Bytes) throws { value = try NonceBytes(data, isExact: true) }

        /// Calls `body` with its bytes.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try unsafe value.bytes.withUnsafeBytes(body)
        }

        /// Its bytes, one after another.
        public func makeIterator() -> Array<UInt8>.Iterator { value.bytes.makeIterator() }
    }

    /// A sealed message.
    public struct SealedBox: Sendable {
        /// The tag that proves that it is authentic.
        public let tag: Data
        /// The message, sealed.
        public let ciphertext: Data
        /// The nonce.
        public let nonce: Nonce

        /// Nonce, message and tag, one after the other.
        public var combined: Data { Data(nonce.value.bytes) + ciphertext + tag }

        /// A message as ``combined`` has it.
        public init<Bytes: DataProtocol>(combined: Bytes) throws {
            let parts = try SealingCipher.parts(of: combined)
            nonce = try Nonce(data: parts.nonce)
            (ciphertext, tag) = (parts.ciphertext, parts.tag)
        }

        /// A message in its parts; the tag has 16 bytes.
        public init<Message: DataProtocol, Tag: DataProtocol>(nonce: Nonce, ciphertext: Message, tag: Tag) throws {
            guard tag.count == SealingCipher.tagBytes else { throw CryptoKitError.incorrectParameterSize }
            self.nonce = nonce
            self.ciphertext = Data(ciphertext)
            self.tag = Data(tag)
        }
    }

    /// Seals `message`, and binds `authenticatedData` to it.
    public static func seal<Message: DataProtocol, Context: DataProtocol>(
        _ message: Message, using key: SymmetricKey, nonce: Nonce? = nil, authenticating authenticatedData: Context
    ) throws -> SealedBox {
        let nonce = nonce ?? Nonce()
        let sealed = try SealingCipher.chaChaPoly.sealed(message, key, nonce.value.bytes, Array(authenticatedData))
        return try SealedBox(nonce: nonce, ciphertext: sealed.ciphertext, tag: sealed.tag)
    }

    /// Seals `message`.
    public static func seal<Message: DataProtocol>(
        _ message: Message, using key: SymmetricKey, nonce: Nonce? = nil
    ) throws -> SealedBox { try seal(message, using: key, nonce: nonce, authenticating: Data()) }

    /// The message, if it was sealed by `key` with `authenticatedData`.
    public static func open<Context: DataProtocol>(
        _ sealedBox: SealedBox, using key: SymmetricKey, authenticating authenticatedData: Context
    ) throws -> Data {
        try SealingCipher.chaChaPoly.opened(
            sealedBox.ciphertext, sealedBox.tag, key, sealedBox.nonce.value.bytes, Array(authenticatedData))
    }

    /// The message, if it was sealed by `key`.
    public static func open(_ sealedBox: SealedBox, using key: SymmetricKey) throws -> Data {
        try open(sealedBox, using: key, authenticating: Data())
    }
}
