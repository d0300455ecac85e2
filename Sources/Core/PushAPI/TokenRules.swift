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

    /// The topics that the token in `authorization` is for, or nil for all of its team's, if it is good at `moment` and
    /// may follow those before it.
    mutating func admit(
        _ authorization: String?, in environment: APNsEnvironment, at moment: EndpointMoment,
        credentials: EndpointCredentials, isSigned: SignatureCheck
    ) throws(Refusal) -> [String]? {
        if let index = remembered.lastIndex(where: { $0.authorization == authorization }),
            let key = credentials.keys[remembered[index].key.id], key == remembered[index].key
        {
            try checkAge(ofTokenIssuedAt: remembered[index].issuedAt, at: moment)
            return key.topics
        }
        guard let authorization, let text = ProviderToken.text(inAuthorization: authorization) else {
            throw Refusal(.missingProviderToken)
        }
        guard let token = ProviderToken(text), let key = credentials.keys[token.keyID], key.team == token.team,
            isSigned(token.signedBytes, token.signature, key.publicPoint)
        else { throw Refusal(.invalidProviderToken) }
        if let firstKey, firstKey.team != key.team { throw Refusal(.invalidProviderToken) }
        if age(ofTokenIssuedAt: token.issuedAt, at: moment) < -Self.secondsMax {
            throw Refusal(.invalidProviderToken)
        }
        if key.revokedAt != nil { throw Refusal(.forbidden) }
        try checkAge(ofTokenIssuedAt: token.issuedAt, at: moment)
        if let only = key.environment, only != environment { throw Refusal(.badEnvironmentKeyInToken) }
        if let firstKey, !firstKey.isRelated(to: key) { throw Refusal(.unrelatedKeyIDInToken) }
        try noteUse(of: token, at: moment)
        if firstKey == nil { firstKey = key }
        remembered.append(Remembered(authorization: authorization, issuedAt: token.issuedAt, key: key))
        if remembered.count > Self.rememberedMax { remembered.removeFirst() }
        return key.topics
    }

    private func checkAge(ofTokenIssuedAt issuedAt: Double, at moment: EndpointMoment) throws(Refusal) {
        if age(ofTokenIssuedAt: issuedAt, at: moment) > Self.secondsMax { throw Refusal(.expiredProviderToken) }
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
            throw Refusal(.tooManyProviderTokenUpdates)
        }
        uses[index] = Use(keyID: token.keyID, issuedAt: token.issuedAt, changedAt: moment.instant)
    }
}
