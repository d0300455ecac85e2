/// The permissions that an app asks for.
public struct UNAuthorizationOptions: OptionSet, Sendable {
    /// The options' bits.
    public let rawValue: UInt

    /// The options of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A badge.
    public static let badge = UNAuthorizationOptions(rawValue: 1 << 0)
    /// Sounds.
    public static let sound = UNAuthorizationOptions(rawValue: 1 << 1)
    /// Alerts.
    public static let alert = UNAuthorizationOptions(rawValue: 1 << 2)
    /// Notifications in a car.
    public static let carPlay = UNAuthorizationOptions(rawValue: 1 << 3)
    /// Sounds through the mute switch.
    public static let criticalAlert = UNAuthorizationOptions(rawValue: 1 << 4)
    /// A link to settings of the app's own.
    public static let providesAppNotificationSettings = UNAuthorizationOptions(rawValue: 1 << 5)
    /// Quiet notifications, without a question to the person.
    public static let provisional = UNAuthorizationOptions(rawValue: 1 << 6)
    /// Being read out.
    public static let announcement = UNAuthorizationOptions(rawValue: 1 << 7)
    /// Alerts through Focus.
    public static let timeSensitive = UNAuthorizationOptions(rawValue: 1 << 8)
}

/// How a notification is shown while the app is in front.
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    /// The options' bits.
    public let rawValue: UInt

    /// The options of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// By the badge.
    public static let badge = UNNotificationPresentationOptions(rawValue: 1 << 0)
    /// By its sound.
    public static let sound = UNNotificationPresentationOptions(rawValue: 1 << 1)
    /// By an alert.
    public static let alert = UNNotificationPresentationOptions(rawValue: 1 << 2)
    /// In the list.
    public static let list = UNNotificationPresentationOptions(rawValue: 1 << 3)
    /// By a banner.
    public static let banner = UNNotificationPresentationOptions(rawValue: 1 << 4)
}

/// Whether an app may notify.
public enum UNAuthorizationStatus: Int, Sendable {
    /// The person was not asked.
    case notDetermined
    /// It may not.
    case denied
    /// It may.
    case authorized
    /// It may, quietly.
    case provisional
    /// It may for a while.
    case ephemeral
}

/// Whether one kind of notifying is on.
public enum UNNotificationSetting: Int, Sendable {
    /// The device or the app does not have it.
    case notSupported
    /// It is off.
    case disabled
    /// It is on.
    case enabled
}

/// How alerts look.
public enum UNAlertStyle: Int, Sendable {
    /// Not at all.
    case none
    /// They disappear by themselves.
    case banner
    /// They stay.
    case alert
}

/// When previews are shown.
public enum UNShowPreviewsSetting: Int, Sendable {
    /// Always.
    case always
    /// While the device is unlocked.
    case whenAuthenticated
    /// Never.
    case never
}

/// What an app may do. On Linux nothing restricts it: all that exists is on. Source: Apple, `UNNotificationSettings`.
open class UNNotificationSettings: NSObject, NSCopying, NSSecureCoding {
    /// Whether the app may notify.
    public let authorizationStatus: UNAuthorizationStatus

    init(authorizationStatus: UNAuthorizationStatus) {
        self.authorizationStatus = authorizationStatus
        super.init()
    }

    private var whatThereIs: UNNotificationSetting { authorizationStatus == .denied ? .disabled : .enabled }

    /// Sounds.
    open var soundSetting: UNNotificationSetting { whatThereIs }
    /// The badge.
    open var badgeSetting: UNNotificationSetting { whatThereIs }
    /// Alerts.
    open var alertSetting: UNNotificationSetting { whatThereIs }
    /// The list of notifications.
    open var notificationCenterSetting: UNNotificationSetting { whatThereIs }
    /// The lock screen.
    open var lockScreenSetting: UNNotificationSetting { .notSupported }
    /// The car.
    open var carPlaySetting: UNNotificationSetting { .notSupported }
    /// Sounds through the mute switch.
    open var criticalAlertSetting: UNNotificationSetting { .notSupported }
    /// Being read out.
    open var announcementSetting: UNNotificationSetting { .notSupported }
    /// Alerts through Focus.
    open var timeSensitiveSetting: UNNotificationSetting { whatThereIs }
    /// Delivery with a summary.
    open var scheduledDeliverySetting: UNNotificationSetting { .notSupported }
    /// Direct messages in a summary.
    open var directMessagesSetting: UNNotificationSetting { .notSupported }
    /// How alerts look.
    open var alertStyle: UNAlertStyle { authorizationStatus == .denied ? .none : .banner }
    /// When previews are shown.
    open var showPreviewsSetting: UNShowPreviewsSetting { .always }
    /// Whether the app has settings of its own.
    open var providesAppNotificationSettings: Bool { false }

    /// Themselves: settings do not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Settings in an archive.
    public required init?(coder: NSCoder) {
        authorizationStatus =
            UNAuthorizationStatus(rawValue: coder.decodeInteger(forKey: "authorizationStatus")) ?? .notDetermined
        super.init()
    }

    /// Writes the settings into an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(authorizationStatus.rawValue, forKey: "authorizationStatus")
    }
}
