public import BelfryDevices
import BelfryJSON

/// The answer to a push server.
public struct EndpointAnswer: Hashable, Sendable {
    /// `:status`.
    public let status: Int
    /// `apns-id`, as the request spelled it.
    public let apnsID: String
    /// `apns-unique-id`, which the development environment alone sends, with success.
    public let uniqueID: String?
    /// The reason in the body; nil with success.
    public let reason: String?
    /// The body: none with success, one JSON object with its reason otherwise.
    public let body: [UInt8]

    /// Success.
    public init(acceptedAs apnsID: String, in environment: APNsEnvironment, uniqueID: () -> String) {
        status = 200
        self.apnsID = apnsID
        self.uniqueID = environment == .development ? uniqueID() : nil
        reason = nil
        body = []
    }

    /// A refusal.
    public init(_ refusal: Refusal, apnsID: String) {
        self.init(
            status: refusal.reason.status, reason: refusal.reason.rawValue,
            timestampMilliseconds: refusal.timestampMilliseconds, apnsID: apnsID)
    }

    /// An answer that a tester asked for.
    public init(status: Int, reason: String, timestampMilliseconds: Int64? = nil, apnsID: String) {
        self.status = status
        self.apnsID = apnsID
        uniqueID = nil
        self.reason = reason
        body = Self.body(reason: reason, timestampMilliseconds: timestampMilliseconds)
    }

    /// What a body and the debug data of a GOAWAY are: `{"reason":"…"}`, perhaps with a `timestamp`.
    public static func body(reason: String, timestampMilliseconds: Int64? = nil) -> [UInt8] {
        var object: JSONObject = ["reason": .string(reason)]
        object["timestamp"] = timestampMilliseconds.map { .integer($0) }
        return object.serialized()
    }
}
