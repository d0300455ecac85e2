import CallKit

// As Xcode 13 makes it, and as an author goes on: the file imports CallKit alone, and names what UIKit has.

class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    private var task = UIBackgroundTaskIdentifier.invalid

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        print("launched \(Thread.isMainThread) \(UIApplication.shared.delegate === self)")
        DispatchQueue.main.async {
            self.task = UIApplication.shared.beginBackgroundTask(withName: "call") {
                UIApplication.shared.endBackgroundTask(self.task)
            }
            self.ready()
        }
        return true
    }

    private func ready() {
        MainActor.assumeIsolated { print("ready \(task != .invalid)") }
        if CommandLine.arguments.contains("blocked") {
            print("blocked")
            DispatchSemaphore(value: 0).wait()
        }
    }

    func applicationWillTerminate(_ application: UIApplication) { print("terminating") }
}
