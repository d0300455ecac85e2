import CallKit
import PushKit
import UIKit

/// An app that is as its `Info.plist` says. `Registry`: `deaf`, without a receive method, or `queue`, with one of its
/// own. `Ringtone`: the file that rings. `Late`: its `registry` or its `delegate`, which comes with SIGUSR1; or
/// `launch`, the first of which fails. `Plays`: a sound, from the first answer until SIGUSR1.
final class AppDelegate: NSObject, UIApplicationDelegate {
    private let calls = Calls()
    private lazy var receiver = Receiver(calls)
    private let deaf = Deaf()
    private var registry: PKPushRegistry?
    private var signals: (any DispatchSourceSignal)?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let late = Bundle.main.object(forInfoDictionaryKey: "Late") as? String
        let isFirst = !FileManager.default.fileExists(atPath: toldPath)
        tell("launched")
        if late == "launch", isFirst { exit(3) }
        if late != "delegate" { calls.begin() }
        if late != "registry" { register() }
        let signals = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .main)
        signals.setEventHandler {
            switch late {
            case "registry": self.register()
            case nil: self.calls.stopPlaying()
            default: self.calls.begin()
            }
        }
        signals.resume()
        self.signals = signals
        return true
    }

    private func register() {
        let kind = Bundle.main.object(forInfoDictionaryKey: "Registry") as? String
        let registry = PKPushRegistry(queue: kind == "queue" ? DispatchQueue(label: "pushes") : nil)
        registry.delegate = kind == "deaf" ? deaf : receiver
        registry.desiredPushTypes = [.voIP]
        self.registry = registry
    }
}

// One that comes before it is listened to waits.
var awaited = sigset_t()
sigemptyset(&awaited)
sigaddset(&awaited, SIGUSR1)
pthread_sigmask(SIG_BLOCK, &awaited, nil)
UIApplication.run(AppDelegate())
