import BelfryAppGroup
import BelfryEventLoop
import BelfryEventLoopExecutor
import BelfrySyscalls
public import BelfryTerms
import CallLedger
import GroupLedger
import RingEar

/// What an app finds in its group as it starts: calls that were answered while it did not run, and calls that were
/// missed.
///
/// ```swift
/// let log = try CallLog(group: "group.belfry", environment: environment)
/// for answer in try await log.collectAnswers() { connect(to: answer.callID) }
/// badge = await log.missedCalls().count
/// ```
///
/// It reads the group's file and what lies beside it, needs no socket and starts nothing. A log has one thread of its
/// own, for as long as the log is held.
public actor CallLog {
    /// A call that the person answered, and that no program has taken over yet.
    public struct Answer: Hashable, Sendable {
        /// The call's id; empty for the anonymous call.
        public let callID: String
        /// Who calls; empty if the push did not say.
        public let name: String
        /// Their number or address; empty if the push did not say.
        public let handle: String
        /// Whether it is a video call.
        public let hasVideo: Bool
        /// The file of the caller's picture, which is there for a day; nil if there is none.
        public let picture: String?
        /// When it was answered, in Unix seconds.
        public let answered: Int64

        init(_ answer: PendingAnswer) {
            (callID, name, handle, hasVideo) = (answer.key.text, answer.name, answer.handle, answer.hasVideo)
            (picture, answered) = (answer.picture, answer.answered)
        }
    }

    /// A call that the person missed and has not seen yet.
    public struct MissedCall: Hashable, Sendable {
        /// The call's id; empty for the anonymous call.
        public let callID: String
        /// Who called; empty if the push did not say.
        public let name: String
        /// Their number or address; empty if the push did not say.
        public let handle: String
        /// Whether it was a video call.
        public let hasVideo: Bool
        /// The file of the caller's picture, which is there as long as the call is listed; nil if there is none.
        public let picture: String?
        /// When it was missed, in Unix seconds.
        public let missed: Int64
        /// Why it was missed.
        public let reason: CodeWord<MissedReason>

        init(_ call: MissedRecord) {
            (callID, name, handle, hasVideo) = (call.key.text, call.name, call.handle, call.hasVideo)
            (picture, missed, reason) = (call.picture, call.missed, call.reason)
        }
    }

    private let file: LedgerFile
    private nonisolated let executor: LoopExecutor

    /// The log's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// The log of `group`, where `environment` says that state is kept. Nothing is opened or made yet.
    public init(group: String, environment: [String: String]) throws(CallLogError) {
        guard let name = GroupName(group) else {
            throw CallLogError(.badGroup, "\(Printable.escaped(group)) is no app group: expected \(GroupName.rule)")
        }
        let environment = Environment(environment)
        guard let state = StateDirectory(environment: environment) else {
            throw CallLogError(.noPlace, "there is no telling where state is kept: set HOME or BELFRY_STATE_DIRECTORY")
        }
        let runtime = RuntimeDirectory(environment: environment, statePath: state.path)
        file = LedgerFile(state: state, runtime: runtime, group: name)
        file.patience = LedgerFile.collectingPatience
        do throws(SystemError) {
            executor = try LoopExecutor.onOwnThread()
        } catch {
            throw CallLogError(.noThread, "no thread with a loop can be made: \(error)")
        }
    }

    /// The answers that wait, the latest last. They stay.
    public func answers() -> [Answer] { (file.read()?.answers ?? []).map(Answer.init) }

    /// Takes out the answers that wait, the latest last. Each is handed over once among all callers, in this process
    /// and others.
    ///
    /// Throws ``CallLogError/Code/notRecorded`` if neither the file nor the memory beside it can be written; then the
    /// answers wait on.
    public func collectAnswers() async throws(CallLogError) -> [Answer] {
        try await change { $0.collectAnswers().map(Answer.init) }
    }

    /// The missed calls that are listed, the latest last.
    public func missedCalls() -> [MissedCall] { (file.read()?.missedCalls ?? []).map(MissedCall.init) }

    /// Takes the missed calls of these ids off the list, or all of them if that is nil, since the person has seen them.
    ///
    /// Throws what ``collectAnswers()`` throws.
    public func clearMissedCalls(_ callIDs: [String]? = nil) async throws(CallLogError) {
        _ = try await change { $0.clearMissed(callIDs.map { $0.map { CallKey($0) } }).count }
    }

    private func change<Result: Sendable>(
        _ change: @escaping @Sendable (inout Ledger) -> Result
    ) async throws(CallLogError) -> Result {
        let (result, outcome) = await withCheckedContinuation { continuation in
            file.transact(on: executor.loop, change) { continuation.resume(returning: ($0.value, $0.outcome)) }
        }
        if case .unwritable(let error, kept: false, _) = outcome {
            throw CallLogError(.notRecorded, "the group's file \(file.file.path) cannot be written: \(error)")
        }
        return result
    }
}

/// Why a group's calls cannot be read or changed.
public struct CallLogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: String, CaseIterable, Sendable {
        /// The text is no name of an app group.
        case badGroup
        /// The environment does not say where state is kept.
        case noPlace
        /// Threads or descriptors have run out.
        case noThread
        /// The change cannot be kept.
        case notRecorded
    }

    /// What kind of failure it is.
    public let code: Code
    /// What failed and what to do about it, for people; text from outside in it is escaped.
    public let description: String

    /// An error.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
