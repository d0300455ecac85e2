/// The options of an action.
public struct UNNotificationActionOptions: OptionSet, Sendable {
    /// The options' bits.
    public let rawValue: UInt

    /// The options of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Needs an unlocked device.
    public static let authenticationRequired = UNNotificationActionOptions(rawValue: 1 << 0)
    /// Is shown as destructive.
    public static let destructive = UNNotificationActionOptions(rawValue: 1 << 1)
    /// Brings the app to the front.
    public static let foreground = UNNotificationActionOptions(rawValue: 1 << 2)
}

/// The options of a category's notifications.
public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    /// The options' bits.
    public let rawValue: UInt

    /// The options of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Report to the app when they are dismissed.
    public static let customDismissAction = UNNotificationCategoryOptions(rawValue: 1 << 0)
    /// Be shown in a car.
    public static let allowInCarPlay = UNNotificationCategoryOptions(rawValue: 1 << 1)
    /// Show the title where previews are hidden.
    public static let hiddenPreviewsShowTitle = UNNotificationCategoryOptions(rawValue: 1 << 2)
    /// Show the subtitle where previews are hidden.
    public static let hiddenPreviewsShowSubtitle = UNNotificationCategoryOptions(rawValue: 1 << 3)
    /// Be read out.
    public static let allowAnnouncement = UNNotificationCategoryOptions(rawValue: 1 << 4)
}

/// The picture of an action.
open class UNNotificationActionIcon: NSObject, NSCopying, NSSecureCoding {
    let name: String
    let isSystemImage: Bool

    /// An image of the app's.
    public convenience init(templateImageName: String) { self.init(templateImageName, isSystemImage: false) }

    /// An image of the system's.
    public convenience init(systemImageName: String) { self.init(systemImageName, isSystemImage: true) }

    init(_ name: String, isSystemImage: Bool) {
        self.name = name
        self.isSystemImage = isSystemImage
        super.init()
    }

    /// Itself: an icon does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// An icon in an archive; nil if it holds none.
    public required init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = name as String
        isSystemImage = coder.decodeBool(forKey: "isSystemImage")
        super.init()
    }

    /// Writes the icon into an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(name as NSString, forKey: "name")
        coder.encode(isSystemImage, forKey: "isSystemImage")
    }
}

/// A button of a notification. Source: Apple, `UNNotificationAction`.
open class UNNotificationAction: NSObject, NSCopying, NSSecureCoding {
    /// The identifier that the app receives.
    public let identifier: String
    /// The button's title.
    public let title: String
    /// Its options.
    public let options: UNNotificationActionOptions
    /// The picture beside the title.
    public let icon: UNNotificationActionIcon?

    /// A button without a picture.
    public convenience init(identifier: String, title: String, options: UNNotificationActionOptions = []) {
        self.init(identifier: identifier, title: title, options: options, icon: nil)
    }

    /// A button.
    public init(
        identifier: String, title: String, options: UNNotificationActionOptions = [], icon: UNNotificationActionIcon?
    ) {
        self.identifier = identifier
        self.title = title
        self.options = options
        self.icon = icon
        super.init()
    }

    /// Itself: an action does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// An action in an archive; nil if it holds none.
    public required init?(coder: NSCoder) {
        guard let identifier = coder.decodeObject(of: NSString.self, forKey: "identifier"),
            let title = coder.decodeObject(of: NSString.self, forKey: "title")
        else { return nil }
        self.identifier = identifier as String
        self.title = title as String
        options = UNNotificationActionOptions(rawValue: UInt(bitPattern: coder.decodeInteger(forKey: "options")))
        icon = coder.decodeObject(of: UNNotificationActionIcon.self, forKey: "icon")
        super.init()
    }

    /// Writes the action into an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(identifier as NSString, forKey: "identifier")
        coder.encode(title as NSString, forKey: "title")
        coder.encode(Int(bitPattern: options.rawValue), forKey: "options")
        coder.encode(icon, forKey: "icon")
    }
}

/// A button that asks for text.
open class UNTextInputNotificationAction: UNNotificationAction {
    /// The title of the button that sends the text.
    public let textInputButtonTitle: String
    /// The text shown before anything is written.
    public let textInputPlaceholder: String

    /// A button without a picture.
    public convenience init(
        identifier: String, title: String, options: UNNotificationActionOptions = [], textInputButtonTitle: String,
        textInputPlaceholder: String
    ) {
        self.init(
            identifier: identifier, title: title, options: options, icon: nil,
            textInputButtonTitle: textInputButtonTitle, textInputPlaceholder: textInputPlaceholder)
    }

    /// A button.
    public init(
        identifier: String, title: String, options: UNNotificationActionOptions = [], icon: UNNotificationActionIcon?,
        textInputButtonTitle: String, textInputPlaceholder: String
    ) {
        self.textInputButtonTitle = textInputButtonTitle
        self.textInputPlaceholder = textInputPlaceholder
        super.init(identifier: identifier, title: title, options: options, icon: icon)
    }

    /// An action in an archive; nil if it holds none.
    public required init?(coder: NSCoder) {
        guard let title = coder.decodeObject(of: NSString.self, forKey: "textInputButtonTitle"),
            let placeholder = coder.decodeObject(of: NSString.self, forKey: "textInputPlaceholder")
        else { return nil }
        textInputButtonTitle = title as String
        textInputPlaceholder = placeholder as String
        super.init(coder: coder)
    }

    /// Writes the action into an archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(textInputButtonTitle as NSString, forKey: "textInputButtonTitle")
        coder.encode(textInputPlaceholder as NSString, forKey: "textInputPlaceholder")
    }
}

/// A kind of notification, with its buttons. Source: Apple, `UNNotificationCategory`.
open class UNNotificationCategory: NSObject, NSCopying, NSSecureCoding {
    /// The identifier by which notifications name it.
    public let identifier: String
    /// The buttons.
    public let actions: [UNNotificationAction]
    /// The intents that it belongs to.
    public let intentIdentifiers: [String]
    /// Its options.
    public let options: UNNotificationCategoryOptions
    /// The text shown where previews are hidden.
    public let hiddenPreviewsBodyPlaceholder: String
    /// The format of a summary of several.
    public let categorySummaryFormat: String

    /// A kind of notification.
    public convenience init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {
        self.init(
            identifier: identifier, actions: actions, intentIdentifiers: intentIdentifiers,
            hiddenPreviewsBodyPlaceholder: nil, categorySummaryFormat: nil, options: options)
    }

    /// A kind of notification with a text for hidden previews.
    public convenience init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        hiddenPreviewsBodyPlaceholder: String, options: UNNotificationCategoryOptions = []
    ) {
        self.init(
            identifier: identifier, actions: actions, intentIdentifiers: intentIdentifiers,
            hiddenPreviewsBodyPlaceholder: hiddenPreviewsBodyPlaceholder, categorySummaryFormat: nil,
            options: options)
    }

    /// A kind of notification that also has a format for its summary.
    public init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        hiddenPreviewsBodyPlaceholder: String?, categorySummaryFormat: String?,
        options: UNNotificationCategoryOptions = []
    ) {
        self.identifier = identifier
        self.actions = actions
        self.intentIdentifiers = intentIdentifiers
        self.hiddenPreviewsBodyPlaceholder = hiddenPreviewsBodyPlaceholder ?? ""
        self.categorySummaryFormat = categorySummaryFormat ?? ""
        self.options = options
        super.init()
    }

    /// Itself: a category does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// A category in an archive; nil if it holds none.
    public required init?(coder: NSCoder) {
        func text(_ key: String) -> String? { coder.decodeObject(of: NSString.self, forKey: key).map { $0 as String } }
        let kinds = [NSArray.self, UNNotificationAction.self, UNTextInputNotificationAction.self]
        guard let identifier = text("identifier"),
            let actions = coder.decodeObject(of: kinds, forKey: "actions") as? [UNNotificationAction],
            let intents = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "intents") as? [String]
        else { return nil }
        self.identifier = identifier
        self.actions = actions
        intentIdentifiers = intents
        hiddenPreviewsBodyPlaceholder = text("hiddenPreviewsBodyPlaceholder") ?? ""
        categorySummaryFormat = text("categorySummaryFormat") ?? ""
        options = UNNotificationCategoryOptions(rawValue: UInt(bitPattern: coder.decodeInteger(forKey: "options")))
        super.init()
    }

    /// Writes the category into an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(identifier as NSString, forKey: "identifier")
        coder.encode(actions as NSArray, forKey: "actions")
        coder.encode(intentIdentifiers as NSArray, forKey: "intents")
        coder.encode(hiddenPreviewsBodyPlaceholder as NSString, forKey: "hiddenPreviewsBodyPlaceholder")
        coder.encode(categorySummaryFormat as NSString, forKey: "categorySummaryFormat")
        coder.encode(Int(bitPattern: options.rawValue), forKey: "options")
    }

    /// Whether `object` is a category with the same identifier: a set holds one of each.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? UNNotificationCategory)?.identifier == identifier
    }

    /// The same for categories that are equal.
    open override var hash: Int { identifier.hashValue }
}
