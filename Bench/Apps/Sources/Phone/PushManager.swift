import PushKit

/// Receives the pushes that bring calls.
final class PushManager: NSObject, PKPushRegistryDelegate {
    private let calls: CallManager
    private let registry = PKPushRegistry(queue: .main)

    init(calls: CallManager) {
        self.calls = calls
        super.init()
        registry.delegate = self
        registry.desiredPushTypes = [.voIP]
    }

    func pushRegistry(_ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType) {
        Questions.answer("registered")
    }

    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        calls.report(
            name: payload.dictionaryPayload["callerName"] as? String ?? "unknown",
            handle: payload.dictionaryPayload["handle"] as? String ?? "unknown"
        ) { _ in completion() }
    }
}
