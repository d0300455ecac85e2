import BelfryAppGroup
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import CallLedger

/// The group file that a command looks into or changes.
struct GroupAccess {
    /// The file.
    let file: GroupFile
    private let context: Context

    /// The file of the group that `context` names; nothing is opened yet.
    init(_ context: Context) throws(CommandError) {
        guard let group = GroupName(context.groupName) else {
            throw CommandError(
                .usage, "\(context.groupName) is no app group", "1 to 128 letters, digits, dots or hyphens")
        }
        guard let state = StateDirectory(environment: Environment(context.environment)) else {
            throw CommandError(
                .unavailable, "there is no telling where the state is kept", "set HOME or BELFRY_STATE_DIRECTORY")
        }
        file = GroupFile(state: state, group: group)
        self.context = context
    }

    /// What the file says now; nothing where there is none.
    func snapshot() throws(CommandError) -> GroupSnapshot {
        let snapshot = file.snapshot()
        if case .unreadable(let detail) = snapshot.status {
            throw CommandError(
                .unavailable, "the group file \(file.path) cannot be read", "\(detail); the next call sets it aside")
        }
        return snapshot
    }

    /// Who rings and who rang. The rings of dead workers are recorded as missed first (R12), where that can be done.
    func ledger() throws(CommandError) -> Ledger {
        let ledger = Self.ledger(of: try snapshot())
        guard ledger.hasDeadRing, let settled = try? changeLedger({ $0 }) else { return ledger }
        return settled
    }

    /// The ledger in `snapshot`, as of now.
    static func ledger(of snapshot: GroupSnapshot) -> Ledger {
        Ledger(reading: snapshot.root, at: moment(of: snapshot))
    }

    /// Now, as the ledger has to know it.
    static func moment(of snapshot: GroupSnapshot) -> Moment {
        Moment(
            now: Instant(microseconds: bootTimeMicroseconds()), wall: WallTime(microseconds: wallTimeMicroseconds()),
            bootID: bootID(), fileModified: snapshot.modifiedAt
        ) { owner in
            guard let pid = Int32(exactly: owner.pid), let start = UInt64(exactly: owner.start) else { return false }
            return ProcessIdentity(pid: pid, startTicks: start).isAlive
        }
    }

    /// Changes the file in one transaction; prints what the operator should know of it.
    func change<Result>(_ change: @escaping (inout GroupEdit) -> Result) throws(CommandError) -> Result {
        let transaction = file.transactAndWait(on: try Command.makeLoop(), change)
        for warning in transaction.warnings { context.warn("\(warning.code.rawValue): \(warning.detail)") }
        if case .failed(let error) = transaction.outcome {
            throw CommandError(.unavailable, "the group file \(file.path) cannot be written", "\(error)")
        }
        return transaction.value
    }

    /// Changes who rings, in one transaction.
    func changeLedger<Result>(_ change: @escaping (inout Ledger) -> Result) throws(CommandError) -> Result {
        try self.change { edit in
            var ledger = Ledger(opening: edit.root, at: Self.moment(of: edit.found))
            let result = change(&ledger)
            edit.root = ledger.root
            edit.isDurable = ledger.mustOutlivePowerCut
            return result
        }
    }
}
