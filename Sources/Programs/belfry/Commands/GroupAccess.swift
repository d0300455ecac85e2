import BelfryAppGroup
import BelfryCommandLine
import BelfryEventLoop
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import CallLedger
import GroupLedger
import RingEar

/// The group file that a command reads or changes.
struct GroupAccess {
    /// The file's ledger.
    let ledgerFile: LedgerFile
    /// The state directory that the file is in.
    let state: StateDirectory
    private let context: Context

    /// The file of the group that `context` names. Nothing is opened yet.
    init(_ context: Context) throws(CommandError) {
        let group = try Self.group(context.groupName)
        guard let state = StateDirectory(environment: Environment(context.environment)) else {
            throw CommandError(
                .unavailable, "there is no telling where the state is kept", "set HOME or BELFRY_STATE_DIRECTORY")
        }
        let runtime = RuntimeDirectory(environment: Environment(context.environment), statePath: state.path)
        ledgerFile = LedgerFile(state: state, runtime: runtime, group: group)
        ledgerFile.answersWait = context.loaded.settings.answerLifetime
        self.state = state
        self.context = context
    }

    /// The group that `text` names.
    static func group(_ text: String) throws(CommandError) -> GroupName {
        guard let group = GroupName(text) else {
            throw CommandError(.usage, "\(text) is no app group", "1 to 128 letters, digits, dots or hyphens")
        }
        return group
    }

    /// The current content of the file; empty if there is no file. Throws if the file cannot be read.
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

    /// The ledger as it is, without waiting for a lock; empty if there is no file.
    func knownLedger() throws(CommandError) -> Ledger {
        if let known = ledgerFile.read() { known } else { Ledger(reading: try snapshot()) }
    }

    /// The ledger; empty if there is no file. The rings of dead workers are recorded as missed first (R12), if the file
    /// can be written.
    func ledger() throws(CommandError) -> Ledger {
        let ledger = try knownLedger()
        guard ledger.hasDeadRing, let settled = try? changeLedger({ $0 }) else { return ledger }
        return settled
    }

    /// Changes keys of the file in one transaction, and prints its warnings. Then writes the changes that wait beside
    /// the file into it as well.
    func change<Result>(_ change: @escaping (inout GroupEdit) -> Result) throws(CommandError) -> Result {
        let loop = try Command.makeLoop()
        let transaction = file.transactAndWait(on: loop, change)
        warn(of: transaction.warnings)
        if case .failed(let error) = transaction.outcome { throw unwritable(error) }
        _ = ledgerFile.transactAndWait(on: loop) { _ in }
        return transaction.value
    }

    /// Changes the ledger in one transaction, and prints its warnings. If `ask` is given, all rings get it before this
    /// waits for the file.
    @discardableResult
    func changeLedger<Result>(
        telling ask: RingAsk? = nil, _ change: @escaping (inout Ledger) -> Result
    ) throws(CommandError) -> Result {
        let loop = try Command.makeLoop()
        let transaction = ledgerFile.transactAndWait(on: loop, change) { _ in
            if let ask { _ = heard(ask, by: nil, on: loop) }
        }
        try report(transaction.outcome)
        return transaction.value
    }

    /// Ends `named`, or the loud call, by the worker that rings it, else in the ledger; nil if no such call rings.
    func end(_ named: CallKey?, as end: PersonalEnd) throws(CommandError) -> EndedCall? {
        try answer(to: { loop, done in ledgerFile.end(named, as: end, on: loop, done: done) })
    }

    /// Silences `named`, or the loud call, by the worker that rings it, else in the ledger; nil if no such call rings.
    func silence(_ named: CallKey?) throws(CommandError) -> Call? {
        try answer(to: { loop, done in ledgerFile.silence(named, on: loop, done: done) })
    }

    /// What `ask` comes to, which gets a loop and calls its second argument once; waits until the file has it.
    private func answer<Answer>(
        to ask: (Loop, @escaping (Answer, LedgerOutcome) -> Void) -> Void
    ) throws(CommandError) -> Answer {
        let loop = try Command.makeLoop()
        var answer: (answer: Answer, outcome: LedgerOutcome)?
        ask(loop) {
            answer = ($0, $1)
            loop.stop()
        }
        // If there was no ring to wait for, the loop stops at once.
        loop.run()
        guard let answer else { preconditionFailure("another part stopped the loop of a question") }
        try report(ledgerFile.waitUntilRecorded(answer.outcome, on: loop))
        return answer.answer
    }

    /// Prints the warnings of a change; throws if the file cannot be changed.
    private func report(_ outcome: LedgerOutcome) throws(CommandError) {
        switch outcome {
        case .recorded(let warnings), .waiting(let warnings): warn(of: warnings)
        case .unwritable(let error, let isKept, let warnings):
            warn(of: warnings)
            throw unwritable(error, isKept ? "; kept in memory until it can" : "")
        }
    }

    private func heard(_ ask: RingAsk, by key: CallKey?, on loop: Loop) -> [RingAnswer] {
        var heard: [RingAnswer]?
        ledgerFile.ask(ask, of: key, on: loop) { answers, _ in
            heard = answers
            loop.stop()
        }
        // If there was no ring to wait for, the loop stops at once.
        loop.run()
        return heard ?? []
    }

    private func warn(of warnings: [GroupWarning]) {
        for warning in warnings { context.warn("\(warning.code.rawValue): \(warning.detail)") }
    }

    private func unwritable(_ error: SystemError, _ end: String = "") -> CommandError {
        CommandError(.unavailable, "the group file \(file.path) cannot be written\(end)", "\(error)")
    }
}
