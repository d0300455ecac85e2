public import BelfryDevices

/// What is known of a request that was refused, for the log.
public struct RefusedRequest: Hashable, Sendable {
    /// `apns-id` of the answer.
    public let apnsID: String
    /// The device token that it names; nil if it names none.
    public let token: DeviceToken?
    /// The topic that it states; nil if it states none that can be one.
    public let topic: String?
    /// The kind of push that it states; nil if it states none that there is.
    public let pushType: APNsPushType?

    /// What `request` says of itself, right or wrong.
    public init(_ request: EndpointRequest, apnsID: String) {
        self.apnsID = apnsID
        token = EndpointConnection.deviceToken(of: request)
        topic = request.topic.flatMap { TopicRules.isWellFormed($0) ? $0 : nil }
        pushType = request.pushType.flatMap(APNsPushType.init(rawValue:))
    }
}
