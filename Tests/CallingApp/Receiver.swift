import PushKit

/// Reports each push's call as its payload says.
final class Receiver: NSObject, PKPushRegistryDelegate {
    private let calls: Calls

    init(_ calls: Calls) { self.calls = calls }

    func pushRegistry(_ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType) {
        tell("token")
    }

    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        let calls = calls
        tell("push")
        switch payload.dictionaryPayload["how"] as? String {
        case "in a task": Task { @MainActor in calls.report(payload) }
        case "detached":
            Task.detached {
                await MainActor.run {}
                calls.report(payload)
            }
        case "after 200 ms": DispatchQueue.main.asyncAfter(deadline: .now() + 0.2) { calls.report(payload) }
        case "on a queue": DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { calls.report(payload) }
        case "after the patience": DispatchQueue.main.asyncAfter(deadline: .now() + 3.5) { calls.report(payload) }
        case "never": break
        case "without completion": return calls.report(payload)
        case "asks": calls.ask(payload)
        case "ends":
            calls.report(payload)
            calls.end(payload)
        case "requests":
            calls.report(payload)
            calls.request(payload)
        case "dies": exit(3)
        default: calls.report(payload)
        }
        completion()
    }
}

/// Has no method that receives a push.
final class Deaf: NSObject, PKPushRegistryDelegate {
    func pushRegistry(_ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType) {
        tell("token")
    }
}
