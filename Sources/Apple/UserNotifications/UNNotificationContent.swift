package import BelfryProtocol

/// How much a notification may interrupt.
public enum UNNotificationInterruptionLevel: UInt, Sendable {
    /// Into the list, without light or sound.
    case passive
    /// At once; the default.
    case active
    /// Through Focus and summaries.
    case timeSensitive
    /// Through the mute switch.
    case critical
}

/// Makes content from content: an intent for `updating(from:)`.
public protocol UNNotificationContentProviding: NSObjectProtocol {}

/// The content of a notification, which does not change. Source: Apple, `UNNotificationContent`.
open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying, NSSecureCoding {
    fileprivate(set) final var fields: ContentFields

    /// Empty content.
    public override init() {
        fields = ContentFields()
        super.init()
    }

    init(fields: ContentFields) {
        self.fields = fields
        super.init()
    }

    /// The files shown with it.
    open var attachments: [UNNotificationAttachment] { fields.attachments }
    /// The app's badge: nil leaves it, 0 removes it.
    open var badge: NSNumber? { fields.badge }
    /// The text.
    open var body: String { fields.body }
    /// The category that names the actions.
    open var categoryIdentifier: String { fields.categoryIdentifier }
    /// The image that the app shows as it starts.
    open var launchImageName: String { fields.launchImageName }
    /// The sound; nil is silence.
    open var sound: UNNotificationSound? { fields.sound }
    /// The second line.
    open var subtitle: String { fields.subtitle }
    /// The identifier that groups notifications.
    open var threadIdentifier: String { fields.threadIdentifier }
    /// The first line.
    open var title: String { fields.title }
    /// The payload, or the developer's values. Numbers and truth values are NSNumber, null is NSNull; containers are
    /// Swift's.
    open var userInfo: [AnyHashable: Any] { fields.userInfo.values }
    /// The text for a summary of several.
    open var summaryArgument: String { fields.summaryArgument }
    /// How many things it stands for in a summary.
    open var summaryArgumentCount: Int { fields.summaryArgumentCount }
    /// The window that opens.
    open var targetContentIdentifier: String? { fields.targetContentIdentifier }
    /// How much it may interrupt.
    open var interruptionLevel: UNNotificationInterruptionLevel { fields.interruptionLevel }
    /// Its place in the summary, from 0 to 1.
    open var relevanceScore: Double { fields.relevanceScore }
    /// The criterion for filters of a Focus.
    open var filterCriteria: String? { fields.filterCriteria }

    /// A copy changed by `provider`; a mutable one if this is mutable.
    ///
    /// - Throws: `UNError.contentProvidingObjectNotAllowed` for a provider that is not an intent.
    open func updating(from provider: any UNNotificationContentProviding) throws -> UNNotificationContent {
        guard let provider = provider as? any ContentUpdating else {
            throw UNError(.contentProvidingObjectNotAllowed)
        }
        let content = UNMutableNotificationContent(fields: fields)
        try provider.update(content)
        return self is UNMutableNotificationContent ? content : UNNotificationContent(fields: content.fields)
    }

    /// A copy that does not change.
    open func copy(with zone: NSZone? = nil) -> Any {
        type(of: self) == UNNotificationContent.self ? self : UNNotificationContent(fields: fields)
    }

    /// A copy that can be changed.
    open func mutableCopy(with zone: NSZone? = nil) -> Any { UNMutableNotificationContent(fields: fields) }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Content in an archive; nil if it holds none.
    public required init?(coder: NSCoder) {
        guard let fields = ContentFields(coder: coder) else { return nil }
        self.fields = fields
        super.init()
    }

    /// Writes the content into an archive.
    open func encode(with coder: NSCoder) { fields.encode(with: coder) }

    /// Whether `object` is content with the same fields.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? UNNotificationContent).map { fields == $0.fields } ?? false
    }

    /// The same for content that is equal.
    open override var hash: Int {
        var hasher = Hasher()
        for text in [fields.title, fields.subtitle, fields.body] { hasher.combine(text) }
        return hasher.finalize()
    }
}

/// Content that can be changed. Source: Apple, `UNMutableNotificationContent`.
open class UNMutableNotificationContent: UNNotificationContent {
    /// The picture of whoever it is from, as an intent gave it.
    package var picture: NotificationAttachment? {
        get { fields.picture }
        set { fields.picture = newValue }
    }
    /// The files shown with it.
    open override var attachments: [UNNotificationAttachment] {
        get { fields.attachments }
        set { fields.attachments = newValue }
    }
    /// The app's badge: nil leaves it, 0 removes it.
    open override var badge: NSNumber? {
        get { fields.badge }
        set { fields.badge = newValue }
    }
    /// The text.
    open override var body: String {
        get { fields.body }
        set { fields.body = newValue }
    }
    /// The category that names the actions.
    open override var categoryIdentifier: String {
        get { fields.categoryIdentifier }
        set { fields.categoryIdentifier = newValue }
    }
    /// The image that the app shows as it starts.
    open override var launchImageName: String {
        get { fields.launchImageName }
        set { fields.launchImageName = newValue }
    }
    /// The sound; nil is silence.
    open override var sound: UNNotificationSound? {
        get { fields.sound }
        set { fields.sound = newValue }
    }
    /// The second line.
    open override var subtitle: String {
        get { fields.subtitle }
        set { fields.subtitle = newValue }
    }
    /// The identifier that groups notifications.
    open override var threadIdentifier: String {
        get { fields.threadIdentifier }
        set { fields.threadIdentifier = newValue }
    }
    /// The first line.
    open override var title: String {
        get { fields.title }
        set { fields.title = newValue }
    }
    /// The payload, or the developer's values: numbers come back as NSNumber.
    open override var userInfo: [AnyHashable: Any] {
        get { fields.userInfo.values }
        set { fields.userInfo = UserInfo(newValue) }
    }
    /// The text for a summary of several.
    open override var summaryArgument: String {
        get { fields.summaryArgument }
        set { fields.summaryArgument = newValue }
    }
    /// How many things it stands for in a summary.
    open override var summaryArgumentCount: Int {
        get { fields.summaryArgumentCount }
        set { fields.summaryArgumentCount = newValue }
    }
    /// The window that opens.
    open override var targetContentIdentifier: String? {
        get { fields.targetContentIdentifier }
        set { fields.targetContentIdentifier = newValue }
    }
    /// How much it may interrupt.
    open override var interruptionLevel: UNNotificationInterruptionLevel {
        get { fields.interruptionLevel }
        set { fields.interruptionLevel = newValue }
    }
    /// Its place in the summary, from 0 to 1.
    open override var relevanceScore: Double {
        get { fields.relevanceScore }
        set { fields.relevanceScore = newValue }
    }
    /// The criterion for filters of a Focus.
    open override var filterCriteria: String? {
        get { fields.filterCriteria }
        set { fields.filterCriteria = newValue }
    }
}

/// A provider of ours, which updates content.
package protocol ContentUpdating: UNNotificationContentProviding {
    /// Changes `content`.
    func update(_ content: UNMutableNotificationContent) throws
}
