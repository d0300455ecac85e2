/// What becomes of each number as a load ends: what was there, less what the load drops and removes, and what it added.
/// Numbers are asked for in ascending order.
public struct NumberMerge: Sendable {
    private var blocking: PartMerge
    private var identification: PartMerge

    /// The end of `load`.
    public init(_ load: DirectoryLoad) {
        blocking = PartMerge(load[.blocking])
        identification = PartMerge(load[.identification])
    }

    /// Up to which number old rows stay as they are, the load's entries aside: that of the next removal, or the last;
    /// nil if old rows are dropped.
    public var nextChange: Int64? {
        guard let blocking = blocking.nextChange, let identification = identification.nextChange else { return nil }
        return min(blocking, identification)
    }

    /// What is left of a number.
    public struct Outcome: Hashable, Sendable {
        /// Whether its calls are not to ring.
        public let isBlocked: Bool
        /// Whose label it has; nil for none.
        public let label: Label?

        /// Whose label a number has.
        public enum Label: Hashable, Sendable {
            /// That of the old row.
            case old
            /// That of the load's entry.
            case added
        }
    }

    /// What is left of `number`; nil if it is in the new table no more.
    ///
    /// - Parameters:
    ///   - old: the old row; nil if there is none.
    ///   - blocked: which blocking entry of the load it is; nil for none.
    ///   - identified: which identification entry of the load it is; nil for none.
    public mutating func outcome(
        of number: Int64, old: NumberRow?, blocked: Int?, identified: Int?
    ) -> Outcome? {
        let isBlocked = blocking.keeps(number, added: blocked) ?? (old?.isBlocked ?? false)
        var label = old?.labelPlace.map { _ in Outcome.Label.old }
        if let isAdded = identification.keeps(number, added: identified) { label = isAdded ? .added : nil }
        return isBlocked || label != nil ? Outcome(isBlocked: isBlocked, label: label) : nil
    }
}

/// One kind of entries.
private struct PartMerge {
    private let dropsOld: Bool
    private let droppedFirst: Int
    private let removals: [DirectoryLoad.Removal]
    private var nextRemoval = 0

    init(_ part: DirectoryLoad.Part) {
        (dropsOld, droppedFirst) = (part.dropsOld, part.droppedFirst)
        removals = part.removals.sorted { ($0.number, $0.addedBefore) < ($1.number, $1.addedBefore) }
    }

    /// The number of the next removal, or the last number; nil if old rows are dropped.
    var nextChange: Int64? {
        dropsOld ? nil : nextRemoval < removals.count ? removals[nextRemoval].number : .max
    }

    /// Whether `number`, which the load has `added` as that entry, has an entry of the load; nil for the old one, if
    /// there was one.
    mutating func keeps(_ number: Int64, added: Int?) -> Bool? {
        var removedBefore: Int?
        while nextRemoval < removals.count, removals[nextRemoval].number <= number {
            if removals[nextRemoval].number == number { removedBefore = removals[nextRemoval].addedBefore }
            nextRemoval += 1
        }
        if let added, added >= droppedFirst, added >= removedBefore ?? 0 { return true }
        return dropsOld || removedBefore != nil ? false : nil
    }
}
