import BelfryDevices
import BelfryTerms

/// The tokens that one connection has used, which decide which ones may follow.
///
/// A connection belongs to one team, and uses either team-scoped keys or one topic-specific key and its related one. A
/// token may not be changed more than once in 20 minutes. That is counted for each connection, since some clients make
/// a token and a connection for each message.
struct TokenRules: Sendable {
    /// How old a token may be, and how far ahead its maker's clock.
    static let secondsMax = 3_600.0
    /// How long a token has to be used before it may be changed.
    static let changeInterval = TimeSpan.seconds(20 * 60)
    /// How many tokens are remembered: a server's threads change theirs one after the other.
    private static let rememberedMax = 4
    /// A time that is further off is no matter of clocks: it is in milliseconds, or made up. A clock that begins with
    /// 1970 is not.
    private static let clockSecondsMax = 3_200_000_000.0

    /// The first key that was good here.
    private(set) var firstKey: EndpointKey?
    /// The latest token of each key.
    private var uses: [Use] = []
    /// The tokens that were found good, the latest last.
    private var remembered: [Remembered] = []

    private struct Remembered: Sendable {
        let authorization: String
        let issuedAt: Double
        let key: EndpointKey
    }

    private struct Use: Sendable {
        let keyID: String
        var issuedAt: Double
        var changedAt: Instant
    }

    /// The identifier of the key of the first good token.
    var firstKeyID: String? { firstKey?.id }

    /// The key of the token in `authorization`, if that is good at `moment` and may follow those before it.
    mutating func admit(
        _ authorization: String?, in environment: APNsEnvironment, at moment: EndpointMoment,
        credentials: EndpointCredentials, isSigned: SignatureCheck
    ) throws(Refusal) -> EndpointKey {
        if let index = remembered.lastIndex(where: { $0.authorization == authorization }),
            let key = credentials.keys[remembered[index].key.id], key == remembered[index].key
        {
            try checkAge(ofTokenIssuedAt: remembered[index].issuedAt, of: key, at: moment, isNew: false)
            return key
        }
        guard let authorization, let text = ProviderToken.text(inAuthorization: authorization) else {
            throw Refusal(
                .missingProviderToken,
                authorization == nil
                    ? "the client shows no certificate, and there is no authorization header"
                    : "the authorization header is not bearer and a token")
        }
        let token = try ProviderToken(text)
        let key = try Self.key(of: token, credentials, isSigned)
        if let firstKey, firstKey.team != key.team {
            throw Refusal(
                .invalidProviderToken,
                "the token is of team \(key.team), and the connection began with team \(firstKey.team)")
        }
        let age = age(ofTokenIssuedAt: token.issuedAt, at: moment)
        if age < -Self.secondsMax {
            throw Refusal(
                .invalidProviderToken,
                "iat of key \(key.id)'s token is \(SecondsText.text(-age)) ahead of this machine's clock",
                clockSeconds: Self.clockSeconds(age))
        }
        if key.revokedAt != nil { throw Refusal(.forbidden, "key \(key.id) was revoked") }
        try checkAge(ofTokenIssuedAt: token.issuedAt, of: key, at: moment, isNew: true)
        if let only = key.environment, only != environment {
            throw Refusal(
                .badEnvironmentKeyInToken,
                "key \(key.id) is for \(only.rawValue), and the client asked for \(environment.rawValue)")
        }
        if let firstKey, !firstKey.isRelated(to: key) {
            throw Refusal(
                .unrelatedKeyIDInToken, "key \(key.id) may not follow key \(firstKey.id), with which this began")
        }
        try noteUse(of: token, at: moment)
        if firstKey == nil { firstKey = key }
        remembered.append(Remembered(authorization: authorization, issuedAt: token.issuedAt, key: key))
        if remembered.count > Self.rememberedMax { remembered.removeFirst() }
        return key
    }

    /// The key that has signed `token`.
    private static func key(
        of token: ProviderToken, _ credentials: EndpointCredentials, _ isSigned: SignatureCheck
    ) throws(Refusal) -> EndpointKey {
        guard let key = credentials.keys[token.keyID] else {
            throw Refusal(
                .invalidProviderToken, "key \(Sentence.shortened(token.keyID)) was not added: see belfry apns list")
        }
        guard key.team == token.team else {
            throw Refusal(
                .invalidProviderToken,
                "the token is of team \(Sentence.shortened(token.team)), and key \(key.id) of team \(key.team)")
        }
        guard isSigned(token.signedBytes, token.signature, key.publicPoint) else {
            throw Refusal(.invalidProviderToken, "the signature is not by key \(key.id) of team \(key.team)")
        }
        return key
    }

    /// A token that was good here before, and so is not new, has grown old: that says nothing about its maker's clock.
    private func checkAge(
        ofTokenIssuedAt issuedAt: Double, of key: EndpointKey, at moment: EndpointMoment, isNew: Bool
    ) throws(Refusal) {
        let age = age(ofTokenIssuedAt: issuedAt, at: moment)
        guard age > Self.secondsMax else { return }
        throw Refusal(
            .expiredProviderToken,
            "iat of key \(key.id)'s token is \(SecondsText.text(age)) behind this machine's clock: 1 h is good",
            clockSeconds: isNew ? Self.clockSeconds(age) : nil)
    }

    /// By how much a clock is ahead whose fresh token seems to be `age` seconds old.
    private static func clockSeconds(_ age: Double) -> Int64? {
        abs(age) < clockSecondsMax ? Int64(-age) : nil
    }

    /// In seconds; negative for a token whose maker's clock is ahead.
    private func age(ofTokenIssuedAt issuedAt: Double, at moment: EndpointMoment) -> Double {
        Double(moment.wall.unixSecond) - issuedAt
    }

    private mutating func noteUse(of token: ProviderToken, at moment: EndpointMoment) throws(Refusal) {
        guard let index = uses.firstIndex(where: { $0.keyID == token.keyID }) else {
            // A key's first token counts as changed when it was made, which may be before this connection began.
            let age = TimeSpan(seconds: max(0, age(ofTokenIssuedAt: token.issuedAt, at: moment))) ?? .zero
            uses.append(Use(keyID: token.keyID, issuedAt: token.issuedAt, changedAt: moment.instant - age))
            return
        }
        // A new signature with the same time: for the server that made it, this is the same token.
        guard uses[index].issuedAt != token.issuedAt else { return }
        if moment.instant - uses[index].changedAt < Self.changeInterval {
            throw Refusal(
                .tooManyProviderTokenUpdates, "the token of key \(token.keyID) was changed less than 20 minutes ago")
        }
        uses[index] = Use(keyID: token.keyID, issuedAt: token.issuedAt, changedAt: moment.instant)
    }
}
