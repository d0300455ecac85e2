public import BelfryDevices
public import BelfryTerms

/// The public half of a key that a push server signs its tokens with.
public struct EndpointKey: Hashable, Sendable {
    /// `kid`.
    public let id: String
    /// `iss`: the team that the key is of.
    public let team: String
    /// The point of P-256, uncompressed: 4, and both coordinates.
    public let publicPoint: [UInt8]
    /// The topics that it is for; nil if it is for all of its team's.
    public let topics: [String]?
    /// The environment that it is for; nil for both.
    public let environment: APNsEnvironment?
    /// The key that it may be mixed with on one connection if both are limited to topics: its successor or predecessor.
    public let relatedKey: String?
    /// When it was revoked; nil if it is in use.
    public var revokedAt: WallTime?

    /// A key.
    public init(
        id: String, team: String, publicPoint: [UInt8], topics: [String]? = nil, environment: APNsEnvironment? = nil,
        relatedKey: String? = nil, revokedAt: WallTime? = nil
    ) {
        self.id = id
        self.team = team
        self.publicPoint = publicPoint
        self.topics = topics
        self.environment = environment
        self.relatedKey = relatedKey
        self.revokedAt = revokedAt
    }

    /// Whether tokens of both may come over one connection.
    func isRelated(to other: EndpointKey) -> Bool {
        if id == other.id { return true }
        guard topics != nil, other.topics != nil else { return topics == nil && other.topics == nil }
        return relatedKey == other.id || other.relatedKey == id
    }
}

/// What a push server's certificate says, and that it was added here.
public struct PushCertificate: Hashable, Sendable {
    /// SHA-256 of its DER, in lower-case hexadecimal.
    public let fingerprint: String
    /// Its common name, for people.
    public let name: String
    /// The UID of its subject: the topic that it stands for where a request names none.
    public let subjectTopic: String
    /// The topics that it lists; none if it is of the old kind, which is only for its subject's topic.
    public let listedTopics: [String]
    /// The environments that it is for.
    public let environments: Set<APNsEnvironment>
    /// From when on it is valid; the beginning of 1970 if that was not noted.
    public let beginsAt: WallTime
    /// When it expires.
    public let expiresAt: WallTime
    /// When it was revoked; nil if it is in use.
    public var revokedAt: WallTime?

    /// A certificate.
    public init(
        fingerprint: String, name: String, subjectTopic: String, listedTopics: [String],
        environments: Set<APNsEnvironment>, beginsAt: WallTime = WallTime(microseconds: 0), expiresAt: WallTime,
        revokedAt: WallTime? = nil
    ) {
        self.fingerprint = fingerprint
        self.name = name
        self.subjectTopic = subjectTopic
        self.listedTopics = listedTopics
        self.environments = environments
        self.beginsAt = beginsAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
    }

    /// All topics that it may be used for.
    public var topics: [String] { listedTopics.isEmpty ? [subjectTopic] : listedTopics }

    /// The topic of a request that names none; nil if it has several, of which the subject does not say which.
    var onlyTopic: String? { topics.count == 1 ? topics[0] : nil }
}

/// The keys and certificates that were added here.
public struct EndpointCredentials: Hashable, Sendable {
    /// The keys, by `kid`.
    public var keys: [String: EndpointKey] = [:]
    /// The certificates, by their fingerprints.
    public var certificates: [String: PushCertificate] = [:]

    /// None.
    public init() {}
}

/// What a connection's client has shown of itself during the TLS handshake.
public enum ClientCertificate: Hashable, Sendable {
    /// It has shown nothing: each request brings a token.
    case none
    /// It has shown the certificate with this fingerprint, which was not added here.
    case unknown(fingerprint: String)
    /// It has shown the certificate with this fingerprint, which was.
    case added(fingerprint: String)
}

/// The names of Apple's servers.
public enum APNsHostNames {
    /// Those of production, then those of development.
    public static let names = production + development

    private static let production = ["api.push.apple.com"]
    private static let development = ["api.sandbox.push.apple.com", "api.development.push.apple.com"]

    /// The environment of a client that asks for `name` (server name indication); `otherwise` if it is not one of
    /// Apple's names, or there is none.
    public static func environment(of name: String?, otherwise environment: APNsEnvironment) -> APNsEnvironment {
        guard let name = name?.lowercased() else { return environment }
        if production.contains(name) { return .production }
        return development.contains(name) ? .development : environment
    }
}
