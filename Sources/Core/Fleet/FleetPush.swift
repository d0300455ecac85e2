public import BelfryDevices
import BelfryJSON
import BelfryTerms

/// A push on its way from a gateway to a machine: what its server sent, and to which token. Whose that is, the machine
/// looks up itself.
public struct FleetPush: Hashable, Sendable {
    /// The push.
    public let push: EndpointPush
    /// Whether the gateway has kept it for a machine or device that was offline: one that is older than another of its
    /// token and topic which was taken meanwhile is of no use any more.
    public let isKept: Bool

    /// The push `push`.
    public init(_ push: EndpointPush, isKept: Bool = false) { (self.push, self.isKept) = (push, isKept) }

    /// As a message.
    public var bytes: [UInt8] {
        var fields: JSONObject = [
            "id": .string(push.apnsID), "token": .string(push.token.hex), "topic": .string(push.topic),
            "type": .string(push.pushType.rawValue), "priority": .integer(Int64(push.priority.rawValue)),
            "expiration": push.expiration.map { .integer($0.microseconds) } ?? .null,
            "collapse": push.collapseID.map { .string($0) } ?? .null,
            "accepted": .integer(push.acceptedAt.microseconds),
            "payload": .string(String(decoding: Base64.encoded(push.payload.span), as: UTF8.self)),
        ]
        if isKept { fields["kept"] = true }
        return FleetMessage.written(fields)
    }

    /// Reads ``bytes``.
    public init(bytes: [UInt8]) throws(FleetMessageError) {
        self = try FleetMessage.read(bytes) { (fields) throws(JSONFieldError) in
            FleetPush(
                EndpointPush(
                    apnsID: try fields.word("id", Self.short), token: try fields.word("token", DeviceToken.init(hex:)),
                    topic: try fields.word("topic", Self.short),
                    pushType: try fields.word("type", APNsPushType.init),
                    priority: try fields.priority("priority"),
                    expiration: try fields.ifPresent("expiration", fields.wallTime),
                    collapseID: try fields.ifPresent("collapse") { (key) throws(JSONFieldError) in
                        try fields.word(key, Self.short)
                    },
                    payload: try fields.word("payload", Self.payload, expected: "bytes in base64"),
                    acceptedAt: try fields.wallTime("accepted")),
                isKept: try fields.ifPresent("kept", fields.bool) ?? false)
        }
    }

    /// More than any id or topic has that an endpoint takes.
    private static let shortMax = 512

    private static func payload(_ text: String) -> [UInt8]? { Base64.decoded(Array(text.utf8).span) }

    private static func short(_ text: String) -> String? { text.utf8.count <= shortMax ? text : nil }
}

extension JSONFields {
    fileprivate func wallTime(_ key: String) throws(JSONFieldError) -> WallTime {
        WallTime(microseconds: try integer(key))
    }

    fileprivate func priority(_ key: String) throws(JSONFieldError) -> APNsPriority {
        // Of a word that a later version has added, the most urgent does no harm.
        APNsPriority(rawValue: Int(try integer(key, in: 0...Int64(Int32.max)))) ?? .immediate
    }
}
