public import BelfryAppGroup
public import BelfryEventLoop
public import BelfrySyscalls
public import BelfryTerms
public import CallLedger

/// The ledger in one group's file: who looks at calls or changes them, in whichever program, does it here.
///
/// Each change opens the ledger (which records dead rings as missed, R12), changes it, and saves what differs, in one
/// transaction of the file; what must outlive a power cut is flushed.
public final class LedgerFile {
    /// The file itself, for keys that are no call's.
    public let file: GroupFile

    /// The ledger of `group` below `state`; nothing is opened or made yet.
    public init(state: StateDirectory, group: GroupName) {
        file = GroupFile(state: state, group: group)
    }

    /// Who rings and who rang, as the file says now, without any lock; nil if it is missing or cannot be used.
    public func read() -> Ledger? {
        let snapshot = file.snapshot()
        return snapshot.status == .read ? Ledger(reading: snapshot) : nil
    }

    /// Changes the ledger in one transaction, and then calls `completion`, perhaps before this returns.
    ///
    /// `change` runs exactly once, whatever becomes of the file: on what could be read of it, or on an empty ledger.
    /// See ``GroupFile/transact(on:_:completion:)`` for the lock and its limits.
    public func transact<Answer>(
        on timers: any TimerSource, _ change: @escaping (inout Ledger) -> Answer,
        completion: @escaping (GroupTransaction<Answer>) -> Void
    ) {
        file.transact(on: timers, { Self.apply(change, to: &$0) }, completion: completion)
    }

    /// Changes the ledger as ``transact(on:_:completion:)`` does and waits for it: for the command line.
    public func transactAndWait<Answer>(
        on loop: Loop, _ change: @escaping (inout Ledger) -> Answer
    ) -> GroupTransaction<Answer> {
        file.transactAndWait(on: loop) { Self.apply(change, to: &$0) }
    }

    /// Calls `changed` with the ledger after each change of the file, by whomever, and with the one that it finds
    /// first, in the next iteration of `loop` at the earliest; `failure` says why changes come only when
    /// ``LedgerWatch/look()`` finds them.
    ///
    /// A file that is missing or cannot be read for a moment is not shown: it hangs up nothing.
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

/// Shows a group's ledger whenever it has changed, and when a ring is over that nobody wrote the end of.
public final class LedgerWatch {
    private let file: GroupFile
    private let loop: Loop
    private let changed: (Ledger) -> Void
    private var begins: (any ScheduledTimer)?
    private var timer: (any ScheduledTimer)?
    private var isEnded = false
    private var watch: GroupWatch?
    private var shown: GroupSnapshot?
    /// One of two at most, as a rule: a dictionary would cost a ring more than looking through them.
    private var deaths: [(owner: Owner, source: ProcessSource)] = []

    fileprivate init(
        file: GroupFile, loop: Loop, failure: @escaping (SystemError) -> Void, changed: @escaping (Ledger) -> Void
    ) {
        self.file = file
        self.loop = loop
        self.changed = changed
        // A ring sounds before it is watched.
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
    /// ``look()``, and a ledger that is shown meanwhile may know these alone.
    ///
    /// With hundreds of rings every write wakes everybody: this spares them reading what does not concern them.
    public func focus(on keys: [CallKey]) {
        guard let shown else { return }
        watch?.focus(on: GroupFocus(dictionary: Ledger.Key.calls, members: keys.map(\.text)), since: shown)
    }

    /// Reads the file again, for a wake-up that was lost, and shows the ledger if it has changed.
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

    /// Ends it: nothing is shown any more. Cancelling twice does nothing.
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
