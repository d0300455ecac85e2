import BelfryCrypto
import BelfryJSON
import BelfryTerms

/// A token of NATS: a JWT (RFC 7519) that one key signs for another.
struct NATSToken {
    private static let header = #"{"typ":"JWT","alg":"ed25519-nkey"}"#

    /// Whose it is, for people and for the rights of a role.
    let name: String
    /// The public key that it is for.
    let key: String
    /// What NATS knows of it, by its type.
    let content: JSONObject
    /// From when on it is valid; nil if always.
    var beginsAt: WallTime?
    /// When it ends; nil if never.
    var endsAt: WallTime?

    /// The token, signed by `signer`. A broker takes a later one of two for an account.
    func signed(by signer: NATSKey, at time: WallTime) throws(CryptoFailure) -> String {
        var claims: JSONObject = [
            "iat": .integer(time.unixSecond), "iss": .string(signer.name), "name": .string(name), "sub": .string(key),
            "nats": .object(content),
        ]
        if let beginsAt { claims["nbf"] = .integer(beginsAt.unixSecond) }
        if let endsAt { claims["exp"] = .integer(endsAt.unixSecond) }
        // Brokers tell two tokens of an account apart by it.
        let digest = DigestState(.sha256)
        digest.update(claims.serialized())
        claims["jti"] = .string(Base32.encoded(digest.digest()))
        let signed = Self.text(Array(Self.header.utf8)) + "." + Self.text(claims.serialized())
        let signature = try signer.signature(of: Array(signed.utf8))
        return signed + "." + Self.text(signature)
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encodedForURL(bytes.span), as: UTF8.self)
    }
}
