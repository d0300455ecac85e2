import CallKit
import PushKit

/// One class that is everything, with callbacks of Swift 3's time in its comments, and ids of its own.
package class CallCenter: NSObject, PKPushRegistryDelegate, CXProviderDelegate, CXCallObserverDelegate {
    let registry: PKPushRegistry
    let provider: CXProvider
    let observer = CXCallObserver()
    package var token = ""
    package var events: [String] = []
    var uuids: [String: UUID] = [:]
    /// To be called with each event.
    package var changed: ((String) -> Void)?

    package init(queue: DispatchQueue) {
        let config = CXProviderConfiguration()
        config.includesCallsInRecents = false
        config.supportedHandleTypes = Set([.generic])
        provider = CXProvider(configuration: config)
        registry = PKPushRegistry(queue: queue)
        super.init()
        provider.setDelegate(self, queue: queue)
        observer.setDelegate(self, queue: queue)
        registry.delegate = self
        registry.desiredPushTypes = [.voIP]
    }

    func note(_ event: String) {
        events.append(event)
        changed?(event)
    }

    package func pushRegistry(
        _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType
    ) {
        token = pushCredentials.token.map { String(format: "%02x", $0) }.joined()
        note("token")
    }

    package func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {
        note("no token for \(type.rawValue)")
    }

    package func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        guard type == .voIP, let account = payload.dictionaryPayload["account"] as? String else {
            completion()
            return
        }
        let uuid = (payload.dictionaryPayload["uuid"] as? String).flatMap(UUID.init(uuidString:)) ?? UUID()
        uuids[account] = uuid
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: account)
        update.localizedCallerName = payload.dictionaryPayload["name"] as? String ?? "?"
        update.hasVideo = payload.dictionaryPayload["video"] as? Bool ?? false
        provider.reportNewIncomingCall(with: uuid, update: update) { error in
            switch error {
            case CXErrorCodeIncomingCallError.callUUIDAlreadyExists?: self.note("known")
            case let error?: self.note("refused: \((error as NSError).code)")
            case nil: self.note("reported")
            }
            completion()
        }
    }

    package func providerDidReset(_ provider: CXProvider) { note("reset") }
    package func providerDidBegin(_ provider: CXProvider) { note("begin") }

    package func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        note("answer")
        // Media first; it comes later, and from anywhere.
        DispatchQueue.global().async { action.fulfill(withDateConnected: Date()) }
    }

    package func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        note("end")
        provider.reportCall(with: action.callUUID, endedAt: nil, reason: .remoteEnded)
        action.fulfill()
    }

    package func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { note("audio") }
    package func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) { note("no audio") }

    package func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall) {
        note(call.hasEnded ? "ended" : call.hasConnected ? "connected" : "incoming")
    }
}
