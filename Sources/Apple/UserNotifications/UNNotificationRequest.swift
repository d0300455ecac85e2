package import BelfryProtocol

/// A notification that was pushed or asked for. Source: Apple, `UNNotificationRequest`.
open class UNNotificationRequest: NSObject, NSCopying, NSSecureCoding {
    /// Its identifier: a later request with the same one replaces it.
    public let identifier: String
    /// Its content, copied when the request was made.
    public let content: UNNotificationContent
    /// When it appears; nil for at once.
    public let trigger: UNNotificationTrigger?

    /// A request.
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = UNNotificationContent(fields: content.fields)
        self.trigger = trigger
        super.init()
    }

    /// The request that the keeper hands over.
    package convenience init(pushed identifier: String, content: NotificationContent) {
        self.init(
            identifier: identifier, content: UNNotificationContent(content), trigger: UNPushNotificationTrigger())
    }

    /// Itself: a request does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// A request in an archive; nil if it holds none.
    public required init?(coder: NSCoder) {
        guard let identifier = coder.decodeObject(of: NSString.self, forKey: "identifier"),
            let content = coder.decodeObject(of: UNNotificationContent.self, forKey: "content")
        else { return nil }
        self.identifier = identifier as String
        self.content = content
        let kinds = [
            UNPushNotificationTrigger.self, UNTimeIntervalNotificationTrigger.self, UNCalendarNotificationTrigger.self,
            UNLocationNotificationTrigger.self,
        ]
        trigger = coder.decodeObject(of: kinds, forKey: "trigger") as? UNNotificationTrigger
        super.init()
    }

    /// Writes the request into an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(identifier as NSString, forKey: "identifier")
        coder.encode(content, forKey: "content")
        coder.encode(trigger, forKey: "trigger")
    }
}

/// A notification that appeared. Source: Apple, `UNNotification`.
open class UNNotification: NSObject, NSCopying, NSSecureCoding {
    /// When it appeared.
    public let date: Date
    /// The request.
    public let request: UNNotificationRequest

    init(date: Date, request: UNNotificationRequest) {
        self.date = date
        self.request = request
        super.init()
    }

    /// Itself: a notification does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// A notification in an archive; nil if it holds none.
    public required init?(coder: NSCoder) {
        guard let request = coder.decodeObject(of: UNNotificationRequest.self, forKey: "request") else { return nil }
        date = Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: "date"))
        self.request = request
        super.init()
    }

    /// Writes the notification into an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(date.timeIntervalSinceReferenceDate, forKey: "date")
        coder.encode(request, forKey: "request")
    }
}

/// The action of a person who opened a notification.
public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
/// The action of a person who dismissed a notification.
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

/// What a person did with a notification; an extension never gets one. Source: Apple, `UNNotificationResponse`.
open class UNNotificationResponse: NSObject, NSCopying, NSSecureCoding {
    /// The notification.
    public let notification: UNNotification
    /// The action.
    public let actionIdentifier: String

    /// Itself: a response does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// A response in an archive; nil if it holds none.
    public required init?(coder: NSCoder) {
        guard let action = coder.decodeObject(of: NSString.self, forKey: "actionIdentifier"),
            let notification = coder.decodeObject(of: UNNotification.self, forKey: "notification")
        else { return nil }
        actionIdentifier = action as String
        self.notification = notification
        super.init()
    }

    /// Writes the response into an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(actionIdentifier as NSString, forKey: "actionIdentifier")
        coder.encode(notification, forKey: "notification")
    }
}

/// What a person wrote in answer to a notification.
open class UNTextInputNotificationResponse: UNNotificationResponse {
    /// The text.
    public let userText: String

    /// A response in an archive; nil if it holds none.
    public required init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "userText") else { return nil }
        userText = text as String
        super.init(coder: coder)
    }

    /// Writes the response into an archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(userText as NSString, forKey: "userText")
    }
}
