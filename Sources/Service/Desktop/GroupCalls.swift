import BelfryAppGroup
import BelfryEventLoop
import BelfryTerms
import CallLedger
import GroupLedger
import RingEar
import Showing

/// The calls of all groups, in the ledgers that workers and commands share: who rings, how a call ended, and what the
/// person decides.
final class GroupCalls {
    /// How long a worker that died is waited for to be tidied up.
    static let tidyingPatience = TimeSpan.seconds(40)

    private let loop: Loop
    private let state: StateDirectory
    private let runtime: RuntimeDirectory
    /// How long an answer waits for the app; of ledgers that are opened from now on.
    var answersWait: TimeSpan
    /// Whether a worker of this group is connected.
    var hasWorker: (GroupName) -> Bool = { _ in false }
    private var files: [GroupName: LedgerFile] = [:]
    private var watches: [GroupName: LedgerWatch] = [:]
    private var sought: [ShownCallID: any ScheduledTimer] = [:]
    private let settled: (ShownCallID, _ isMissed: Bool, Call?) -> Void
    /// How long a worker that is connected may take to say itself that its call is over.
    static let wordPatience = TimeSpan.seconds(1)
    private struct Followed {
        /// Runs once the ledger says that the call is over.
        var timer: (any ScheduledTimer)?
    }
    /// The calls of workers that are connected.
    private var followed: [ShownCallID: Followed] = [:]
    /// Gets a call that is over as the ledger says, and of which its worker, perhaps one that stands still, does not.
    var overdue: (ShownCallID, Call) -> Void = { _, _ in }

    /// - Parameters:
    ///   - answersWait: how long an answer waits for the app.
    ///   - settled: gets how a call ended that ``findOut(_:)`` was asked for, and what the ledger says of it, nil for
    ///     nothing.
    init(
        on loop: Loop, state: StateDirectory, runtime: RuntimeDirectory, answersWait: TimeSpan,
        settled: @escaping (ShownCallID, _ isMissed: Bool, Call?) -> Void
    ) {
        self.loop = loop
        self.state = state
        self.runtime = runtime
        self.answersWait = answersWait
        self.settled = settled
    }

    /// Every group that has a folder.
    func groups() -> [GroupName] { (try? state.groups()) ?? [] }

    /// Every call that rings, with its group.
    func rings() -> [(ShownCallID, Call)] {
        groups().flatMap { group in
            (file(of: group).read()?.rings ?? []).map { (ShownCallID(group: group, call: $0.key.text), $0) }
        }
    }

    /// Whether there is anything of `group` (S6): a file, a note, or a worker that is connected.
    func isThere(_ group: GroupName) -> Bool {
        let file = file(of: group)
        return file.file.snapshot().status != .missing || file.read() != nil || hasWorker(group)
    }

    /// The ledger of `group`; kept if there is something to read in it, since the bus names groups as it likes.
    func file(of group: GroupName) -> LedgerFile {
        if let file = files[group] { return file }
        let file = LedgerFile(state: state, runtime: runtime, group: group)
        file.answersWait = answersWait
        file.patience = LedgerFile.collectingPatience
        if file.read() != nil { files[group] = file }
        return file
    }

    /// Ends `call` as the person decided: by who rings it, or in the ledger if nobody answers; then calls `done` with
    /// how it ended, nil if it does not ring and is not known.
    ///
    /// - Parameter named: the call; nil is the one that rings loud.
    func end(
        _ named: CallKey?, in group: GroupName, as end: PersonalEnd, done: @escaping (EndedCall?) -> Void = { _ in }
    ) {
        file(of: group).end(named, as: end, on: loop) { ended, _ in done(ended) }
    }

    /// Silences `named`, or the call that rings loud if that is nil, as the person decided; then calls `done` with the
    /// call, nil if it does not ring.
    func silence(_ named: CallKey?, in group: GroupName, done: @escaping (Call?) -> Void = { _ in }) {
        file(of: group).silence(named, on: loop) { silenced, _ in done(silenced) }
    }

    /// Changes what the ledger of `group` says, and then calls `done` with what `change` returned.
    func change<Answer>(
        in group: GroupName, _ change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer) -> Void
    ) {
        file(of: group).transact(on: loop, change) { done($0.value) }
    }

    /// Finds out how `call` has ended, or will: watches the ledger until it says so.
    func findOut(_ call: ShownCallID) {
        guard sought[call] == nil else { return }
        followed.removeValue(forKey: call)?.timer?.cancel()
        sought[call] = loop.schedule(at: loop.now + Self.tidyingPatience, description: "tidying") { [weak self] in
            self?.found(call, nil)
        }
        watch(call.group)
    }

    /// Looks whether `call`, whose worker is connected, ends without a word of it.
    func follow(_ call: ShownCallID) {
        guard followed[call] == nil else { return }
        followed[call] = Followed()
        watch(call.group)
    }

    private func watch(_ group: GroupName) {
        guard watches[group] == nil else { return }
        watches[group] = file(of: group).watch(on: loop) { [weak self] in self?.look(at: $0, of: group) }
    }

    /// Stops finding out how `call` ended, and following it.
    func forget(_ call: ShownCallID) {
        sought.removeValue(forKey: call)?.cancel()
        followed.removeValue(forKey: call)?.timer?.cancel()
        guard !(Array(sought.keys) + followed.keys).contains(where: { $0.group == call.group }) else { return }
        watches.removeValue(forKey: call.group)?.cancel()
        // A group without a call holds no file, so that groups that come and go do not add up.
        if !watches.keys.contains(call.group) { files[call.group] = nil }
    }

    private func look(at ledger: Ledger, of group: GroupName) {
        let calls = sought.keys.filter { $0.group == group }
        let rings = ledger.rings.filter { ring in calls.contains { $0.call.utf8.elementsEqual(ring.key.text.utf8) } }
        for call in calls {
            guard let known = ledger.call(CallKey(call.call)), known.state != .ringing else { continue }
            found(call, known)
        }
        watches[group]?.expectEnds(of: rings)
        for call in followed.keys where call.group == group && followed[call]?.timer == nil {
            guard let known = ledger.call(CallKey(call.call)), known.state != .ringing else { continue }
            followed[call]?.timer = loop.schedule(at: loop.now + Self.wordPatience, description: "worker's word") {
                [weak self] in
                self?.forget(call)
                self?.overdue(call, known)
            }
        }
    }

    private func found(_ call: ShownCallID, _ known: Call?) {
        guard sought[call] != nil else { return }
        forget(call)
        settled(call, known?.missedReason != nil, known)
    }
}

extension ShownCaller {
    /// Who calls, as the ledger has it.
    init(_ call: Call) {
        self.init(name: call.name, handle: call.handle, hasVideo: call.hasVideo, label: call.label)
    }
}
