import BelfryAppGroup
import BelfryEventLoop
import BelfryEventLoopExecutor
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import GroupLedger

/// What the person at the device does, and sees.
extension Bell {
    /// A call that rings.
    public struct RingingCall: Hashable, Sendable, CustomStringConvertible {
        /// The call's id, empty for the anonymous call.
        public let id: String
        /// Who calls; empty if the push did not say.
        public let name: String
        /// Their number or address; empty if the push did not say.
        public let handle: String
        /// Whether it is a video call.
        public let hasVideo: Bool

        /// Its id and caller, escaped.
        public var description: String {
            let caller = [name, handle].filter { !$0.isEmpty }.joined(separator: ", ")
            return Printable.escaped(CallText.name(of: id) + (caller.isEmpty ? "" : " (\(caller))"))
        }

        init(_ call: Call) {
            (id, name, handle, hasVideo) = (call.key.text, call.name, call.handle, call.hasVideo)
        }
    }

    /// The calls that ring, the oldest first, which is the loud one.
    public var calls: [RingingCall] { (ledgerFile.read()?.rings ?? []).map(RingingCall.init) }

    /// Answers the call `id`, or the loud one. It is silent once this returns. With a `process` the call goes on until
    /// that ends or the caller hangs up: meanwhile other calls ring as ``BellSettings/secondCall`` says.
    ///
    /// Throws ``BellError/Code/noSuchCall``, which says what rings instead, if it does not ring, and
    /// ``BellError/Code/notRecorded`` if there is no such process.
    public func answer(_ id: String? = nil, heldBy process: Int32? = nil) async throws(BellError) {
        let holder = process.flatMap { ProcessIdentity(livingPID: $0) }
        guard process == nil || holder != nil else { throw BellError(.notRecorded, "no process \(process ?? 0) runs") }
        try await end(id, as: .answer(heldBy: holder.map { Owner($0) }))
    }

    /// Declines the call `id`, or the loud one; see ``answer(_:)``.
    public func decline(_ id: String? = nil) async throws(BellError) {
        try await end(id, as: .decline)
    }

    /// Silences the call `id`, or the loud one, which rings on without sound. It is silent once this returns.
    ///
    /// Throws ``BellError/Code/noSuchCall``, which says what rings instead, if it does not ring.
    public func silence(_ id: String? = nil) async throws(BellError) {
        let (silenced, outcome) = await withCheckedContinuation { continuation in
            ledgerFile.silence(id.map(CallKey.init), on: executor.loop) { continuation.resume(returning: ($0, $1)) }
        }
        guard outcome.isRecorded else { throw notRecorded() }
        guard silenced != nil else { throw nothingRings(name(of: id)) }
    }

    /// The app comes to the front, which silences every ring, and those to come until ``enterBackground()``.
    public func enterForeground() async throws(BellError) {
        guard let process = ProcessIdentity(livingPID: getpid()) else {
            throw BellError(.notRecorded, "this process cannot be named: /proc is missing")
        }
        try await change { $0.enterForeground(owner: Owner(process)) }
        _ = await asked(.foreground, of: nil)
    }

    /// The app is in front no longer.
    public func enterBackground() async throws(BellError) {
        try await change { $0.enterBackground() }
    }

    private func end(_ id: String?, as end: PersonalEnd) async throws(BellError) {
        let (ended, outcome) = await withCheckedContinuation { continuation in
            ledgerFile.end(id.map(CallKey.init), as: end, on: executor.loop) {
                continuation.resume(returning: ($0, $1))
            }
        }
        guard outcome.isRecorded else { throw notRecorded() }
        guard let ended else {
            throw nothingRings(name(of: id))
        }
        guard ended.state == end.state else {
            let name = Printable.escaped(CallText.name(of: ended.call.key.text))
            throw BellError(.noSuchCall, "\(name) has ended already: \(ended.state.rawValue)")
        }
    }

    private func name(of id: String?) -> String { id.map { Printable.escaped(CallText.name(of: $0)) } ?? "a call" }

    private func nothingRings(_ what: String) -> BellError {
        let others = calls.map { "\($0)" }.joined(separator: "; ")
        return BellError(
            .noSuchCall,
            "\(what) does not ring in \(ledgerFile.file.group.text); "
                + (others.isEmpty ? "nothing does" : "what rings: \(others)"))
    }

    private func asked(_ ask: RingAsk, of key: CallKey?) async -> [RingAnswer] {
        await withCheckedContinuation { continuation in
            ledgerFile.ask(ask, of: key, on: executor.loop) { answers, _ in continuation.resume(returning: answers) }
        }
    }

    @discardableResult
    private func change<Answer: Sendable>(
        _ change: @escaping @Sendable (inout Ledger) -> Answer
    ) async throws(BellError) -> Answer {
        let transaction = await withCheckedContinuation { continuation in
            ledgerFile.transact(on: executor.loop, change) { transaction in
                continuation.resume(returning: (answer: transaction.value, outcome: transaction.outcome))
            }
        }
        guard transaction.outcome.isRecorded else { throw notRecorded() }
        return transaction.answer
    }

    private func notRecorded() -> BellError {
        BellError(.notRecorded, "the group file \(ledgerFile.file.path) cannot be written")
    }
}
