import BelfryAppGroup
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger

/// The group file that a command reads or changes.
struct GroupAccess {
    /// The ledger in it.
    let ledgerFile: LedgerFile
    /// The directory that it is below.
    let state: StateDirectory
    private let context: Context

    /// The file of the group that `context` names. Nothing is opened yet.
    init(_ context: Context) throws(CommandError) {
        guard let group = GroupName(context.groupName) else {
            throw CommandError(
                .usage, "\(context.groupName) is no app group", "1 to 128 letters, digits, dots or hyphens")
        }
        guard let state = StateDirectory(environment: Environment(context.environment)) else {
            throw CommandError(
                .unavailable, "there is no telling where the state is kept", "set HOME or BELFRY_STATE_DIRECTORY")
        }
        ledgerFile = LedgerFile(state: state, group: group)
        self.state = state
        self.context = context
    }

    /// What the file says now; nothing if there is no file. Throws if the file cannot be read.
    func snapshot() throws(CommandError) -> GroupSnapshot {
        let snapshot = file.snapshot()
        if case .unreadable(let detail) = snapshot.status {
            throw CommandError(
                .unavailable, "the group file \(file.path) cannot be read", "\(detail); the next call sets it aside")
        }
        return snapshot
    }

    /// The file itself.
    var file: GroupFile { ledgerFile.file }

    /// The ledger in the file; empty if there is no file. The rings of dead workers are recorded as missed first (R12),
    /// if the file can be written.
    func ledger() throws(CommandError) -> Ledger {
        let ledger = Ledger(reading: try snapshot())
        guard ledger.hasDeadRing, let settled = try? changeLedger({ $0 }) else { return ledger }
        return settled
    }

    /// Changes keys of the file in one transaction, and prints the warnings that came of it.
    func change<Result>(_ change: @escaping (inout GroupEdit) -> Result) throws(CommandError) -> Result {
        try answer(of: file.transactAndWait(on: try Command.makeLoop(), change))
    }

    /// Changes the ledger in one transaction, and prints the warnings that came of it.
    func changeLedger<Result>(_ change: @escaping (inout Ledger) -> Result) throws(CommandError) -> Result {
        try answer(of: ledgerFile.transactAndWait(on: try Command.makeLoop(), change))
    }

    private func answer<Result>(of transaction: GroupTransaction<Result>) throws(CommandError) -> Result {
        for warning in transaction.warnings { context.warn("\(warning.code.rawValue): \(warning.detail)") }
        if case .failed(let error) = transaction.outcome {
            throw CommandError(.unavailable, "the group file \(file.path) cannot be written", "\(error)")
        }
        return transaction.value
    }
}
