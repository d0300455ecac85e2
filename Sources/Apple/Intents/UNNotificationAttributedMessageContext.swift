public import UserNotifications

/// A message whose text has attributes. On iOS it is in UserNotifications; code that makes one has to import Intents
/// too.
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
    /// Changes `content` as the message does, with the text, without attributes, as the body.
    package func update(_ content: UNMutableNotificationContent) throws {
        try intent.update(content)
        content.body = attributedContent.string
    }
}
