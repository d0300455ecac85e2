import BelfryJSON
package import BelfryProtocol
import BelfryTerms

/// The fields of content, mutable or not.
struct ContentFields: Equatable {
    var attachments: [UNNotificationAttachment] = []
    var badge: NSNumber?
    var body = ""
    var categoryIdentifier = ""
    var launchImageName = ""
    var sound: UNNotificationSound?
    var subtitle = ""
    var threadIdentifier = ""
    var title = ""
    var userInfo = UserInfo([:])
    var summaryArgument = ""
    var summaryArgumentCount = 1
    var targetContentIdentifier: String?
    var interruptionLevel = UNNotificationInterruptionLevel.active
    var relevanceScore = 0.0
    var filterCriteria: String?
    /// The picture of an intent: iOS shows it in place of the app's icon, and has it not among the attachments.
    var picture: NotificationAttachment?
}

extension ContentFields {
    /// The fields of `content`. Attachments are not checked again: the keeper knows them.
    init(_ content: NotificationContent) {
        attachments = content.attachments.map(UNNotificationAttachment.init)
        badge = content.badge.map { NSNumber(value: $0) }
        body = content.body
        categoryIdentifier = content.categoryIdentifier
        launchImageName = content.launchImageName
        sound = content.sound.map(UNNotificationSound.init)
        subtitle = content.subtitle
        threadIdentifier = content.threadIdentifier
        title = content.title
        userInfo = UserInfo(content.userInfo)
        summaryArgument = content.summaryArgument
        summaryArgumentCount = Int(content.summaryArgumentCount)
        targetContentIdentifier = content.targetContentIdentifier
        interruptionLevel = UNNotificationInterruptionLevel(content.interruptionLevel)
        relevanceScore = content.relevanceScore
        filterCriteria = content.filterCriteria
        picture = content.picture
    }

    /// The fields as a value, without values in `userInfo` that JSON cannot express.
    var value: NotificationContent {
        var content = NotificationContent()
        content.attachments = attachments.map(\.value)
        content.badge = badge.map { max($0.int64Value, 0) }
        content.body = body
        content.categoryIdentifier = categoryIdentifier
        content.launchImageName = launchImageName
        content.sound = sound?.value
        content.subtitle = subtitle
        content.threadIdentifier = threadIdentifier
        content.title = title
        content.userInfo = userInfo.json
        content.summaryArgument = summaryArgument
        content.summaryArgumentCount = Int64(max(summaryArgumentCount, 0))
        content.targetContentIdentifier = targetContentIdentifier
        content.interruptionLevel = interruptionLevel.value
        content.relevanceScore = relevanceScore.isNaN ? 0 : min(max(relevanceScore, 0), 1)
        content.filterCriteria = filterCriteria
        content.picture = picture
        return content
    }

    private static let key = "content"
    private static let userInfoKey = "userInfo"

    /// The fields in an archive; nil if it holds none.
    init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: Self.key),
            let object = try? JSONValue.parse([UInt8](data as Data), limits: .aroundForeignValue).objectValue,
            let content = try? NotificationContent(json: object)
        else { return nil }
        self.init(content)
        // Separately, since an archive also holds dates and data, which JSON cannot express.
        let classes = [
            NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSData.self, NSDate.self, NSNull.self,
        ]
        if let info = coder.decodeObject(of: classes, forKey: Self.userInfoKey) as? [AnyHashable: Any] {
            userInfo = UserInfo(info)
        }
    }

    /// Writes the fields into an archive.
    func encode(with coder: NSCoder) {
        coder.encode(NSData(data: Data(value.json.serialized())), forKey: Self.key)
        coder.encode(userInfo.values as NSDictionary, forKey: Self.userInfoKey)
    }
}

extension UNNotificationInterruptionLevel {
    init(_ level: InterruptionLevel) {
        switch level {
        case .passive: self = .passive
        case .active: self = .active
        case .timeSensitive: self = .timeSensitive
        case .critical: self = .critical
        }
    }

    var value: InterruptionLevel {
        switch self {
        case .passive: .passive
        case .active: .active
        case .timeSensitive: .timeSensitive
        case .critical: .critical
        }
    }
}

extension UNNotificationContent {
    /// Content with the fields of `value`.
    package convenience init(_ value: NotificationContent) { self.init(fields: ContentFields(value)) }

    /// The current fields as a value, without values in `userInfo` that JSON cannot express, such as a date.
    package var value: NotificationContent { fields.value }
}
