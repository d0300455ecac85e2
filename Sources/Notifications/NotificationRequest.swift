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
