import BelfryAppGroup
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
public import CallLedger

/// Shows a group's ledger whenever the file has changed, and when an owner dies, since a dead process writes nothing
/// (R12).
public final class LedgerWatch {
    private let file: GroupFile
    private let notes: LedgerNotes
    private let loop: any EventLoop
    private let changed: (Ledger) -> Void
    private var begins: (any ScheduledTimer)?
    private var timer: (any ScheduledTimer)?
    private var isEnded = false
    private var watch: GroupWatch?
    private var shown: GroupSnapshot?
    private var shownGeneration = 0
    /// Rarely more than two, so that searching is cheaper for a ring than creating a dictionary.
    private var deaths: [(owner: Owner, source: any LoopWatch)] = []

    init(
        file: GroupFile, notes: LedgerNotes, loop: any EventLoop, failure: @escaping (SystemError) -> Void,
        changed: @escaping (Ledger) -> Void
    ) {
        self.file = file
        self.notes = notes
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

    /// Reads the file and the notes again, since a wake-up may have been lost, and shows the ledger if either has
    /// changed.
    public func look() {
        guard !isEnded else { return }
        notes.refresh()
        guard let watch, notes.generation == shownGeneration else { return showAgain() }
        watch.look()
    }

    /// Shows the ledger again when the owner of one of `calls` dies, in the next iteration if it is dead already, or a
    /// holder of one that is active, and when the time of a ring is up; neither of these changes the file (R10). This
    /// replaces the calls of an earlier one.
    public func expectEnds(of calls: [Call]) {
        guard !isEnded else { return }
        expectDeaths(of: calls.flatMap(\.owners))
        timer?.cancel()
        timer = calls.filter { $0.state == .ringing }.map(\.until).min().map { end in
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
                let source = try? loop.onDeath(of: process, description: "owner", { [weak self] in self?.showAgain() })
            else { continue }
            deaths.append((owner, source))
        }
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
        guard !isEnded else { return }
        notes.refresh()
        shownGeneration = notes.generation
        // If the file cannot be read at this moment, show its last contents: an unreadable file hangs up nothing (R13).
        if snapshot.status == .read { shown = snapshot }
        if !snapshot.isUnreadable { notes.reopen(lostFrom: snapshot.root) }
        guard shown != nil || !notes.all.isEmpty else { return }
        changed(Ledger(reading: shown ?? snapshot, with: notes.all))
    }
}
