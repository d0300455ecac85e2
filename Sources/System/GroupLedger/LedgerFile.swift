public import BelfryAppGroup
public import BelfryEventLoop
public import BelfrySyscalls
public import BelfryTerms
public import CallLedger

/// The ledger in one group's file: every program looks at calls and changes them here.
///
/// Each change is one transaction on the file: it opens the ledger, which records dead rings as missed (R12), changes
/// it, and saves what differs. A change that must survive a power cut is flushed.
public final class LedgerFile {
    /// The file itself, for keys that have nothing to do with calls.
    public let file: GroupFile

    /// The ledger of `group` below `state`. Nothing is opened or created yet.
    public init(state: StateDirectory, group: GroupName) {
        file = GroupFile(state: state, group: group)
    }

    /// The ledger as the file has it now, read without a lock; nil if the file is missing or cannot be used.
    public func read() -> Ledger? {
        let snapshot = file.snapshot()
        return snapshot.status == .read ? Ledger(reading: snapshot) : nil
    }

    /// Changes the ledger in one transaction, and then calls `completion`, perhaps before this returns.
    ///
    /// `change` runs exactly once, even if the file cannot be read, locked or written: on what could be read, or on an
    /// empty ledger. See ``GroupFile/transact(on:_:completion:)`` for the lock and its limits.
    public func transact<Answer>(
        on timers: any TimerSource, _ change: @escaping (inout Ledger) -> Answer,
        completion: @escaping (GroupTransaction<Answer>) -> Void
    ) {
        file.transact(on: timers, { Self.apply(change, to: &$0) }, completion: completion)
    }

    /// Changes the ledger as ``transact(on:_:completion:)`` does, and waits until that is done: for the command line.
    public func transactAndWait<Answer>(
        on loop: Loop, _ change: @escaping (inout Ledger) -> Answer
    ) -> GroupTransaction<Answer> {
        file.transactAndWait(on: loop) { Self.apply(change, to: &$0) }
    }

    /// Calls `changed` with the ledger as it is, in the next iteration of `loop` at the earliest, and then after each
    /// change of the file by any program. If the file cannot be watched, `failure` gets the reason, and changes are
    /// found only by ``LedgerWatch/look()``.
    ///
    /// If the file is missing or cannot be read for a moment, `changed` is not called: such a file hangs up nothing
    /// (R13).
    public func watch(
        on loop: Loop, failure: @escaping (SystemError) -> Void = { _ in }, changed: @escaping (Ledger) -> Void
    ) -> LedgerWatch {
        LedgerWatch(file: file, loop: loop, failure: failure, changed: changed)
    }

    private static func apply<Answer>(_ change: (inout Ledger) -> Answer, to edit: inout GroupEdit) -> Answer {
        var ledger = Ledger(opening: edit.root, at: .now(reading: edit.found))
        let answer = change(&ledger)
        edit.root = ledger.root
        edit.isDurable = ledger.isDurable
        return answer
    }
}

/// Shows a group's ledger whenever the file has changed, and when an owner dies, since a dead process writes nothing
/// (R12).
public final class LedgerWatch {
    private let file: GroupFile
    private let loop: Loop
    private let changed: (Ledger) -> Void
    private var begins: (any ScheduledTimer)?
    private var timer: (any ScheduledTimer)?
    private var isEnded = false
    private var watch: GroupWatch?
    private var shown: GroupSnapshot?
    /// Rarely more than two, so that searching is cheaper for a ring than creating a dictionary.
    private var deaths: [(owner: Owner, source: ProcessSource)] = []

    fileprivate init(
        file: GroupFile, loop: Loop, failure: @escaping (SystemError) -> Void, changed: @escaping (Ledger) -> Void
    ) {
        self.file = file
        self.loop = loop
        self.changed = changed
        // In the next iteration, so that a ring sounds before the file is watched (R4).
        begins = loop.afterThis(description: "watch the group") { [weak self] in self?.begin(failure: failure) }
    }

    private func begin(failure: (SystemError) -> Void) {
        begins = nil
        let (watch, error) = file.watch(on: loop) { [weak self] in self?.show($0) }
        self.watch = watch
        if let error { failure(error) }
        showAgain()
    }

    /// Narrows the watch to the calls `keys`, most important first. Other calls' changes may not be shown until
    /// ``look()``, and a ledger that is shown before then may hold these calls alone.
    ///
    /// With hundreds of rings, every write wakes every process; this spares them reading what does not concern them.
    public func focus(on keys: [CallKey]) {
        guard let shown else { return }
        watch?.focus(on: GroupFocus(dictionary: Ledger.Key.calls, members: keys.map(\.text)), since: shown)
    }

    /// Reads the file again, in case a wake-up was lost, and shows the ledger if the file has changed.
    public func look() {
        watch?.look()
    }

    /// Shows the ledger again when the owner of one of `rings` dies, in the next iteration if it is dead already, and
    /// when the time of one is up, in place of those asked for before: neither of the two changes the file.
    public func expectEnds(of rings: [Call]) {
        guard !isEnded else { return }
        expectDeaths(of: rings.compactMap(\.owner))
        timer?.cancel()
        timer = rings.map(\.until).min().map { end in
            loop.schedule(at: end, description: "a ring's end") { [weak self] in self?.showAgain() }
        }
    }

    private func expectDeaths(of owners: [Owner]) {
        deaths.removeAll { death in
            guard !owners.contains(death.owner) else { return false }
            death.source.cancel()
            return true
        }
        for owner in owners where !deaths.contains(where: { $0.owner == owner }) {
            guard let process = ProcessIdentity(owner),
                let source = try? loop.onDeath(of: process, description: "owner", { [weak self] in self?.died(owner) })
            else { continue }
            deaths.append((owner, source))
        }
    }

    private func died(_ owner: Owner) {
        deaths.removeAll { $0.owner == owner }
        showAgain()
    }

    private func showAgain() {
        show(file.snapshot())
    }

    /// Ends the watch: nothing is shown any more. Cancelling twice does nothing.
    public func cancel() {
        isEnded = true
        begins?.cancel()
        begins = nil
        shown = nil
        timer?.cancel()
        timer = nil
        watch?.cancel()
        watch = nil
        expectDeaths(of: [])
    }

    private func show(_ snapshot: GroupSnapshot) {
        guard !isEnded, snapshot.status == .read else { return }
        shown = snapshot
        changed(Ledger(reading: snapshot))
    }
}
