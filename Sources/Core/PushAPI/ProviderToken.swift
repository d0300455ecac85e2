import BelfryJSON
import BelfryTerms

/// The token of an `authorization` header, read but not believed: what it claims, and what was signed.
struct ProviderToken: Hashable, Sendable {
    /// A header has 8000 bytes at most, so a token has fewer.
    static let bytesMax = 8_000
    private static let limits = JSONLimits(bytesMax: bytesMax, depthMax: 8, valuesMax: 64)

    /// `kid`.
    let keyID: String
    /// `iss`.
    let team: String
    /// `iat`: seconds since 1970, with the fraction that was written.
    let issuedAt: Double
    /// What was signed.
    let signedBytes: [UInt8]
    /// The signature as it came; its form is not checked here.
    let signature: [UInt8]

    /// The token in the value of an `authorization` header: `bearer`, in any case, and a token; nil if there is none.
    static func text(inAuthorization value: String?) -> Substring? {
        guard let value, let space = value.utf8.firstIndex(of: UInt8(ascii: " ")),
            value[..<space].utf8.elementsEqual("bearer".utf8, by: { $0 | 0x20 == $1 })
        else { return nil }
        let token = value[space...].drop { $0 == " " }
        return token.isEmpty ? nil : token
    }

    /// The token that `text` is. Refuses what APNs does not take: it is three parts of base64, ES256 by these very
    /// letters, key, team, and a number of seconds.
    init(_ text: Substring) throws(Refusal) {
        guard text.utf8.count <= Self.bytesMax else { throw Self.wrong("it has more than \(Self.bytesMax) bytes") }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Self.wrong("it is not three parts with dots between them") }
        guard let header = Self.object(parts[0]) else { throw Self.wrong("its header is no JSON object in base64") }
        guard let claims = Self.object(parts[1]) else { throw Self.wrong("its claims are no JSON object in base64") }
        guard let signature = Self.decoded(parts[2]) else { throw Self.wrong("its signature is not base64") }
        guard header["alg"] == "ES256" else { throw Self.wrong("its alg is not ES256") }
        // `crit` lists extensions that must be understood, and we understand none (RFC 7515, 4.1.11).
        guard header["crit"] == nil else { throw Self.wrong("its header has crit, and no extension is understood") }
        guard let keyID = header["kid"]?.stringValue, !keyID.isEmpty else {
            throw Self.wrong("its header names no key: there is no kid, or it is no text")
        }
        guard let team = claims["iss"]?.stringValue, !team.isEmpty else {
            throw Self.wrong("its claims name no team: there is no iss, or it is no text")
        }
        guard let issuedAt = claims["iat"]?.numberValue else {
            throw Self.wrong(claims["iat"] == nil ? "its claims have no iat" : "its iat is not a number of seconds")
        }
        self.keyID = keyID
        self.team = team
        self.issuedAt = issuedAt
        self.signature = signature
        signedBytes = Array(text.utf8.prefix(parts[0].count + 1 + parts[1].count))
    }

    private static func wrong(_ what: String) -> Refusal {
        Refusal(.invalidProviderToken, "the token is none: \(what)")
    }

    private static func object(_ part: Substring.UTF8View.SubSequence) -> JSONObject? {
        guard let bytes = decoded(part) else { return nil }
        return (try? JSONValue.parse(bytes, limits: limits))?.objectValue
    }
    /// By the alphabet for URLs without padding, which RFC 7515 asks for, or by the other one, or padded. Apple takes
    /// all of them: libraries that write them push there.
    private static func decoded(_ part: Substring.UTF8View.SubSequence) -> [UInt8]? {
        Base64.decoded(part.span, allowing: [.urlAlphabet, .unpadded])
    }
}
