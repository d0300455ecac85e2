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
    ) -> Refusal? {
        guard case .added(let fingerprint) = certificate, let added = credentials.certificates[fingerprint],
            !added.environments.contains(environment)
        else { return nil }
        let own = added.environments.map(\.rawValue).sorted().joined(separator: " and ")
        return Refusal(
            .badCertificateEnvironment,
            "certificate \(fingerprint) is for \(own), and the client asked for \(environment.rawValue)")
    }

    /// The fingerprint of the certificate that its client has shown; nil if it has shown none.
    public var fingerprint: String? {
        switch certificate {
        case .none: nil
        case .unknown(let fingerprint), .added(let fingerprint): fingerprint
        }
    }

    /// The topic of a request that names none, by the certificate of its connection; nil if that stands for none.
    func certificateTopic(_ credentials: EndpointCredentials) -> String? {
        guard case .added(let fingerprint) = certificate else { return nil }
        return credentials.certificates[fingerprint]?.onlyTopic
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
        if let twice = request.duplicate { throw Refusal(.duplicateHeaders, "\(twice.name) is there twice") }
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
        guard request.method == "POST" else {
            throw Refusal(.methodNotAllowed, "the method is \(Sentence.quoted(request.method)), and not POST")
        }
        let (path, prefix) = (request.path.utf8Span.span, pathPrefix.utf8Span.span)
        guard path.count >= prefix.count else { throw badPath }
        for index in prefix.indices where path[index] != prefix[index] { throw badPath }
        let slash = UInt8(ascii: "/")
        let start = prefix.count + 1
        if path.count < start || path.count == start && path[start - 1] == slash {
            throw Refusal(.missingDeviceToken, "the path ends before the device token")
        }
        guard path[start - 1] == slash else { throw badPath }
        for index in start..<path.count where path[index] == slash { throw badPath }
        return start
    }

    // The path is not told: there may be a token in it.
    private static var badPath: Refusal { Refusal(.badPath, "the path is not \(pathPrefix)/TOKEN") }

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
            let key = try tokens.admit(
                request.authorization, in: environment, at: moment, credentials: credentials, isSigned: isSigned)
            hasGoodCredential = true
            return .key(key)
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// A worker gets the payload inside one more object.
    private static let payloadLimits = JSONLimits(depthMax: JSONLimits().depthMax - 1)

    private static func payload(
        _ body: EndpointBody, type: APNsPushType?
    ) throws(Refusal) -> (bytes: [UInt8], object: JSONObject) {
        if body.bytes.isEmpty { throw Refusal(.payloadEmpty, "there is no body") }
        let bytesMax = type == .voip ? EndpointBody.payloadBytesMax : EndpointBody.ordinaryPayloadBytesMax
        guard body.bytes.count <= bytesMax else {
            let kind = type.map { "\($0.rawValue) push" } ?? "push to an app's own topic"
            throw Refusal(.payloadTooLarge, "the body has more than the \(bytesMax) bytes of a \(kind)")
        }
        if body.bytes.starts(with: byteOrderMark) {
            throw Refusal(.payloadEmpty, "the body begins with a byte order mark, which no JSON has")
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(body.bytes, limits: payloadLimits)
        } catch {
            throw Refusal(.payloadEmpty, sentence(of: error))
        }
        guard let object = value.objectValue else { throw Refusal(.payloadEmpty, "the body is JSON, but no object") }
        return (body.bytes, object)
    }

    /// What is wrong with a body. jansson's own words are not told, which have parts of the payload.
    private static func sentence(of error: JSONError) -> String {
        let beyond = "the body may be a JSON object, but beyond what is read of one"
        return switch error.code {
        case .tooDeep: "\(beyond): it is nested over \(payloadLimits.depthMax) levels"
        case .duplicateKey: "\(beyond): a key is there twice in one object"
        case .nulInKey: "\(beyond): a key has U+0000"
        case .numberTooLarge: "\(beyond): a number has more than a 64-bit real can hold"
        case .tooLarge, .tooManyValues, .outOfMemory: "\(beyond): there is too much of it"
        case .empty: "the body is nothing but blanks"
        case .incomplete: "the body is no JSON: its end is missing"
        case .notUTF8: "the body is no JSON: it is not UTF-8\(place(of: error))"
        case .syntax: "the body is no JSON\(place(of: error))"
        }
    }

    private static func place(of error: JSONError) -> String {
        error.line == 0 ? "" : ", in line \(error.line) at character \(error.column)"
    }

    private static func registration(
        of tokenText: Span<UInt8>, for topic: String, in environment: APNsEnvironment,
        _ standing: (DeviceToken) -> TokenStanding
    ) throws(Refusal) -> Registration {
        guard let token = DeviceToken(hexDigits: tokenText) else {
            throw Refusal(.badDeviceToken, "the device token is not \(2 * DeviceToken.byteCount) hexadecimal digits")
        }
        let registration: Registration
        var removed: (at: WallTime, isReplaced: Bool)?
        switch standing(token) {
        case .unknown: throw Refusal(.badDeviceToken, "no device has this token: see belfry device list --tokens")
        case .registered(let found): registration = found
        case .removed(let found, let time, let isReplaced): (registration, removed) = (found, (time, isReplaced))
        }
        // For a server of the other environment this never was a token.
        guard registration.environment == environment else {
            throw Refusal(
                .badDeviceToken,
                "the device token is of \(registration.environment.rawValue), and the client asked for "
                    + environment.rawValue)
        }
        if let removed {
            throw Refusal(
                .unregistered,
                "its device was removed" + (removed.isReplaced ? ", and its app was given another token" : ""),
                timestampMilliseconds: removed.at.microseconds / 1_000)
        }
        guard TopicRules.isTaken(topic, by: registration) else {
            throw Refusal(
                .deviceTokenNotForTopic,
                "the \(registration.kind.rawValue) token of \(registration.bundleID) is for \(registration.topic)")
        }
        return registration
    }

    /// The kind of push: as stated, else by the topic, else by what `aps` has.
    private static func type(
        _ stated: APNsPushType?, to topic: String, of registration: Registration, payload: JSONObject
    ) throws(Refusal) -> APNsPushType {
        if let stated {
            guard TopicRules.isPossible(stated, to: topic, ofApp: registration.bundleID) else {
                throw Refusal(.invalidPushType, "a \(stated.rawValue) push is not for the topic \(topic)")
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
    case key(EndpointKey)

    /// The topic that a request states, or that its certificate stands for, if it may be used.
    func topic(stated: String?) throws(Refusal) -> String {
        switch self {
        case .certificate(let certificate):
            guard let topic = stated ?? certificate.onlyTopic else {
                let topics = Sentence.listed(certificate.topics)
                throw Refusal(
                    .missingTopic,
                    "there is no apns-topic, and certificate \(certificate.fingerprint) is for \(topics)")
            }
            guard TopicRules.isWellFormed(topic) else { throw Self.badTopic }
            guard certificate.topics.contains(topic) else {
                let topics = Sentence.listed(certificate.topics)
                throw Refusal(.topicDisallowed, "certificate \(certificate.fingerprint) is for \(topics)")
            }
            guard TopicRules.isForCertificates(topic) else {
                throw Refusal(.topicDisallowed, "pushes of this kind need a token, and no certificate is good for them")
            }
            return topic
        case .key(let key):
            guard let topic = stated else {
                throw Refusal(.missingTopic, "there is no apns-topic, and a token stands for none")
            }
            guard TopicRules.isWellFormed(topic) else { throw Self.badTopic }
            if let topics = key.topics, !topics.contains(topic) {
                throw Refusal(.topicDisallowed, "key \(key.id) is for \(Sentence.listed(topics))")
            }
            return topic
        }
    }

    private static let badTopic = Refusal(
        .badTopic,
        "apns-topic is no topic, of letters, digits, dots and hyphens, and of \(TopicRules.topicBytesMax) at most")
}
