public import BelfryTerms

/// `apns-push-type`: the kinds of push that a server may send.
public enum APNsPushType: String, Hashable, Sendable, CaseIterable {
    /// Something to show or play.
    case alert
    /// Wakes the app, shows nothing.
    case background
    /// A call.
    case voip
    /// A watch face is updated.
    case complication
    /// A file provider gets notice of changes.
    case fileprovider
    /// The device's location is asked for.
    case location
    /// A live activity is begun, updated or ended.
    case liveactivity
    /// Somebody talks in a push-to-talk channel.
    case pushtotalk
    /// Widgets are updated.
    case widgets
    /// Controls are updated.
    case controls
    /// Device management.
    case mdm

    /// Whether a worker takes it: the other kinds are only recorded.
    public var hasReceiver: Bool {
        switch self {
        case .alert, .background, .voip: true
        case .complication, .fileprovider, .location, .liveactivity, .pushtotalk, .widgets, .controls, .mdm: false
        }
    }

    /// Whether Apple's documentation says that `priority` is an error for it, of which no refusal was seen.
    public func isError(_ priority: APNsPriority) -> Bool {
        switch self {
        case .background: priority == .immediate
        case .alert, .voip, .complication, .fileprovider, .location, .liveactivity, .pushtotalk, .widgets, .controls,
            .mdm:
            false
        }
    }
}

/// `apns-priority`: how hard APNs tries.
public enum APNsPriority: Int, Hashable, Sendable, CaseIterable, Comparable {
    /// At once; also if none is stated.
    case immediate = 10
    /// With regard for the device's power.
    case considerate = 5
    /// Never wakes the device.
    case low = 1

    /// Orders by urgency.
    public static func < (left: APNsPriority, right: APNsPriority) -> Bool { left.rawValue < right.rawValue }
}

/// One request of a push server that is in order: what is kept, and handed to a worker.
public struct EndpointPush: Hashable, Sendable {
    /// `apns-id` as the server spelled it, or as it was made for one that sent none.
    public let apnsID: String
    /// The token of the device and app that it is for.
    public let token: DeviceToken
    /// `apns-topic`, or what a certificate stands for.
    public let topic: String
    /// The kind of push.
    public let pushType: APNsPushType
    /// How urgent it is.
    public let priority: APNsPriority
    /// When it is of no use any more: nil if the server does not say, 1970 itself is "try once".
    public let expiration: WallTime?
    /// Shared by notifications about the same matter.
    public let collapseID: String?
    /// The payload, byte for byte as it came.
    public let payload: [UInt8]
    /// When it was found in order.
    public let acceptedAt: WallTime

    /// A push.
    public init(
        apnsID: String, token: DeviceToken, topic: String, pushType: APNsPushType, priority: APNsPriority = .immediate,
        expiration: WallTime? = nil, collapseID: String? = nil, payload: [UInt8], acceptedAt: WallTime
    ) {
        self.apnsID = apnsID
        self.token = token
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.payload = payload
        self.acceptedAt = acceptedAt
    }
}
