public import BelfryDevices
import BelfryJSON
public import BelfryTerms

/// The time of a decision: by the wall clock, which tokens state, and by the boot clock, which is never set.
public struct EndpointMoment: Hashable, Sendable {
    /// The wall clock.
    public let wall: WallTime
    /// The boot clock.
    public let instant: Instant

    /// A moment.
    public init(wall: WallTime, instant: Instant) {
        self.wall = wall
        self.instant = instant
    }
}

/// Whether `signature`, r and s of ES256, is one of `message` by the key whose public point is `publicPoint`.
public typealias SignatureCheck = (_ message: [UInt8], _ signature: [UInt8], _ publicPoint: [UInt8]) -> Bool

/// A request's body, kept only up to the size that may be used.
public struct EndpointBody: Hashable, Sendable {
    /// How many bytes the largest payload has: a call's.
    public static let payloadBytesMax = 5_120
    /// How many bytes any other payload has at most.
    static let ordinaryPayloadBytesMax = 4_096

    /// The bytes, at most one more than ``payloadBytesMax``.
    public private(set) var bytes: [UInt8] = []

    /// An empty body.
    public init() {}

    /// Takes the next bytes, but none once there are too many.
    public mutating func append(_ more: Span<UInt8>) {
        let count = min(more.count, Self.payloadBytesMax + 1 - bytes.count)
        guard count > 0 else { return }
        bytes.append(addingCapacity: count) { room in
            for index in 0..<count { room.append(more[index]) }
        }
    }
}

/// A push that is in order, and the device and app that it is for.
public struct AcceptedPush: Hashable, Sendable {
    /// The push.
    public let push: EndpointPush
    /// The owner of its token.
    public let registration: Registration
}

/// One connection of a push server, and the answers to its requests.
///
/// The order of the checks is the reference's: duplicates, method and path, credential, headers one by one, topic,
/// payload, device token. Whether the push may wait is decided afterwards, by the queue.
public struct EndpointConnection: Sendable {
    /// The environment that the client asked for.
    public let environment: APNsEnvironment
    private let certificate: ClientCertificate
    private var tokens = TokenRules()
    /// Whether one of its requests had a credential that was good, or its certificate is.
    public private(set) var hasGoodCredential: Bool
    /// That credential: a certificate's fingerprint or the identifier of a key.
    public var goodCredential: String? {
        if case .added(let fingerprint) = certificate { return fingerprint }
        return hasGoodCredential ? tokens.firstKeyID : nil
    }

    /// A connection whose client has shown `certificate`.
    public init(environment: APNsEnvironment, certificate: ClientCertificate) {
        self.environment = environment
        self.certificate = certificate
        if case .added = certificate { hasGoodCredential = true } else { hasGoodCredential = false }
    }

    /// Why a client with `certificate` is sent away before its first request; nil if it is not.
    public static func refusal(
        of certificate: ClientCertificate, in environment: APNsEnvironment, credentials: EndpointCredentials
    ) -> EndpointReason? {
        guard case .added(let fingerprint) = certificate, let added = credentials.certificates[fingerprint] else {
            return nil
        }
        return added.environments.contains(environment) ? nil : .badCertificateEnvironment
    }

    /// How many bytes of an `apns-id` that is no UUID are echoed and logged.
    static let identifierBytesMax = 64

    /// The `apns-id` in the answer to `request`: the request's own, byte for byte, even if it is not valid, up to
    /// ``identifierBytesMax``; otherwise one that `new` makes.
    public static func identifier(of request: EndpointRequest, new: () -> String) -> String {
        guard let stated = request.identifier, !stated.isEmpty else { return new() }
        if RequestFields.isIdentifier(stated) { return stated }
        guard !stated.unicodeScalars.contains("\u{FFFD}") else { return new() }
        guard stated.utf8.count > identifierBytesMax else { return stated }
        // The last character goes if it is cut in two.
        var end = stated.utf8.index(stated.utf8.startIndex, offsetBy: identifierBytesMax)
        while end.samePosition(in: stated.unicodeScalars) == nil { end = stated.utf8.index(before: end) }
        return String(stated[..<end])
    }

    /// The device token that `request` names, even if something else in the request is wrong.
    public static func deviceToken(of request: EndpointRequest) -> DeviceToken? {
        guard let start = try? tokenStart(in: request) else { return nil }
        return DeviceToken(hexDigits: request.path.utf8Span.span.extracting(start...))
    }

    /// The push that `request` is, if all about it is in order.
    public mutating func accept(
        _ request: EndpointRequest, body: EndpointBody, identifier: String, at moment: EndpointMoment,
        credentials: EndpointCredentials, isSigned: SignatureCheck, standing: (DeviceToken) -> TokenStanding
    ) throws(Refusal) -> AcceptedPush {
        if request.hasDuplicates { throw Refusal(.duplicateHeaders) }
        let tokenStart = try Self.tokenStart(in: request)
        let authority = try authority(of: request, at: moment, credentials: credentials, isSigned: isSigned)
        let fields = try RequestFields(request)
        let topic = try authority.topic(stated: request.topic)
        let payload = try Self.payload(body, type: fields.pushType ?? TopicRules.type(bySuffixOf: topic))
        let tokenText = request.path.utf8Span.span.extracting(tokenStart...)
        let registration = try Self.registration(of: tokenText, for: topic, in: environment, standing)
        let type = try Self.type(fields.pushType, to: topic, of: registration, payload: payload.object)
        let push = EndpointPush(
            apnsID: identifier, token: registration.token, topic: topic, pushType: type,
            priority: fields.priority ?? (type == .background ? .considerate : .immediate),
            expiration: fields.expiration, collapseID: fields.collapseID, payload: payload.bytes,
            acceptedAt: moment.wall)
        return AcceptedPush(push: push, registration: registration)
    }

    private static let pathPrefix = "/3/device"

    /// The offset in the path's bytes at which the part after `/3/device/` starts.
    private static func tokenStart(in request: EndpointRequest) throws(Refusal) -> Int {
        guard request.method == "POST" else { throw Refusal(.methodNotAllowed) }
        let (path, prefix) = (request.path.utf8Span.span, pathPrefix.utf8Span.span)
        guard path.count >= prefix.count else { throw Refusal(.badPath) }
        for index in prefix.indices where path[index] != prefix[index] { throw Refusal(.badPath) }
        let slash = UInt8(ascii: "/")
        let start = prefix.count + 1
        if path.count < start || path.count == start && path[start - 1] == slash { throw Refusal(.missingDeviceToken) }
        guard path[start - 1] == slash else { throw Refusal(.badPath) }
        for index in start..<path.count where path[index] == slash { throw Refusal(.badPath) }
        return start
    }

    /// The credential that the request is made with. A certificate comes before a token.
    private mutating func authority(
        of request: EndpointRequest, at moment: EndpointMoment, credentials: EndpointCredentials,
        isSigned: SignatureCheck
    ) throws(Refusal) -> Authority {
        switch certificate {
        case .unknown(let fingerprint):
            throw Refusal(.badCertificate, "certificate \(fingerprint) was not added: see belfry apns list")
        case .added(let fingerprint):
            guard let added = credentials.certificates[fingerprint] else {
                throw Refusal(.badCertificate, "certificate \(fingerprint) is not there any more")
            }
            guard added.revokedAt == nil else {
                throw Refusal(.badCertificate, "certificate \(fingerprint) was revoked")
            }
            guard added.beginsAt <= moment.wall else {
                throw Refusal(.badCertificate, "certificate \(fingerprint) is not valid yet")
            }
            guard added.expiresAt > moment.wall else {
                throw Refusal(.badCertificate, "certificate \(fingerprint) has expired")
            }
            return .certificate(added)
        case .none:
            let topics = try tokens.admit(
                request.authorization, in: environment, at: moment, credentials: credentials, isSigned: isSigned)
            hasGoodCredential = true
            return .key(topics: topics)
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// A worker gets the payload inside one more object.
    private static let payloadLimits = JSONLimits(depthMax: JSONLimits().depthMax - 1)

    private static func payload(
        _ body: EndpointBody, type: APNsPushType?
    ) throws(Refusal) -> (bytes: [UInt8], object: JSONObject) {
        if body.bytes.isEmpty { throw Refusal(.payloadEmpty) }
        let bytesMax = type == .voip ? EndpointBody.payloadBytesMax : EndpointBody.ordinaryPayloadBytesMax
        guard body.bytes.count <= bytesMax else { throw Refusal(.payloadTooLarge) }
        if body.bytes.starts(with: byteOrderMark) {
            throw Refusal(.payloadEmpty, "the body begins with a byte order mark, which no JSON has")
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(body.bytes, limits: payloadLimits)
        } catch {
            throw Refusal(.payloadEmpty, "the body is not JSON, or beyond what is read of it: \(error.detail)")
        }
        guard let object = value.objectValue else { throw Refusal(.payloadEmpty, "the body is JSON, but no object") }
        return (body.bytes, object)
    }

    private static func registration(
        of tokenText: Span<UInt8>, for topic: String, in environment: APNsEnvironment,
        _ standing: (DeviceToken) -> TokenStanding
    ) throws(Refusal) -> Registration {
        guard let token = DeviceToken(hexDigits: tokenText) else { throw Refusal(.badDeviceToken) }
        let registration: Registration
        switch standing(token) {
        case .unknown: throw Refusal(.badDeviceToken)
        case .registered(let found): registration = found
        case .removed(let found, let time):
            // For a server of the other environment this was never a token.
            guard found.environment == environment else { throw Refusal(.badDeviceToken) }
            throw Refusal(.unregistered, timestampMilliseconds: time.microseconds / 1_000)
        }
        guard registration.environment == environment else { throw Refusal(.badDeviceToken) }
        guard TopicRules.isTaken(topic, by: registration) else { throw Refusal(.deviceTokenNotForTopic) }
        return registration
    }

    /// The kind of push: as stated, else by the topic, else by what `aps` has.
    private static func type(
        _ stated: APNsPushType?, to topic: String, of registration: Registration, payload: JSONObject
    ) throws(Refusal) -> APNsPushType {
        if let stated {
            guard TopicRules.isPossible(stated, to: topic, ofApp: registration.bundleID) else {
                throw Refusal(.invalidPushType)
            }
            return stated
        }
        if let type = TopicRules.type(of: topic, ofApp: registration.bundleID) { return type }
        if TopicRules.isManagement(registration.bundleID) { return .mdm }
        let aps = payload["aps"]?.objectValue
        let isShown = ["alert", "sound", "badge"].contains { aps?[$0] != nil }
        return !isShown && aps?["content-available"] != nil ? .background : .alert
    }
}

/// The credential of a request.
private enum Authority {
    case certificate(PushCertificate)
    /// A key that is for `topics` alone, or for all.
    case key(topics: [String]?)

    /// The topic that a request states, or that its certificate stands for, if it may be used.
    func topic(stated: String?) throws(Refusal) -> String {
        switch self {
        case .certificate(let certificate):
            // With several topics, the subject does not say which.
            guard let topic = stated ?? (certificate.topics.count == 1 ? certificate.topics[0] : nil) else {
                throw Refusal(.missingTopic)
            }
            guard TopicRules.isWellFormed(topic) else { throw Refusal(.badTopic) }
            guard certificate.topics.contains(topic), TopicRules.isForCertificates(topic) else {
                throw Refusal(.topicDisallowed)
            }
            return topic
        case .key(let topics):
            guard let topic = stated else { throw Refusal(.missingTopic) }
            guard TopicRules.isWellFormed(topic) else { throw Refusal(.badTopic) }
            if let topics, !topics.contains(topic) { throw Refusal(.topicDisallowed) }
            return topic
        }
    }
}
