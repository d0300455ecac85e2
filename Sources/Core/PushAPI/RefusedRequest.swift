public import BelfryDevices

/// What is known of a request that was refused, for the log.
public struct RefusedRequest: Hashable, Sendable {
    /// `apns-id` of the answer.
    public let apnsID: String
    /// The fingerprint of the certificate that its client has shown; nil if it has shown none.
    public let fingerprint: String?
    /// The device token that it names; nil if it names none, and for a stranger's request, for whom nothing is looked
    /// up.
    public let token: DeviceToken?
    /// The topic that it states, or that its certificate stands for; nil if there is none that can be one.
    public let topic: String?
    /// The kind of push that it states, or else that its topic is for; nil if it states none that there is, or its
    /// topic is an app's own.
    public let pushType: APNsPushType?

    /// What `request` says of itself, right or wrong, on `connection`.
    public init(
        _ request: EndpointRequest, apnsID: String, on connection: EndpointConnection,
        credentials: EndpointCredentials
    ) {
        self.apnsID = apnsID
        fingerprint = connection.fingerprint
        token = connection.hasGoodCredential ? EndpointConnection.deviceToken(of: request) : nil
        let topic = (request.topic ?? connection.certificateTopic(credentials)).flatMap {
            TopicRules.isWellFormed($0) ? $0 : nil
        }
        self.topic = topic
        if let stated = request.pushType {
            pushType = APNsPushType(rawValue: stated)
        } else {
            pushType = topic.flatMap(TopicRules.type(bySuffixOf:))
        }
    }
}
