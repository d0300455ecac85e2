public import BelfryTerms
public import BelfryJSON

/// One notification: `UNNotificationRequest` as a value.
public struct NotificationRequest: Hashable, Sendable {
    /// A UUID in lower case, which nothing outside can turn into a path.
    public let id: String
    /// What it shows.
    public let content: NotificationContent

    /// A request.
    public init(id: String, content: NotificationContent) {
        self.id = id
        self.content = content
    }
}

/// What a notification shows: `UNNotificationContent` as a value.
public struct NotificationContent: Hashable, Sendable {
    /// The first line; empty if there is none.
    public var title = ""
    /// The second line; empty if there is none.
    public var subtitle = ""
    /// The text; empty if there is none.
    public var body = ""
    /// The app's badge: nil leaves it, 0 removes it; never negative.
    public var badge: Int64?
    /// The sound; nil is silence.
    public var sound: NotificationSound?
    /// The category that names the actions; empty if there is none.
    public var categoryIdentifier = ""
    /// What groups notifications; empty if there is none.
    public var threadIdentifier = ""
    /// How much it may interrupt.
    public var interruptionLevel = InterruptionLevel.active
    /// Its place in the summary, from 0 to 1.
    public var relevanceScore = 0.0
    /// The window that opens.
    public var targetContentIdentifier: String?
    /// The image that the app shows as it starts; empty if there is none.
    public var launchImageName = ""
    /// What a Focus filters by.
    public var filterCriteria: String?
    /// What a summary of several names; empty if nothing.
    public var summaryArgument = ""
    /// How many things it stands for in a summary.
    public var summaryArgumentCount: Int64 = 1
    /// The files shown with it.
    public var attachments: [NotificationAttachment] = []
    /// The whole payload, `aps` included.
    public var userInfo = JSONObject()

    /// Empty content.
    public init() {}

    /// Whether there is any text that alerts: the condition of R1 and R2.
    public var hasAlertText: Bool { !(title.isEmpty && subtitle.isEmpty && body.isEmpty) }
}

/// The sound of a notification: `UNNotificationSound` as a value.
public struct NotificationSound: Hashable, Sendable {
    /// A bare file name, or `default`.
    public var name: String
    /// Whether it plays through the mute switch.
    public var isCritical: Bool
    /// From 0 to 1; only a critical sound has one, else 1.
    public var volume: Double

    /// A sound; `volume` is clamped to 0…1.
    public init(name: String, isCritical: Bool = false, volume: Double = 1) {
        self.name = name
        self.isCritical = isCritical
        self.volume = volume.isNaN ? 1 : min(max(volume, 0), 1)
    }
}

/// A file shown with a notification: `UNNotificationAttachment` as a value.
public struct NotificationAttachment: Hashable, Sendable {
    /// Its identifier, unique in one notification.
    public let id: String
    /// Where the file is.
    public let path: String
    /// Its uniform type identifier, such as `public.png`.
    public let type: String

    /// An attachment.
    public init(id: String, path: String, type: String) {
        self.id = id
        self.path = path
        self.type = type
    }
}
