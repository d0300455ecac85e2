import BelfrySyscalls
public import BelfryTerms
public import CallDirectory
public import CallDirectoryFiles
public import KeeperChannel

/// What an extension gives in one load, on its way into the table: what its words do, and what is wrong with it.
public final class DirectoryIntake {
    /// An incremental load is taken for one of everything if it comes to so many entries at least.
    static let fullLoadEntriesMin = 100
    /// The numbers of telephones: at least 8 digits, since a country code is among them, and 15 at most (E.164).
    static let plausible: ClosedRange<Int64> = 10_000_000...999_999_999_999_999

    private let owner: TableOwner
    private let folder: DirectoryFolder
    private let entriesMax: Int
    private let warn: (WarningCode, String) -> Void
    private var load: NumberTableLoad
    private var isOver = false
    private var implausible: (count: Int, first: Int64) = (0, 0)

    /// A load of `owner`'s table, whose lock the caller holds. `warn` hears what is wrong with the entries.
    public init(
        _ owner: TableOwner, in folder: DirectoryFolder, entriesMax: Int,
        warn: @escaping (WarningCode, String) -> Void
    ) throws(DirectoryFailure) {
        (self.owner, self.folder, self.entriesMax, self.warn) = (owner, folder, entriesMax, warn)
        load = try Self.begin(owner, in: folder, wantsDifference: true, entriesMax: entriesMax)
    }

    /// Whether it may be a difference to the table that there is.
    public var isIncremental: Bool { load.load.isIncremental }

    /// Carries out `word`, with the entries that belong to it.
    public func take(_ word: DirectoryWord, _ batch: DirectoryBatch?) throws(DirectoryFailure) {
        do throws(DirectoryFailure) {
            switch word {
            case .add(let kind, _): try add(batch, to: kind)
            case .remove(let kind, _): try load.remove(batch?.numbers ?? [], from: kind)
            case .removeAll(let kind): try load.removeAll(of: kind)
            case .whole:
                guard load.load.isIncremental else { return }
                load.abandon()
                load = try Self.begin(owner, in: folder, wantsDifference: false, entriesMax: entriesMax)
            case .complete, .cancel, .returned, .done: return
            }
        } catch {
            warn(of: error)
            abandon()
            throw error
        }
    }

    /// Has what was given stand as the table.
    public func commit() throws(DirectoryFailure) -> LoadOutcome.Loaded {
        warnOfImplausible()
        isOver = true
        do throws(DirectoryFailure) {
            let header = try load.commit()
            var loaded = LoadOutcome.Loaded()
            (loaded.rows, loaded.isIncremental) = (header.rows, isIncremental)
            (loaded.blocked, loaded.identified) = (load.blocked, load.identified)
            warnOfEverything(loaded)
            return loaded
        } catch {
            load.abandon()
            throw error
        }
    }

    /// Leaves the table as it was.
    public func abandon() {
        guard !isOver else { return }
        isOver = true
        warnOfImplausible()
        load.abandon()
    }

    private static func begin(
        _ owner: TableOwner, in folder: DirectoryFolder, wantsDifference: Bool, entriesMax: Int
    ) throws(DirectoryFailure) -> NumberTableLoad {
        do throws(SystemError) {
            return try NumberTableLoad(owner, in: folder, wantsDifference: wantsDifference, entriesMax: entriesMax)
        } catch {
            throw DirectoryFailure(.unknown, "the table cannot be written: \(error)")
        }
    }

    private func add(_ batch: DirectoryBatch?, to kind: EntryKind) throws(DirectoryFailure) {
        let numbers = batch?.numbers ?? []
        for number in numbers where !Self.plausible.contains(number) {
            if implausible.count == 0 { implausible.first = number }
            implausible.count += 1
        }
        switch kind {
        case .blocking: try load.block(numbers)
        case .identification: try load.identify(numbers, labels: batch?.labels ?? [])
        }
    }

    private func warn(of failure: DirectoryFailure) {
        switch failure.code {
        case .entriesOutOfOrder: warn(.directoryOrder, failure.description)
        case .duplicateEntries: warn(.directoryDuplicate, failure.description)
        case .unexpectedIncrementalRemoval: warn(.directoryRemoveFull, failure.description)
        case .unknown, .noExtensionFound, .loadingInterrupted, .maximumEntriesExceeded, .extensionDisabled,
            .currentlyLoading:
            break
        }
    }

    private func warnOfImplausible() {
        guard implausible.count > 0 else { return }
        let what = implausible.count == 1 ? "1 entry has a number" : "\(implausible.count) entries have numbers"
        warn(
            .directoryFormat,
            "\(what) that no call has, such as \(implausible.first): country code and number are 8 to 15 digits")
    }

    /// A difference that removes nothing and has all that was there before.
    private func warnOfEverything(_ loaded: LoadOutcome.Loaded) {
        let (blocking, identification) = (load.load[.blocking], load.load[.identification])
        let added = blocking.added + identification.added
        let isOfAdditions = [blocking, identification].allSatisfy { !$0.dropsOld && $0.removals.isEmpty }
        // Entries of numbers that were there, or that both kinds have.
        let repeated = load.oldRows + added - loaded.rows
        guard isIncremental, isOfAdditions, load.oldRows >= Self.fullLoadEntriesMin,
            repeated >= load.oldRows / 10 * 9
        else { return }
        warn(
            .directoryFullAsDiff,
            "isIncremental is true, and of \(load.oldRows) numbers \(repeated) were added again, and none was removed")
    }
}
