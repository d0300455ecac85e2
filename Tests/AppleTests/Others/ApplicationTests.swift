import BelfryAppleGround
import Support
import Synchronization
import Testing
import UIKit
@testable import Intents

/// The app of a process: what its delegate is called for, and what it refuses.
@MainActor @Suite struct ApplicationTests {
    private let application = UIApplication()

    private final class Modern: UIResponder, UIApplicationDelegate {
        var seen: [String] = []

        func application(
            _ application: UIApplication,
            willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
        ) -> Bool {
            seen.append("will \(launchOptions == nil)")
            return true
        }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            seen.append("did \(application.delegate === self) \(application.applicationState == .background)")
            return true
        }

        func applicationDidFinishLaunching(_ application: UIApplication) { seen.append("old") }
        func applicationWillTerminate(_ application: UIApplication) { seen.append("end") }

        func application(
            _ application: UIApplication, continue userActivity: NSUserActivity,
            restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
        ) -> Bool {
            let intent = userActivity.interaction?.intent as? INStartAudioCallIntent
            seen.append("continue \(intent?.contacts?.first?.personHandle?.value ?? "")")
            restorationHandler([self])
            return true
        }

        func application(_ app: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error) {
            seen.append("no token \((error as NSError).code)")
        }
    }

    /// A delegate that is no responder, in the spellings of Swift 4.
    private final class OfOld: NSObject, UIApplicationDelegate {
        var seen: [String] = []

        func applicationDidFinishLaunching(_ application: UIApplication) { seen.append("old") }

        func application(
            _ application: UIApplication, continue userActivity: NSUserActivity,
            restorationHandler: @escaping ([Any]?) -> Void
        ) -> Bool {
            restorationHandler([UIResponder(), 1])
            return true
        }

        func application(
            _ app: UIApplication, open url: URL, options: [UIApplicationOpenURLOptionsKey: Any] = [:]
        ) -> Bool { url.scheme == "tel" }
    }

    @Test("an app is launched without options, in the background, and learns of its end") func launch() {
        let delegate = Modern()
        let posted = Mutex<[String]>([])
        let observers = [UIApplication.didFinishLaunchingNotification, .UIApplicationWillTerminate].map { name in
            NotificationCenter.default.addObserver(forName: name, object: application, queue: nil) { note in
                posted.withLock { $0.append(note.name.rawValue) }
            }
        }
        application.launch(delegate)
        #expect(delegate.seen == ["will true", "did true true"])
        #expect(posted.withLock { $0 } == ["UIApplicationDidFinishLaunchingNotification"])
        application.terminate()
        #expect(delegate.seen.last == "end" && application.delegate === delegate)
        #expect(posted.withLock { $0 }.last == "UIApplicationWillTerminateNotification")
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }

    @Test("what a delegate lacks does nothing, and the older forms of a method are called for the newer ones")
    func missing() {
        let delegate = OfOld()
        application.launch(delegate)
        #expect(delegate.seen == ["old"])
        var restored = 0
        let restore: ([any UIUserActivityRestoring]?) -> Void = { restored = $0?.count ?? 0 }
        let activity = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
        #expect(delegate.application(application, continue: activity, restorationHandler: restore))
        #expect(restored == 1)
        let isOpened = delegate.application(application, open: URL(fileURLWithPath: "/"), options: [:])
        #expect(!isOpened)
        let none = UIResponderDelegate()
        #expect(!none.application(application, continue: activity, restorationHandler: restore))
    }

    private final class UIResponderDelegate: UIResponder, UIApplicationDelegate {}

    @Test("an activity brings the call that the person wants") func activity() {
        let handle = INPersonHandle(value: "+4930123", type: .phoneNumber)
        let person = INPerson(
            personHandle: handle, nameComponents: nil, displayName: "Anna", image: nil, contactIdentifier: nil,
            customIdentifier: nil)
        let activity = NSUserActivity(activityType: INStartAudioCallIntentIdentifier)
        #expect(activity.interaction == nil)
        activity.interactionObject = INInteraction(intent: INStartAudioCallIntent(contacts: [person]), response: nil)
        let delegate = Modern()
        let restore: ([any UIUserActivityRestoring]?) -> Void = { #expect($0?.count == 1) }
        #expect(delegate.application(application, continue: activity, restorationHandler: restore))
        #expect(delegate.seen == ["continue +4930123"])
        let video = INStartVideoCallIntent(contacts: [person])
        #expect(video.donation == ["intent": "INStartVideoCallIntent", "contacts": "Anna"])
        activity.addUserInfoEntries(from: ["a": 1])
        activity.addUserInfoEntries(from: ["a": 2, "b": 3])
        #expect(activity.userInfo as? [String: Int] == ["a": 2, "b": 3])
    }

    @Test("a background task has a number of its own, and its time does not end") func tasks() {
        let first = application.beginBackgroundTask()
        let second = application.beginBackgroundTask(withName: "call") {}
        #expect(first != second && first != .invalid && second != UIBackgroundTaskInvalid)
        application.endBackgroundTask(first)
        application.endBackgroundTask(.invalid)
        #expect(application.backgroundTimeRemaining > 1_000_000)
    }

    @Test("addresses are not opened, and there is no token for alerts") func refused() async throws {
        let url = try #require(URL(string: UIApplicationOpenSettingsURLString))
        #expect(!application.canOpenURL(url))
        #expect(await !application.open(url))
        let isOpened = await withCheckedContinuation { continuation in
            application.open(url) { continuation.resume(returning: $0) }
        }
        #expect(!isOpened)
        let delegate = Modern()
        application.delegate = delegate
        application.registerForRemoteNotifications()
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(delegate.seen == ["no token 3010"] && !application.isRegisteredForRemoteNotifications)
    }

    @Test("the device has no sensor of what is near, whatever is asked for") func device() {
        UIDevice.current.isProximityMonitoringEnabled = true
        #expect(!UIDevice.current.isProximityMonitoringEnabled && !UIDevice.current.proximityState)
        #expect(UIDevice.current.batteryState == .unknown)
    }

    /// As the samples of many have it: a screen that is a delegate of calls as well.
    private final class Screen: UIViewController {
        var loads = 0

        override func viewDidLoad() {
            super.viewDidLoad()
            loads += 1
            view.backgroundColor = .white
            title = "Calls"
        }

        override func viewWillAppear(_ animated: Bool) { super.viewWillAppear(animated) }
    }

    @Test("a screen is a value: its view is made once, and nothing appears") func screens() {
        let screen = Screen()
        #expect(!screen.isViewLoaded && screen.presentedViewController == nil)
        #expect(screen.view.backgroundColor == .white && screen.view === screen.viewIfLoaded)
        #expect(screen.loads == 1 && screen.title == "Calls")
        let alert = UIAlertController(title: "Call", message: nil, preferredStyle: .alert)
        alert.addAction(UIAlertAction(title: "End", style: .destructive))
        #expect(alert.actions.map(\.title) == ["End"] && alert.title == "Call" && alert.message == nil)
        var isDismissed = false
        screen.dismiss(animated: true) { isDismissed = true }
        #expect(isDismissed)
        let scene = UIWindowScene()
        let window = UIWindow(windowScene: scene)
        window.isHidden = true
        #expect(window.windowScene === scene && window.isHidden && window.frame == UIScreen.main.bounds)
        #expect(scene.keyWindow == nil && scene.activationState == .unattached)
    }

    @Test("a delegate says how it may be held, and what a choice does; the device stays upright") func held() async {
        let delegate = Modern()
        #expect(
            delegate.application(application, supportedInterfaceOrientationsFor: nil) == [.portrait, .landscape])
        let item = UIApplicationShortcutItem(type: "call", localizedTitle: "Call")
        #expect(item.localizedSubtitle == nil)
        var isDone: Bool?
        delegate.application(application, performActionFor: item) { isDone = $0 }
        #expect(isDone == false)
        UIDevice.current.beginGeneratingDeviceOrientationNotifications()
        #expect(UIDevice.current.orientation.isPortrait && !UIDevice.current.orientation.isLandscape)
        #expect(!UIDevice.current.isGeneratingDeviceOrientationNotifications)
        #expect(UIInterfaceOrientationMask.all.rawValue == 30 && UIInterfaceOrientationMask.portrait.rawValue == 2)
    }

    @Test("pictures by the spellings that calling code has") func pictures() {
        #expect(UIImagePNGRepresentation(#imageLiteral(resourceName: "nothing")) == nil)
        let literal = #imageLiteral(resourceName: "nothing")
        #expect(literal.cgImage == nil && literal.withRenderingMode(.alwaysTemplate) === literal)
        #expect(UIImageJPEGRepresentation(literal, 0.5) == nil && UIImage(systemName: "phone") == nil)
        #expect(UIImage(named: "nothing", in: Bundle(for: Screen.self), compatibleWith: nil) == nil)
    }
}
