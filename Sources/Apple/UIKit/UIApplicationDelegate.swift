import BelfryAppleGround

/// Learns what becomes of an app. Each method is called on the main thread; one that is missing does nothing. Source:
/// Apple, `UIApplicationDelegate`.
///
/// As the first thing in the app's process, `application(_:willFinishLaunchingWithOptions:)` and then
/// `application(_:didFinishLaunchingWithOptions:)` are called, without options; as the last, unless it is killed,
/// ``applicationWillTerminate(_:)``. An app is in the background as long as it lives, so that nothing calls the methods
/// about its front, about addresses and about activities yet.
@preconcurrency @MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    /// The app is being launched. What it returns says if it can open what it was launched for: there is never any.
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// The app is launched: it makes its registry and its provider. What it returns says if it can open what it was
    /// launched for: there is never any.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// The app is launched; called if the other form is missing.
    func applicationDidFinishLaunching(_ application: UIApplication)

    /// The app is in front.
    func applicationDidBecomeActive(_ application: UIApplication)
    /// The app is about to be in front no longer.
    func applicationWillResignActive(_ application: UIApplication)
    /// The app is in the background.
    func applicationDidEnterBackground(_ application: UIApplication)
    /// The app is about to be in front.
    func applicationWillEnterForeground(_ application: UIApplication)
    /// The app's process is about to end; it has five seconds.
    func applicationWillTerminate(_ application: UIApplication)
    /// Memory is short.
    func applicationDidReceiveMemoryWarning(_ application: UIApplication)
    /// It is midnight, or the clock was set.
    func applicationSignificantTimeChange(_ application: UIApplication)
    /// Protected files can be read.
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)
    /// Protected files can soon be read no longer.
    func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication)

    /// Opens an address.
    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]
    ) -> Bool
    /// Whether the app takes up activities of this type itself.
    func application(
        _ application: UIApplication, willContinueUserActivityWithType userActivityType: String
    ) -> Bool
    /// Takes up an activity.
    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool
    /// Takes up an activity, as code for Swift 3 and 4 has it; called if the other form is missing.
    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([Any]?) -> Void
    ) -> Bool
    /// An activity could not be taken up.
    func application(
        _ application: UIApplication, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
    )
    /// An activity has changed.
    func application(_ application: UIApplication, didUpdate userActivity: NSUserActivity)

    /// The app has a token for alerts.
    func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
    /// The app has no token for alerts.
    func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
    /// A notification came.
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
    /// A background session has events.
    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void)
    /// It is time to fetch something.
    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)

    /// What the person chose at the app's picture.
    func application(
        _ application: UIApplication, performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void)
    /// How the app may be held.
    func application(
        _ application: UIApplication, supportedInterfaceOrientationsFor window: UIWindow?
    ) -> UIInterfaceOrientationMask

    /// How a scene is made.
    func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration
    /// Scenes were closed.
    func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>)
}
