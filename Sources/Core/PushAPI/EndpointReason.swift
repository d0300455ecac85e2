/// `reason` of an answer, in Apple's words.
public enum EndpointReason: String, Hashable, Sendable, CaseIterable {
    // 400: the request.

    /// `apns-collapse-id` is longer than 64 bytes.
    case badCollapseID = "BadCollapseId"
    /// The token was never issued, or belongs to the other environment.
    case badDeviceToken = "BadDeviceToken"
    /// `apns-expiration` is no whole number of seconds.
    case badExpirationDate = "BadExpirationDate"
    /// `apns-id` is no UUID.
    case badMessageID = "BadMessageId"
    /// `apns-priority` is none, or none that this kind of push may have.
    case badPriority = "BadPriority"
    /// `apns-topic` is no topic.
    case badTopic = "BadTopic"
    /// The token was issued for another topic.
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    /// A header is there twice.
    case duplicateHeaders = "DuplicateHeaders"
    /// Nothing happened on the connection for long.
    case idleTimeout = "IdleTimeout"
    /// `apns-push-type` is none, or another topic's.
    case invalidPushType = "InvalidPushType"
    /// The path names no token.
    case missingDeviceToken = "MissingDeviceToken"
    /// There is no `apns-topic`, and no certificate that stands for one.
    case missingTopic = "MissingTopic"
    /// There is no body, or it is no JSON object.
    case payloadEmpty = "PayloadEmpty"
    /// Key or certificate are not for this topic.
    case topicDisallowed = "TopicDisallowed"

    // 403: the credential.

    /// The client's certificate is none that was added here.
    case badCertificate = "BadCertificate"
    /// The client's certificate is for the other environment.
    case badCertificateEnvironment = "BadCertificateEnvironment"
    /// The key is for the other environment: as it is on the wire, documented with "KeyId".
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    /// The token was made more than an hour ago.
    case expiredProviderToken = "ExpiredProviderToken"
    /// The key was revoked.
    case forbidden = "Forbidden"
    /// The token is none of a key that was added here.
    case invalidProviderToken = "InvalidProviderToken"
    /// There is neither a certificate nor a token.
    case missingProviderToken = "MissingProviderToken"
    /// The connection began with a key that has nothing to do with this one.
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"

    // The rest.

    /// There is nothing at this path.
    case badPath = "BadPath"
    /// Only POST is served.
    case methodNotAllowed = "MethodNotAllowed"
    /// The token has expired.
    case expiredToken = "ExpiredToken"
    /// The token was in use, and is not any more.
    case unregistered = "Unregistered"
    /// The payload has more bytes than it may.
    case payloadTooLarge = "PayloadTooLarge"
    /// The token on this connection was changed less than 20 minutes ago.
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    /// Too much waits for one device token.
    case tooManyRequests = "TooManyRequests"
    /// A defect of ours, or a full disk.
    case internalServerError = "InternalServerError"
    /// Too much waits altogether.
    case serviceUnavailable = "ServiceUnavailable"
    /// The endpoint stops.
    case shutdown = "Shutdown"

    /// The `:status` it comes with.
    public var status: Int {
        switch self {
        case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
            .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken,
            .missingTopic, .payloadEmpty, .topicDisallowed:
            400
        case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyInToken, .expiredProviderToken,
            .forbidden, .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken:
            403
        case .badPath: 404
        case .methodNotAllowed: 405
        case .expiredToken, .unregistered: 410
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates, .tooManyRequests: 429
        case .internalServerError: 500
        case .serviceUnavailable, .shutdown: 503
        }
    }
}

/// Why a request is refused. Two are equal if a server gets the same answer.
public struct Refusal: Error, Hashable, Sendable {
    /// The reason.
    public let reason: EndpointReason
    /// What is wrong, as a sentence for whoever reads the log; the server does not get it.
    public let detail: String
    /// By how many seconds the server's clock seems to be ahead of ours, negative if it is behind; nil if this is no
    /// matter of clocks.
    public let clockSeconds: Int64?
    /// Since when a token is not in use any more, in milliseconds since 1970; with 410 alone.
    public let timestampMilliseconds: Int64?

    /// A refusal for `reason`.
    public init(
        _ reason: EndpointReason, _ detail: String, clockSeconds: Int64? = nil, timestampMilliseconds: Int64? = nil
    ) {
        self.reason = reason
        self.detail = detail
        self.clockSeconds = clockSeconds
        self.timestampMilliseconds = timestampMilliseconds
    }

    /// Whether a server gets the same answer.
    public static func == (left: Refusal, right: Refusal) -> Bool {
        left.reason == right.reason && left.timestampMilliseconds == right.timestampMilliseconds
    }

    /// Hashes what a server gets.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(reason)
        hasher.combine(timestampMilliseconds)
    }
}
