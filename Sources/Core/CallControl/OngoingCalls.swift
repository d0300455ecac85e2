public import BelfryProtocol
import BelfryTerms
import CallChannel

// The calls that go on, as desktop and commands know them (C16).
extension CallStateMachine {
    /// The calls that were answered or begun and whose end nobody has asked for, the oldest first.
    public var ongoing: [OngoingCall] { calls.filter { $0.state == .ongoing }.map(ongoing) }

    /// Says what has changed of them since it was said last.
    mutating func showOngoing() {
        let going = ongoing
        for call in shown where !going.contains(where: { $0.uuid == call.uuid }) {
            effects.append(.goesOnNoLonger(call))
        }
        let known = Dictionary(shown.map { ($0.uuid, $0) }, uniquingKeysWith: { $1 })
        for call in going where known[call.uuid] != call {
            let group = calls.first { $0.uuid.text == call.uuid }.flatMap { push(of: $0)?.group }
            effects.append(.goesOn(call, in: group))
        }
        shown = going
    }

    private func ongoing(_ call: LiveCall) -> OngoingCall {
        let app = apps[call.app]
        var shown = OngoingCall(call: key(of: call), uuid: call.uuid.text, app: call.app)
        shown.appName = LiveCall.cut(app?.provider?.localizedName ?? app?.hello?.name ?? "")
        shown.name = call.update.name ?? ""
        shown.handle = call.update.handle?.value ?? ""
        shown.label = call.label
        shown.hasVideo = call.update.hasVideo == true && app?.provider?.supportsVideo == true
        shown.isOutgoing = call.isOutgoing
        shown.state = call.isOnHold ? .held : call.hasConnected ? .active : .connecting
        shown.isMuted = call.isMuted
        shown.group = call.group
        shown.since = call.connected
        shown.canHold = call.update.supportsHolding != false
        return shown
    }
}
