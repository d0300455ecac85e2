import BelfryAppGroup
import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger
import RingEar

/// What the groups' files say of apps' calls: answers in `pendingAccept` until the apps have their actions, and which
/// calls go on.
final class GroupRecords {
    private let state: StateDirectory
    private let runtime: RuntimeDirectory
    private let loop: Loop
    private var ledgers: [GroupName: LedgerFile] = [:]
    /// The calls that this process holds, by their UUIDs.
    private var held: [String: (key: CallKey, group: GroupName)] = [:]
    /// How many changes are on their way.
    private(set) var openCount = 0

    /// Changes the groups below `state`.
    init(state: StateDirectory, runtime: RuntimeDirectory, on loop: Loop) {
        (self.state, self.runtime, self.loop) = (state, runtime, loop)
    }

    /// Takes the answer to `call` out of the file of `group`; nothing happens if somebody else has it.
    func collect(_ call: String, in group: GroupName) {
        let key = CallKey(call)
        change(group) { _ = $0.collectAnswers(key) }
    }

    /// Says that `call` is on, for as long as this process lives, unless it is held (R10).
    func goesOn(_ call: OngoingCall, in group: GroupName) {
        guard call.state != .held else { return release(call) }
        guard held[call.uuid] == nil else { return }
        var request = RingRequest(key: CallKey(call.call))
        (request.name, request.handle) = (call.name, call.handle)
        (request.hasVideo, request.uuid, request.label) = (call.hasVideo, call.uuid, call.label)
        held[call.uuid] = (request.key, group)
        change(group) { $0.goOn(with: request, by: Owner(.current)) }
    }

    /// Says that `call` is held, or over.
    func release(_ call: OngoingCall) {
        guard let held = held.removeValue(forKey: call.uuid) else { return }
        change(held.group) { $0.release(held.key, by: Owner(.current)) }
    }

    private func change(_ group: GroupName, _ change: @escaping (inout Ledger) -> Void) {
        let ledger = ledgers[group] ?? LedgerFile(state: state, runtime: runtime, group: group)
        ledger.patience = LedgerFile.collectingPatience
        ledgers[group] = ledger
        openCount += 1
        ledger.transact(on: loop, change) { [self] _ in openCount -= 1 }
    }
}
