import UIKit

class AppDelegate: UIResponder, UIApplicationDelegate {
    private let calls = CallManager()
    private var pushes: PushManager?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        pushes = PushManager(calls: calls)
        if CommandLine.arguments.contains("--asked") { Questions.take(calls) }
        return true
    }
}
