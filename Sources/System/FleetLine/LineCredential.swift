/// By what a line is let in: it is in no text that a line tells.
public struct LineCredential: Sendable {
    /// The user's JWT, which the account has signed.
    public let jwt: String
    /// The user's private key, for Ed25519.
    public let key: [UInt8]
    /// How many bytes a key has.
    public static let keyBytes = 32
    /// The certificates, as PEM, of the authorities whose brokers are trusted, and no others'.
    public let authority: [UInt8]

    /// A credential; `key` has ``keyBytes``.
    public init(
        jwt: String, key: [UInt8], authority: [UInt8]
    ) {
        precondition(key.count == Self.keyBytes, "a key of \(key.count) bytes")
        (self.jwt, self.key, self.authority) = (jwt, key, authority)
    }
}
