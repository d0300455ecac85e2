import CallKit
import PushKit

/// As Xcode 26 makes a new file: everything is on the main actor, and nothing says so.
package final class CallCoordinator: NSObject, CXProviderDelegate, PKPushRegistryDelegate {
    package private(set) var events: [String] = []
    /// To be called with each event.
    package var changed: ((String) -> Void)?
    private let provider: CXProvider
    private let registry: PKPushRegistry
    private let controller = CXCallController()

    package override init() {
        let configuration = CXProviderConfiguration()
        configuration.supportedHandleTypes = [.generic, .phoneNumber]
        provider = CXProvider(configuration: configuration)
        registry = PKPushRegistry(queue: .main)
        super.init()
        provider.setDelegate(self, queue: nil)
        registry.delegate = self
        registry.desiredPushTypes = [.voIP]
    }

    private func note(_ event: String) {
        events.append(event)
        changed?(event)
    }

    package func providerDidReset(_ provider: CXProvider) { note("reset") }

    package func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        note("answer")
        action.fulfill()
    }

    package func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        note("end")
        action.fulfill()
    }

    package func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { note("audio") }

    package func pushRegistry(
        _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType
    ) {
        note("token")
    }

    package func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: "anna")
        update.localizedCallerName = "Anna"
        provider.reportNewIncomingCall(with: UUID(), update: update) { error in
            print(error?.localizedDescription ?? "reported")
        }
        completion()
    }
}
