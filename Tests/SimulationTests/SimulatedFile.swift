import BelfryPropertyList
import BelfryTerms
import CallLedger
import GroupLedger
import Support

/// One group file that all processes share: a lock that is taken late at times, and wake-ups that are late or lost.
final class SimulatedFile {
    static let bootID = "11111111-2222-4333-8444-555555555555"

    private let time: SimulatedTime
    private var random: SeededRandom
    private(set) var root = PropertyListDictionary()
    /// What lies beside the file.
    private(set) var notes: [LedgerNote] = []
    /// Until when the file cannot be written: its lock is held, or its disk is full.
    var unwritableUntil: Instant?
    private var modified: Instant?
    private var isLockFreeFrom: Instant
    /// By how much the wall clock is set wrong at this moment.
    var wallOffset = TimeSpan.zero
    /// Which processes run.
    var living: Set<Owner> = []
    /// Called after each change, whoever made it.
    var written: () -> Void = {}
    /// Called after each change that was made by a program of ours.
    var changed: () -> Void = {}

    init(time: SimulatedTime, seed: UInt64) {
        self.time = time
        random = SeededRandom(seed: seed)
        isLockFreeFrom = time.now
    }

    /// The wall clock as it is set.
    var wall: WallTime {
        WallTime(microseconds: 1_700_000_000_000_000) + (time.now - Instant(microseconds: 50_000_000_000)) + wallOffset
    }

    /// The file as it stands.
    var ledger: Ledger { Ledger(reading: root, with: notes, at: moment(agoMax: 0)) }

    /// Whether the file can be written at this moment.
    var isWritable: Bool { unwritableUntil.map { time.now >= $0 } ?? true }

    /// Decides under a lock, lays a note, writes the file if it can be written, and calls `done`; neither happens where
    /// `isAlive` denies it then.
    func transact<Answer>(
        isAlive: @escaping () -> Bool, _ change: @escaping (inout Ledger) -> Answer,
        done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        let wait =
            random.oneIn(20) ? Int64.random(in: 0..<400_000, using: &random) : .random(in: 50..<2000, using: &random)
        isLockFreeFrom = max(isLockFreeFrom, time.now) + TimeSpan(microseconds: wait)
        time.at(isLockFreeFrom) { [self] in
            guard isAlive() else { return }
            let before = Ledger(reading: root, with: notes, at: moment(agoMax: 3000))
            var ledger = before.opened
            let answer = change(&ledger)
            if let note = LedgerNote(from: before, to: ledger) { notes.append(note) }
            let outcome = isWritable ? LedgerOutcome.recorded([]) : .waiting([])
            if isWritable { record(ledger) }
            changed()
            time.after(TimeSpan(microseconds: .random(in: 10..<500, using: &random))) {
                if isAlive() { done(answer, outcome) }
            }
        }
    }

    /// Decides about `key` alone, at once, and has the file follow.
    func transact<Answer>(
        onOwnRing key: CallKey, _ change: (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        let before = Ledger(reading: root, with: notes, only: key, at: moment(agoMax: 3000))
        var after = before
        let answer = change(&after)
        if let note = LedgerNote(from: before, to: after) { notes.append(note) }
        recordWhatIsOwed()
        // A hangup that a stranger wrote counts for each ring as its owner reads it.
        if isWritable { changed() }
        done(answer, isWritable ? .recorded([]) : .waiting([]))
    }

    /// Writes what lies beside the file, if the file lacks it and can be written.
    func recordWhatIsOwed() {
        let isLacking = notes.contains { !$0.isRecorded || $0.isLost(from: root) }
        guard isWritable, isLacking else { return }
        for index in notes.indices where notes[index].isLost(from: root) { notes[index].isRecorded = false }
        record(Ledger(opening: root, with: notes, at: moment(agoMax: 0)))
    }

    private func record(_ ledger: Ledger) {
        notes.removeAll { $0.isDone(in: ledger) }
        for index in notes.indices { notes[index].isRecorded = true }
        overwrite(with: ledger.root)
    }

    /// Writes the file as a stranger does, who takes no lock.
    func overwrite(with root: PropertyListDictionary) {
        self.root = root
        modified = time.now
        written()
    }

    /// A process may take the time before it gets the lock.
    private func moment(agoMax: Int64) -> Moment {
        let ago = agoMax == 0 ? 0 : Int64.random(in: 0..<agoMax, using: &random)
        let living = living
        return Moment(
            now: time.now - TimeSpan(microseconds: ago), wall: wall, bootID: Self.bootID, fileModified: modified
        ) { living.contains($0) }
    }
}
