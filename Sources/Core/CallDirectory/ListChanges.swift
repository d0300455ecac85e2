/// What changes in the person's list, in the order in which it was said: of a number that is named twice, what is said
/// last counts.
public struct ListChanges: Sendable {
    /// What is said of one number.
    private struct Entry {
        let number: Int64
        /// Its place among those that were said.
        let place: Int
        let isBlocked: Bool?
        /// Where its label is in ``labels``; nil if nothing is said of that.
        let label: Range<Int>?
    }

    private var entries: [Entry] = []
    /// The labels one behind another: of a million numbers, a million strings would be most of the memory.
    private var labels: [UInt8] = []

    /// No change.
    public init() {}

    /// Whether nothing is said.
    public var isEmpty: Bool { entries.isEmpty }

    /// Says of `number` whether it is blocked and what its label is; nil leaves either as it is.
    public mutating func add(_ number: Int64, isBlocked: Bool? = nil, label: String? = nil) {
        var range: Range<Int>?
        if let label {
            let start = labels.count
            labels += label.utf8
            range = start..<labels.count
        }
        entries.append(Entry(number: number, place: entries.count, isBlocked: isBlocked, label: range))
    }

    /// What is left to do, sorted as a load takes it.
    public struct Sorted: Sendable {
        /// Numbers to block, in ascending order.
        public var blocked: [Int64] = []
        /// Numbers to block no more.
        public var unblocked: [Int64] = []
        /// Numbers to label, in ascending order.
        public var labelled: [Int64] = []
        /// Their labels.
        public var labels: [ArraySlice<UInt8>] = []
        /// How many numbers there are in all.
        public var numbersCount = 0
    }

    /// The changes, sorted.
    public func sorted() -> Sorted {
        let entries = entries.sorted { ($0.number, $0.place) < ($1.number, $1.place) }
        var sorted = Sorted()
        var place = 0
        while place < entries.count {
            let number = entries[place].number
            var (isBlocked, label) = (Bool?.none, Range<Int>?.none)
            while place < entries.count, entries[place].number == number {
                isBlocked = entries[place].isBlocked ?? isBlocked
                label = entries[place].label ?? label
                place += 1
            }
            sorted.numbersCount += 1
            if let isBlocked {
                if isBlocked { sorted.blocked.append(number) } else { sorted.unblocked.append(number) }
            }
            if let label {
                sorted.labelled.append(number)
                sorted.labels.append(labels[label])
            }
        }
        return sorted
    }
}
