import BelfryAppGroup
import BelfryEventLoop
import BelfryTerms
import CallLedger
import GroupLedger
import RingEar

/// Takes answers out of `pendingAccept` of the groups' files once the apps have their actions.
final class AnswerCollection {
    private let state: StateDirectory
    private let runtime: RuntimeDirectory
    private let loop: Loop
    private var ledgers: [GroupName: LedgerFile] = [:]
    /// How many changes are on their way.
    private(set) var openCount = 0

    /// Collects in the groups below `state`.
    init(state: StateDirectory, runtime: RuntimeDirectory, on loop: Loop) {
        (self.state, self.runtime, self.loop) = (state, runtime, loop)
    }

    /// Takes the answer to `call` out of the file of `group`; nothing happens if somebody else has it.
    func collect(_ call: String, in group: GroupName) {
        let ledger = ledgers[group] ?? LedgerFile(state: state, runtime: runtime, group: group)
        ledger.patience = LedgerFile.collectingPatience
        ledgers[group] = ledger
        openCount += 1
        let key = CallKey(call)
        ledger.transact(on: loop, { _ = $0.collectAnswers(key) }) { [self] _ in openCount -= 1 }
    }
}
