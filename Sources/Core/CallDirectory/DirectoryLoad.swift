/// What an extension's entries say of their numbers. Both kinds are told apart in everything: order, removal,
/// duplicates.
public enum EntryKind: String, Hashable, Sendable, CaseIterable {
    /// The numbers are blocked.
    case blocking
    /// The numbers have labels.
    case identification
}

/// Why a load of a call directory extension came to nothing: what `CXErrorCodeCallDirectoryManagerError` has for it.
public struct DirectoryFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Apple's codes.
    public enum Code: Int, Hashable, Sendable, CaseIterable {
        /// Nothing else fits.
        case unknown
        /// No extension has the identifier.
        case noExtensionFound
        /// The extension ended, hung, or never completed.
        case loadingInterrupted
        /// A number is smaller than the one before.
        case entriesOutOfOrder
        /// A number is there twice.
        case duplicateEntries
        /// There are too many entries.
        case maximumEntriesExceeded
        /// The person has not enabled the extension.
        case extensionDisabled
        /// The extension is being loaded already.
        case currentlyLoading
        /// An entry was removed in a load that is whole.
        case unexpectedIncrementalRemoval
    }

    /// Apple's code.
    public let code: Code
    /// In words for people, without a full stop.
    public let description: String

    /// A failure.
    public init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }
}

/// The rules of one load: order, duplicates, number of entries, and what a difference removes. It keeps no entries.
///
/// Source: Apple, `CXCallDirectoryExtensionContext`.
public struct DirectoryLoad: Sendable {
    /// What a removal takes with it: the old entry, and those that the load added before it.
    public struct Removal: Hashable, Sendable {
        /// The number.
        public let number: Int64
        /// How many entries of that kind the load had added by then: those stay removed.
        public let addedBefore: Int
    }

    /// What a load says of one kind.
    public struct Part: Hashable, Sendable {
        /// How many entries were added.
        public fileprivate(set) var added = 0
        /// Whether the old ones go: in a whole load, or since all were removed.
        public fileprivate(set) var dropsOld: Bool
        /// How many of the added ones are gone, since all were removed after them.
        public fileprivate(set) var droppedFirst = 0
        /// The single removals since then, in the order in which they came.
        public fileprivate(set) var removals: [Removal] = []
        fileprivate var last: Int64?
    }

    /// Whether the load is a difference: what it does not say stays.
    public let isIncremental: Bool
    private let entriesMax: Int
    private var blocking: Part
    private var identification: Part

    /// A load of at most `entriesMax` entries.
    public init(isIncremental: Bool, entriesMax: Int) {
        self.isIncremental = isIncremental
        self.entriesMax = entriesMax
        blocking = Part(dropsOld: !isIncremental)
        identification = blocking
    }

    /// What it says of a kind.
    public subscript(kind: EntryKind) -> Part { kind == .blocking ? blocking : identification }

    /// Adds entries of a kind: each number larger than the last.
    public mutating func add(_ numbers: [Int64], to kind: EntryKind) throws(DirectoryFailure) {
        var part = self[kind]
        for number in numbers {
            part.added += 1
            if let last = part.last {
                guard number != last else {
                    let text = "\(kind.rawValue) entry \(part.added) is \(number), and so is the one before"
                    throw DirectoryFailure(.duplicateEntries, text)
                }
                guard number > last else {
                    throw DirectoryFailure(
                        .entriesOutOfOrder, "\(kind.rawValue) entry \(part.added) is \(number), after \(last)")
                }
            }
            part.last = number
        }
        set(kind, part)
        guard blocking.added + identification.added <= entriesMax else {
            throw DirectoryFailure(.maximumEntriesExceeded, "there are more than \(entriesMax) entries")
        }
    }

    /// Removes entries of a kind.
    public mutating func remove(_ numbers: [Int64], from kind: EntryKind) throws(DirectoryFailure) {
        try checkRemoval()
        var part = self[kind]
        guard part.removals.count + numbers.count <= entriesMax else {
            throw DirectoryFailure(.maximumEntriesExceeded, "there are more than \(entriesMax) removals")
        }
        part.removals += numbers.map { Removal(number: $0, addedBefore: part.added) }
        set(kind, part)
    }

    /// Removes all entries of a kind.
    public mutating func removeAll(of kind: EntryKind) throws(DirectoryFailure) {
        try checkRemoval()
        var part = self[kind]
        (part.dropsOld, part.droppedFirst, part.removals) = (true, part.added, [])
        set(kind, part)
    }

    private func checkRemoval() throws(DirectoryFailure) {
        guard isIncremental else {
            throw DirectoryFailure(
                .unexpectedIncrementalRemoval, "an entry is removed from a load that is whole: isIncremental is false")
        }
    }

    private mutating func set(_ kind: EntryKind, _ part: Part) {
        if kind == .blocking { blocking = part } else { identification = part }
    }
}
