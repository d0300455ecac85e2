public import JSON

/// What a notification shows: `UNNotificationContent` as a value.
public struct NotificationContent: Hashable, Sendable {
    /// The first line; empty where there is none.
    public var title = ""
    /// The second line; empty where there is none.
    public var subtitle = ""
    /// The text; empty where there is none.
    public var body = ""
    /// The app's badge: nil leaves it, 0 removes it; never negative.
    public var badge: Int64?
    /// The sound; nil is silence.
    public var sound: NotificationSound?
    /// The category that names the actions; empty where there is none.
    public var categoryIdentifier = ""
    /// What groups notifications; empty where there is none.
    public var threadIdentifier = ""
    /// How much it may interrupt.
    public var interruptionLevel = InterruptionLevel.active
    /// Its place in the summary, from 0 to 1.
    public var relevanceScore = 0.0
    /// The window that opens.
    public var targetContentIdentifier: String?
    /// The files shown with it.
    public var attachments: [NotificationAttachment] = []
    /// The whole payload, `aps` included.
    public var userInfo = JSONObject()

    /// Empty content.
    public init() {}

    /// Whether there is any text that alerts: the condition of R1 and R2.
    public var hasAlertText: Bool { !(title.isEmpty && subtitle.isEmpty && body.isEmpty) }
}
