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
