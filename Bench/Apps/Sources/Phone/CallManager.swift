import CallKit

/// Reports calls to the system, and does what the person chooses.
final class CallManager: NSObject, CXProviderDelegate {
    private let provider: CXProvider
    private var calls: Set<UUID> = []

    override init() {
        let configuration = CXProviderConfiguration()
        configuration.supportedHandleTypes = [.generic, .phoneNumber]
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

    /// Ends all calls as their callers do.
    func endAll() {
        for uuid in calls { provider.reportCall(with: uuid, endedAt: nil, reason: .remoteEnded) }
        calls = []
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

    func providerDidReset(_ provider: CXProvider) { calls = [] }
}
