import CallKit
import PushKit
import UIKit

/// Takes calls as apps do, and writes what it hears to the file `told` beside its folder, a line each. `do` of a push
/// says what becomes of its call beyond that.
class CallingDelegate: UIResponder, UIApplicationDelegate {
    private let provider = CXProvider(configuration: CXProviderConfiguration())
    private let registry = PKPushRegistry(queue: .main)

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        tell("launched \(application.applicationState == .background)")
        provider.setDelegate(self, queue: nil)
        try? AVAudioSession.sharedInstance().setCategory(.playAndRecord, mode: .voiceChat)
        registry.delegate = self
        registry.desiredPushTypes = [.voIP]
        return true
    }

    func applicationWillTerminate(_ application: UIApplication) { tell("terminating") }

    private func tell(_ line: String) {
        let path = Bundle.main.bundleURL.deletingLastPathComponent().appendingPathComponent("told").path
        guard let file = fopen(path, "a") else { return }
        fputs(line + "\n", file)
        fclose(file)
    }

    private func report(_ uuid: UUID, _ name: String, _ handle: String, then body: @escaping () -> Void = {}) {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: handle)
        update.localizedCallerName = name
        provider.reportNewIncomingCall(with: uuid, update: update) { error in
            self.tell("reported \(uuid.uuidString) \(error.map { "\(($0 as NSError).code)" } ?? "nil")")
            body()
        }
    }

    private func more(_ what: String?, of uuid: UUID) {
        switch what {
        case "update":
            let update = CXCallUpdate()
            update.localizedCallerName = "Joan"
            update.remoteHandle = CXHandle(type: .generic, value: "joan")
            update.hasVideo = true
            provider.reportCall(with: uuid, updated: update)
        case "alone": report(UUID(), "Alone", "alone")
        case "ended": provider.reportCall(with: uuid, endedAt: nil, reason: .answeredElsewhere)
        default: break
        }
    }
}

extension CallingDelegate: PKPushRegistryDelegate {
    func pushRegistry(_ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType) {
        tell("token \(credentials.token.map { String(format: "%02x", $0) }.joined())")
    }

    func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) { tell("invalid") }

    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        let fields = payload.dictionaryPayload
        let uuid = UUID()
        report(uuid, fields["name"] as? String ?? "Jane", "jane") {
            self.more(fields["do"] as? String, of: uuid)
            completion()
        }
    }
}

extension CallingDelegate: CXProviderDelegate {
    func providerDidReset(_ provider: CXProvider) { tell("reset") }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        tell("answer \(action.callUUID.uuidString)")
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        tell("end \(action.callUUID.uuidString)")
        action.fulfill()
    }

    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { tell("active") }

    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) { tell("inactive") }
}
