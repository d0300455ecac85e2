public import UserNotifications

/// A message whose text has attributes. On iOS it stands in UserNotifications, where whoever makes one has imported
/// Intents too.
open class UNNotificationAttributedMessageContext: NSObject, UNNotificationContentProviding {
    private let intent: INSendMessageIntent
    private let attributedContent: NSAttributedString

    private init(_ intent: INSendMessageIntent, _ attributedContent: NSAttributedString) {
        self.intent = intent
        self.attributedContent = attributedContent
        super.init()
    }

    /// A message, and its text.
    public convenience init(sendMessageIntent: INSendMessageIntent, attributedContent: NSAttributedString) {
        self.init(sendMessageIntent, attributedContent)
    }
}

extension UNNotificationAttributedMessageContext: ContentUpdating {
    /// What the message does; its text, without the attributes, is the body.
    package func update(_ content: UNMutableNotificationContent) throws {
        try intent.update(content)
        content.body = attributedContent.string
    }
}
