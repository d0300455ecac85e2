import AVFAudio
import CallKit
import PushKit
import Synchronization
import UIKit

/// An app for tests: it reports what its pushes bring, and does with actions what the test wants.
@MainActor final class Phone: UIResponder, UIApplicationDelegate {
    private let habits: Habits
    private var calls: Calls?
    private var pushes: Pushes?

    required convenience init() { self.init(Habits()) }

    init(_ habits: Habits) {
        self.habits = habits
        super.init()
    }

    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let calls = habits.hasOneProvider ? Calls.shared : Calls()
        calls.habits.withLock { $0 = habits }
        self.calls = calls
        pushes = Pushes(habits, calls)
        return true
    }

    func applicationWillTerminate(_ application: UIApplication) { habits.note("terminated") }
}

/// The app that was made last, if something still holds it.
@MainActor final class LastPhone {
    private(set) weak var phone: Phone?

    func noting(_ phone: Phone) -> Phone {
        self.phone = phone
        return phone
    }
}

/// What an app does, and what happened to it.
final class Habits: Sendable {
    /// When a push is reported.
    enum Report { case atOnce, onNextTurn, never }

    let report: Report
    let settles: Bool
    /// The action that is not settled, if the others are.
    let leavesOpen: String?
    let hasOneProvider: Bool
    private let notes = Mutex<[String]>([])
    /// The tokens that the registry's delegate got.
    let tokens = AsyncStream.makeStream(of: String.self)

    init(
        report: Report = .atOnce, settles: Bool = true, leavesOpen: String? = nil, hasOneProvider: Bool = false
    ) {
        (self.report, self.settles, self.leavesOpen) = (report, settles, leavesOpen)
        self.hasOneProvider = hasOneProvider
    }

    var noted: [String] { notes.withLock { $0 } }

    func note(_ what: String) { notes.withLock { $0.append(what) } }
}

/// The app's provider and its delegate.
final class Calls: NSObject, CXProviderDelegate, Sendable {
    static let shared = Calls()

    let habits = Mutex(Habits())
    private let provider = CXProvider(configuration: CXProviderConfiguration())

    override init() {
        super.init()
        provider.setDelegate(self, queue: nil)
        try? AVAudioSession.sharedInstance().setCategory(.playAndRecord, mode: .voiceChat)
    }

    func report(_ payload: [AnyHashable: Any]) {
        let update = CXCallUpdate()
        update.localizedCallerName = payload["callerName"] as? String ?? "nobody"
        update.remoteHandle = CXHandle(type: .generic, value: payload["handle"] as? String ?? "unknown")
        provider.reportNewIncomingCall(with: UUID(), update: update) { _ in }
    }

    func providerDidReset(_ provider: CXProvider) { note("reset") }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { settle("answer", action) }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) { settle("end", action) }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        settle(action.isOnHold ? "hold" : "resume", action)
    }

    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
        settle(action.isMuted ? "mute" : "unmute", action)
    }

    func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) {
        settle(action.callUUIDToGroupWith == nil ? "ungroup" : "group", action)
    }

    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
        settle("digits \(action.digits)", action)
    }

    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { note("audio") }

    private func settle(_ what: String, _ action: CXAction) {
        note(what)
        if habits.withLock({ $0.settles && $0.leavesOpen != what }) { action.fulfill() }
    }

    private func note(_ what: String) { habits.withLock { $0 }.note(what) }
}

/// The app's registry and its delegate.
final class Pushes: NSObject, PKPushRegistryDelegate, Sendable {
    private let habits: Habits
    private let calls: Calls
    private let registry = PKPushRegistry(queue: .main)

    init(_ habits: Habits, _ calls: Calls) {
        (self.habits, self.calls) = (habits, calls)
        super.init()
        registry.delegate = self
        registry.desiredPushTypes = [.voIP]
    }

    func pushRegistry(
        _ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType
    ) {
        habits.tokens.continuation.yield(credentials.token.map { String(format: "%02x", $0) }.joined())
    }

    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        switch habits.report {
        case .atOnce: calls.report(payload.dictionaryPayload)
        case .onNextTurn: DispatchQueue.main.async { [calls] in calls.report(payload.dictionaryPayload) }
        case .never: break
        }
        completion()
    }
}
