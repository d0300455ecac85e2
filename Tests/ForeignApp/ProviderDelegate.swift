import CallKit

/// As Apple's own sample has it: a delegate, a manager and calls, which import nothing but CallKit.
package final class ProviderDelegate: NSObject, CXProviderDelegate {
    let callManager: CallManager
    private let provider: CXProvider

    package init(callManager: CallManager, queue: DispatchQueue? = nil) {
        self.callManager = callManager
        provider = CXProvider(configuration: type(of: self).providerConfiguration)

        super.init()

        provider.setDelegate(self, queue: queue)
    }

    static let providerConfiguration: CXProviderConfiguration = {
        let providerConfiguration = CXProviderConfiguration()
        providerConfiguration.supportsVideo = true
        providerConfiguration.maximumCallsPerCallGroup = 1
        providerConfiguration.supportedHandleTypes = [.phoneNumber, .generic]
        providerConfiguration.ringtoneSound = "Ringtone.caf"
        return providerConfiguration
    }()

    /// Use CXProvider to report the incoming call to the system.
    package func reportIncomingCall(
        uuid: UUID, handle: String, hasVideo: Bool = false, completion: ((Error?) -> Void)? = nil
    ) {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .phoneNumber, value: handle)
        update.localizedCallerName = "Jane"
        update.hasVideo = hasVideo

        provider.reportNewIncomingCall(with: uuid, update: update) { error in
            if error == nil {
                let call = PhoneCall(uuid: uuid)
                call.handle = handle
                self.callManager.addCall(call)
            }
            completion?(error)
        }
    }

    // MARK: CXProviderDelegate

    package func providerDidReset(_ provider: CXProvider) {
        for call in callManager.calls { call.end() }
        callManager.removeAllCalls()
    }

    package func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        let call = PhoneCall(uuid: action.callUUID, isOutgoing: true)
        call.handle = action.handle.value
        callManager.addCall(call)
        provider.reportOutgoingCall(with: call.uuid, startedConnectingAt: nil)
        provider.reportOutgoingCall(with: call.uuid, connectedAt: Date())
        action.fulfill()
    }

    package func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        configureAudioSession()
        call.answer()
        action.fulfill()
    }

    package func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        call.end()
        action.fulfill()
        callManager.removeCall(call)
    }

    package func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        guard let call = callManager.callWithUUID(uuid: action.callUUID) else {
            action.fail()
            return
        }
        call.isOnHold = action.isOnHold
        action.fulfill()
    }

    package func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
        print("Timed out \(#function)")
    }

    package func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {
        callManager.isAudioOn = true
    }

    package func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {
        callManager.isAudioOn = false
    }

    private func configureAudioSession() {
        let session = AVAudioSession.sharedInstance()
        do {
            try session.setCategory(.playAndRecord, mode: .voiceChat, options: [])
        } catch {
            print("Error while configuring audio session: \(error)")
        }
    }
}

package final class PhoneCall {
    package let uuid: UUID
    package let isOutgoing: Bool
    package var handle: String?
    package var isOnHold = false
    package private(set) var state = "connecting"

    init(uuid: UUID, isOutgoing: Bool = false) {
        self.uuid = uuid
        self.isOutgoing = isOutgoing
    }

    func answer() { state = "active" }
    func end() { state = "ended" }
}

package final class CallManager: NSObject {
    package let callController = CXCallController()
    package private(set) var calls = [PhoneCall]()
    package var isAudioOn = false

    package override init() { super.init() }

    package func startCall(handle: String, video: Bool = false) {
        let handle = CXHandle(type: .phoneNumber, value: handle)
        let startCallAction = CXStartCallAction(call: UUID(), handle: handle)
        startCallAction.isVideo = video
        let transaction = CXTransaction()
        transaction.addAction(startCallAction)
        requestTransaction(transaction)
    }

    package func end(call: PhoneCall) {
        let transaction = CXTransaction()
        transaction.addAction(CXEndCallAction(call: call.uuid))
        requestTransaction(transaction)
    }

    package func setHeld(call: PhoneCall, onHold: Bool) {
        requestTransaction(CXTransaction(action: CXSetHeldCallAction(call: call.uuid, onHold: onHold)))
    }

    private func requestTransaction(_ transaction: CXTransaction, action: String = "") {
        callController.request(transaction) { error in
            if let error = error as? CXErrorCodeRequestTransactionError {
                print("Error requesting transaction: \(error.code)")
            } else {
                print("Requested transaction successfully")
            }
        }
    }

    package func callWithUUID(uuid: UUID) -> PhoneCall? { calls.first { $0.uuid == uuid } }
    func addCall(_ call: PhoneCall) { calls.append(call) }
    func removeCall(_ call: PhoneCall) { calls.removeAll { $0 === call } }
    func removeAllCalls() { calls.removeAll() }
}
