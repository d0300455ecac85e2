import BelfryAppleGround

// How code for Swift 3 and 4 spells the words of an app. Source: Apple, UIApplication.h.

/// ``UIApplication/LaunchOptionsKey``.
public typealias UIApplicationLaunchOptionsKey = UIApplication.LaunchOptionsKey
/// ``UIApplication/OpenURLOptionsKey``.
public typealias UIApplicationOpenURLOptionsKey = UIApplication.OpenURLOptionsKey
/// ``UIApplication/State``.
public typealias UIApplicationState = UIApplication.State
/// ``UIApplication/openSettingsURLString``.
public let UIApplicationOpenSettingsURLString = UIApplication.openSettingsURLString
/// ``UIApplication/backgroundFetchIntervalMinimum``.
public let UIApplicationBackgroundFetchIntervalMinimum = UIApplication.backgroundFetchIntervalMinimum
/// ``UIBackgroundTaskIdentifier/invalid``.
public let UIBackgroundTaskInvalid = UIBackgroundTaskIdentifier.invalid

extension NSNotification.Name {
    /// ``UIApplication/didBecomeActiveNotification``.
    public static let UIApplicationDidBecomeActive = UIApplication.didBecomeActiveNotification
    /// ``UIApplication/didEnterBackgroundNotification``.
    public static let UIApplicationDidEnterBackground = UIApplication.didEnterBackgroundNotification
    /// ``UIApplication/didFinishLaunchingNotification``.
    public static let UIApplicationDidFinishLaunching = UIApplication.didFinishLaunchingNotification
    /// ``UIApplication/didReceiveMemoryWarningNotification``.
    public static let UIApplicationDidReceiveMemoryWarning = UIApplication.didReceiveMemoryWarningNotification
    /// ``UIApplication/willEnterForegroundNotification``.
    public static let UIApplicationWillEnterForeground = UIApplication.willEnterForegroundNotification
    /// ``UIApplication/willResignActiveNotification``.
    public static let UIApplicationWillResignActive = UIApplication.willResignActiveNotification
    /// ``UIApplication/willTerminateNotification``.
    public static let UIApplicationWillTerminate = UIApplication.willTerminateNotification
    /// ``UIApplication/significantTimeChangeNotification``.
    public static let UIApplicationSignificantTimeChange = UIApplication.significantTimeChangeNotification
}
