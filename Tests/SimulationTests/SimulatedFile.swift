import BelfryPropertyList
import BelfryTerms
import CallLedger
import Support

/// One group file that all processes share: a lock that is taken late at times, and wake-ups that are late or lost.
final class SimulatedFile {
    static let bootID = "11111111-2222-4333-8444-555555555555"

    private let time: SimulatedTime
    private var random: SeededRandom
    private(set) var root = PropertyListDictionary()
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
    var ledger: Ledger { Ledger(reading: root, at: moment(agoMax: 0)) }

    /// Asks for the lock, changes the file under it, and calls `done`; neither happens where `isAlive` denies it then.
    func transact<Answer>(
        isAlive: @escaping () -> Bool, _ change: @escaping (inout Ledger) -> Answer,
        done: @escaping (Answer) -> Void
    ) {
        let wait =
            random.oneIn(20) ? Int64.random(in: 0..<400_000, using: &random) : .random(in: 50..<2000, using: &random)
        isLockFreeFrom = max(isLockFreeFrom, time.now) + TimeSpan(microseconds: wait)
        time.at(isLockFreeFrom) { [self] in
            guard isAlive() else { return }
            var ledger = Ledger(opening: root, at: moment(agoMax: 3000))
            let answer = change(&ledger)
            overwrite(with: ledger.root)
            changed()
            time.after(TimeSpan(microseconds: .random(in: 10..<500, using: &random))) { if isAlive() { done(answer) } }
        }
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
