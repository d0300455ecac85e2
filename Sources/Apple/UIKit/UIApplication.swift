import BelfryAppleGround
import BelfrySyscalls
import BelfryTerms

/// The app of this process, which is in the background as long as it lives. Source: Apple, `UIApplication`.
@preconcurrency @MainActor
open class UIApplication: UIResponder {
    /// The state of the app.
    public enum State: Int, Sendable {
        /// It is in front.
        case active
        /// It is in front, and something lies over it.
        case inactive
        /// It is not in front.
        case background
    }

    /// Why the app was launched: never told here. Source: Apple, `UIApplication.LaunchOptionsKey`.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        /// Apple's name.
        public let rawValue: String

        /// The key of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An address.
        public static let url = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsURLKey")
        /// The app that asked for it.
        public static let sourceApplication = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsSourceApplicationKey")
        /// A notification.
        public static let remoteNotification = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
        /// A notification of the app's own.
        public static let localNotification = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsLocalNotificationKey")
        /// Activities.
        public static let userActivityDictionary = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsUserActivityDictionaryKey")
        /// The type of an activity.
        public static let userActivityType = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsUserActivityTypeKey")
        /// A place.
        public static let location = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsLocationKey")
        /// Devices by Bluetooth.
        public static let bluetoothCentrals = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsBluetoothCentralsKey")
    }

    /// How an address was opened. Source: Apple, `UIApplication.OpenURLOptionsKey`.
    public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
        /// Apple's name.
        public let rawValue: String

        /// The key of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The app that asked for it.
        public static let sourceApplication = OpenURLOptionsKey(
            rawValue: "UIApplicationOpenURLOptionsSourceApplicationKey")
        /// What that app says.
        public static let annotation = OpenURLOptionsKey(rawValue: "UIApplicationOpenURLOptionsAnnotationKey")
        /// Whether the file must be copied.
        public static let openInPlace = OpenURLOptionsKey(rawValue: "UIApplicationOpenURLOptionsOpenInPlaceKey")
    }

    /// How an address shall be opened. Source: Apple, `UIApplication.OpenExternalURLOptionsKey`.
    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        /// Apple's name.
        public let rawValue: String

        /// The key of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// By an app alone.
        public static let universalLinksOnly = OpenExternalURLOptionsKey(
            rawValue: "UIApplicationOpenURLOptionUniversalLinksOnly")
    }

    /// The app.
    public static let shared = UIApplication()

    /// What learns what becomes of the app; the app holds it.
    public final var delegate: (any UIApplicationDelegate)?

    /// Background.
    open var applicationState: State { .background }
    /// Kept: nothing dims a screen.
    public final var isIdleTimerDisabled = false
    /// Kept, with a warning: no screen shows it.
    open var applicationIconBadgeNumber = 0 {
        didSet { KeeperDoor.warn(.unsupported, "UIApplication.applicationIconBadgeNumber") }
    }
    /// True: files can be read as long as the app lives.
    open var isProtectedDataAvailable: Bool { true }
    /// Available.
    open var backgroundRefreshStatus: UIBackgroundRefreshStatus { .available }
    /// None: there is no screen.
    open var windows: [UIWindow] { [] }
    /// Nil: there is no screen.
    open var keyWindow: UIWindow? { nil }
    /// None: there is no screen.
    open var connectedScenes: Set<UIScene> { [] }
    /// None: there is no screen.
    open var openSessions: Set<UISceneSession> { [] }
    /// False: there is no screen.
    open var supportsMultipleScenes: Bool { false }

    // MARK: Background tasks

    private struct Tasks {
        var open: Set<Int> = []
        var last = 0
    }

    private nonisolated let tasks = LockedValue(Tasks())

    /// Greater than every time: an app that runs stays until it is stopped.
    nonisolated open var backgroundTimeRemaining: TimeInterval { .greatestFiniteMagnitude }

    /// Begins a task. `handler` is never called, since its time does not end.
    nonisolated open func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier { beginBackgroundTask(withName: nil, expirationHandler: handler) }

    /// Begins a task called `taskName`. `handler` is never called, since its time does not end.
    nonisolated open func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        tasks.withLock { tasks in
            tasks.last += 1
            tasks.open.insert(tasks.last)
            return UIBackgroundTaskIdentifier(rawValue: tasks.last)
        }
    }

    /// Ends the task; warns of one that is not open.
    nonisolated open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        let wasOpen = tasks.withLock { $0.open.remove(identifier.rawValue) != nil }
        guard !wasOpen, identifier != .invalid else { return }
        KeeperDoor.warn(.unsupported, "UIApplication.endBackgroundTask(_:): no such task is open")
    }

    // MARK: Other apps

    /// False: nothing here opens addresses.
    open func canOpenURL(_ url: URL) -> Bool { false }

    /// Refused: `completion` gets false.
    open func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        KeeperDoor.warn(.unsupported, "UIApplication.open(_:options:completionHandler:)")
        DispatchQueue.main.async { completion?(false) }
    }

    /// Refused: false.
    open func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]) async -> Bool {
        KeeperDoor.warn(.unsupported, "UIApplication.open(_:options:)")
        return false
    }

    /// Refused: false.
    open func openURL(_ url: URL) -> Bool {
        KeeperDoor.warn(.unsupported, "UIApplication.openURL(_:)")
        return false
    }

    // MARK: Notifications

    /// False: an app has the token of its calls by PushKit alone.
    open var isRegisteredForRemoteNotifications: Bool { false }

    /// Refused: the delegate gets an error, as in a simulator without them.
    open func registerForRemoteNotifications() {
        KeeperDoor.warn(.unsupported, "UIApplication.registerForRemoteNotifications()")
        DispatchQueue.main.async { [self] in
            // Source: Apple, the error of a simulator; the number has no name.
            let error = NSError(
                domain: NSCocoaErrorDomain, code: 3_010,
                userInfo: [NSLocalizedDescriptionKey: "remote notifications are not supported here"])
            delegate?.application(self, didFailToRegisterForRemoteNotificationsWithError: error)
        }
    }

    /// Does nothing, since it never is registered.
    open func unregisterForRemoteNotifications() {}

    /// Does nothing: no headset has buttons for it.
    open func beginReceivingRemoteControlEvents() {}

    /// Does nothing.
    open func endReceivingRemoteControlEvents() {}
}

/// A task of an app's. Source: Apple, `UIBackgroundTaskIdentifier`.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    /// Its number.
    public let rawValue: Int

    /// The task of this number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// No task.
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// Whether an app may fetch something in the background. Source: Apple, `UIBackgroundRefreshStatus`.
public enum UIBackgroundRefreshStatus: Int, Sendable {
    /// It never may.
    case restricted
    /// The person does not want it.
    case denied
    /// It may.
    case available
}

/// What came of fetching something. Source: Apple, `UIBackgroundFetchResult`.
public enum UIBackgroundFetchResult: UInt, Sendable {
    /// Something new.
    case newData
    /// Nothing new.
    case noData
    /// It failed.
    case failed
}
