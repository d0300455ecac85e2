import BelfryJSON
public import BelfryTerms

/// What a user's token of NATS claims: who, under which account's key, from when to when.
public struct FleetClaims: Hashable, Sendable {
    /// The most bytes of a token.
    static let tokenBytesMax = 8 << 10
    private static let limits = JSONLimits(bytesMax: tokenBytesMax, depthMax: 8, valuesMax: 256)

    /// The user's name, which the rights of its role are for.
    public let name: String
    /// The user's public key.
    public let key: String
    /// The public key that signed the token.
    public let signer: String
    /// The account that this key is of.
    public let account: String
    /// When it begins, where it says so.
    public let beginsAt: WallTime?
    /// When it ends, where it says so.
    public let endsAt: WallTime?
    /// What was signed.
    public let signedBytes: [UInt8]
    /// The signature as it came.
    public let signature: [UInt8]

    /// What `token` claims; nil if it is no such token.
    public init?(token: String) {
        let bytes = token.utf8
        guard bytes.count <= Self.tokenBytesMax else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), header["alg"] == "ed25519-nkey",
            let claims = Self.object(parts[1]), let nats = claims["nats"]?.objectValue, nats["type"] == "user",
            let signature = Self.decoded(parts[2]), let name = claims["name"]?.stringValue,
            let key = claims["sub"]?.stringValue, let signer = claims["iss"]?.stringValue,
            let account = nats["issuer_account"]?.stringValue
        else { return nil }
        for field in ["nbf", "exp"] where claims[field] != nil && claims[field]?.integerValue == nil { return nil }
        self.name = name
        self.key = key
        self.signer = signer
        self.account = account
        beginsAt = Self.time(claims["nbf"])
        endsAt = Self.time(claims["exp"])
        signedBytes = Array(bytes.prefix(parts[0].count + 1 + parts[1].count))
        self.signature = signature
    }

    private static func time(_ value: JSONValue?) -> WallTime? {
        // NATS has 0 for a time that is not set.
        guard let second = value?.integerValue, second != 0 else { return nil }
        return WallTime(microseconds: TimeSpan.seconds(second).microseconds)
    }

    private static func object(_ part: Substring.UTF8View) -> JSONObject? {
        guard let bytes = decoded(part) else { return nil }
        return (try? JSONValue.parse(bytes, limits: limits))?.objectValue
    }

    private static func decoded(_ part: Substring.UTF8View) -> [UInt8]? {
        Base64.decoded(part.span, allowing: [.urlAlphabet, .unpadded])
    }
}
