import CallKit

/// Reports calls to the system, and does what the person chooses.
final class CallManager: NSObject, CXProviderDelegate {
    private let provider: CXProvider
    private let controller = CXCallController(queue: .main)
    private var calls: Set<UUID> = []
    private var isMuted = false

    override init() {
        let configuration = CXProviderConfiguration()
        configuration.supportedHandleTypes = [.generic, .phoneNumber]
        configuration.maximumCallGroups = 100
        let tune = Bundle.main.object(forInfoDictionaryKey: "Ringtone") as? String
        configuration.ringtoneSound = tune.flatMap { $0.isEmpty ? nil : $0 }
        provider = CXProvider(configuration: configuration)
        super.init()
        provider.setDelegate(self, queue: nil)
    }

    func report(name: String, handle: String, completion: @escaping (Error?) -> Void) {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .phoneNumber, value: handle)
        update.localizedCallerName = name
        let uuid = UUID()
        calls.insert(uuid)
        provider.reportNewIncomingCall(with: uuid, update: update) { completion($0) }
    }

    /// Calls somebody, who answers at once.
    func start(completion: @escaping (Error?) -> Void) {
        let uuid = UUID()
        calls.insert(uuid)
        let action = CXStartCallAction(call: uuid, handle: CXHandle(type: .phoneNumber, value: "+1234567890"))
        controller.request(CXTransaction(action: action)) { [provider] error in
            provider.reportOutgoingCall(with: uuid, connectedAt: nil)
            completion(error)
        }
    }

    /// Mutes its only call, or no longer.
    func mute(completion: @escaping (Error?) -> Void) {
        isMuted.toggle()
        let action = CXSetMutedCallAction(call: calls.first ?? UUID(), muted: isMuted)
        controller.request(CXTransaction(action: action)) { completion($0) }
    }

    /// Ends all calls as their callers do.
    func endAll() {
        for uuid in calls { provider.reportCall(with: uuid, endedAt: nil, reason: .remoteEnded) }
        (calls, isMuted) = ([], false)
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        let instant = Questions.now
        action.fulfill()
        Questions.answer("answer \(instant)")
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        calls.remove(action.callUUID)
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) { action.fulfill() }

    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) { action.fulfill() }

    func providerDidReset(_ provider: CXProvider) { calls = [] }
}
