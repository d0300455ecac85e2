import CallKit

/// Two lines and a conference, as apps for the office have them, whose screens follow the system's observer.
package class LineManager: NSObject {
    package enum LineState: String {
        case incoming, dialing, connected, held, disconnected
    }

    private let provider: CXProvider
    private let callController = CXCallController()
    private let callObserver = CXCallObserver()
    package private(set) var lines: [(id: UUID, state: LineState)] = []
    package private(set) var digits = ""
    package private(set) var muted: Set<UUID> = []
    package private(set) var conference: Set<UUID> = []
    package private(set) var audioActive = false
    package var onChange: (() -> Void)?

    package init(queue: DispatchQueue) {
        let configuration = CXProviderConfiguration()
        configuration.maximumCallGroups = 2
        configuration.maximumCallsPerCallGroup = 3
        configuration.supportedHandleTypes = [.phoneNumber]
        provider = CXProvider(configuration: configuration)
        super.init()
        provider.setDelegate(self, queue: queue)
        callObserver.setDelegate(self, queue: queue)
    }

    package func dial(_ number: String) -> UUID {
        let id = UUID()
        let start = CXStartCallAction(call: id, handle: CXHandle(type: .phoneNumber, value: number))
        start.isVideo = false
        request(start)
        return id
    }

    package func hold(_ id: UUID, _ onHold: Bool) { request(CXSetHeldCallAction(call: id, onHold: onHold)) }

    package func mute(_ id: UUID, _ isMuted: Bool) { request(CXSetMutedCallAction(call: id, muted: isMuted)) }

    package func press(_ keys: String, in id: UUID) {
        request(CXPlayDTMFCallAction(call: id, digits: keys, type: .singleTone))
    }

    /// Holds the line that is on, and goes on with the other.
    package func swap() {
        guard let active = lines.first(where: { $0.state == .connected }),
            let held = lines.first(where: { $0.state == .held })
        else { return }
        request(
            CXSetHeldCallAction(call: active.id, onHold: true), CXSetHeldCallAction(call: held.id, onHold: false))
    }

    package func merge(_ id: UUID, with other: UUID) {
        request(CXSetGroupCallAction(call: id, callUUIDToGroupWith: other))
    }

    package func split(_ id: UUID) { request(CXSetGroupCallAction(call: id, callUUIDToGroupWith: nil)) }

    package func endAll() {
        let transaction = CXTransaction()
        for line in lines where line.state != .disconnected { transaction.addAction(CXEndCallAction(call: line.id)) }
        callController.request(transaction) { error in
            if let error = error { print("could not end: \(error.localizedDescription)") }
        }
    }

    private func request(_ actions: CXCallAction...) {
        callController.requestTransaction(with: actions) { [weak self] error in
            if (error as? CXErrorCodeRequestTransactionError)?.code == .maximumCallGroupsReached {
                self?.onChange?()
            }
        }
    }
}

extension LineManager: CXProviderDelegate {
    package func providerDidReset(_ provider: CXProvider) { lines = [] }

    package func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        provider.reportOutgoingCall(with: action.callUUID, startedConnectingAt: Date())
        action.fulfill()
        provider.reportOutgoingCall(with: action.callUUID, connectedAt: Date())
    }

    package func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fulfill() }

    package func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { action.fulfill() }

    package func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
        if action.isMuted { muted.insert(action.callUUID) } else { muted.remove(action.callUUID) }
        action.fulfill()
        onChange?()
    }

    package func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) {
        if let other = action.callUUIDToGroupWith {
            conference.formUnion([action.callUUID, other])
        } else {
            conference.remove(action.callUUID)
        }
        action.fulfill()
        onChange?()
    }

    package func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
        digits += action.digits
        action.fulfill()
        onChange?()
    }

    package func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { audioActive = true }

    package func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) { audioActive = false }
}

extension LineManager: CXCallObserverDelegate {
    package func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall) {
        let state: LineState
        if call.hasEnded {
            state = .disconnected
        } else if call.isOnHold {
            state = .held
        } else if call.hasConnected {
            state = .connected
        } else {
            state = call.isOutgoing ? .dialing : .incoming
        }
        if let index = lines.firstIndex(where: { $0.id == call.uuid }) {
            lines[index].state = state
        } else {
            lines.append((call.uuid, state))
        }
        onChange?()
    }
}
