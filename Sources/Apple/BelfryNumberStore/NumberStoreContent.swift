/// All that a store holds: each number that is or was in it, with when that was changed.
struct NumberStoreContent: Hashable, Sendable {
    /// Made up when the store was: of two with different ones, neither is a change of the other.
    var id: UInt64
    /// When the last change was, in microseconds since 1970; each change is later than the one before, whatever the
    /// clock says.
    var changed: Int64 = 0
    /// The numbers that are blocked, without labels.
    var blocked = NumberStorePart()
    /// The numbers that have names.
    var identified = NumberStorePart()

    init(id: UInt64) { self.id = id }
}

/// The numbers of one kind.
struct NumberStorePart: Hashable, Sendable {
    /// A number that is in the store, or was.
    struct Row: Hashable, Sendable {
        let number: Int64
        let label: String
        let changed: Int64
        let isRemoved: Bool
    }

    /// In ascending order, each number once.
    private(set) var rows: [Row] = []

    /// Those that are in the store.
    var numbers: [Row] { rows.filter { !$0.isRemoved } }

    /// Those that were changed after `date`.
    func changes(since date: Int64) -> [Row] { rows.filter { $0.changed > date } }

    /// How many only say that a number was there.
    var removedCount: Int { rows.count(where: \.isRemoved) }

    /// Adds or replaces numbers. What is there as it should be is no change.
    mutating func set(_ numbers: [(number: Int64, label: String)], at date: Int64) throws(NumberStoreError) {
        var wanted: [Int64: String] = [:]
        for (number, label) in numbers { wanted[number] = label }
        merge(wanted.map { Row(number: $0.key, label: $0.value, changed: date, isRemoved: false) })
        guard rows.count - removedCount <= NumberStoreRules.numbersMax else { throw .full }
    }

    /// Removes numbers; those that are not there are no change.
    mutating func remove(_ numbers: [Int64], at date: Int64) {
        let gone = Set(numbers)
        rows = rows.map { gone.contains($0.number) ? $0.removed(at: date) : $0 }
    }

    /// Removes all numbers.
    mutating func removeAll(at date: Int64) { rows = rows.map { $0.removed(at: date) } }

    /// Forgets what was removed.
    mutating func forgetRemoved() { rows.removeAll(where: \.isRemoved) }

    /// Adds a row as it was read: false unless its number is larger than the last.
    mutating func append(_ row: Row) -> Bool {
        guard rows.last.map({ $0.number < row.number }) ?? true else { return false }
        rows.append(row)
        return true
    }

    private mutating func merge(_ new: [Row]) {
        let new = new.sorted { $0.number < $1.number }
        var merged: [Row] = []
        merged.reserveCapacity(rows.count + new.count)
        var (old, added) = (rows[...], new[...])
        while let next = added.first {
            while let row = old.first, row.number < next.number { merged.append(old.removeFirst()) }
            if let row = old.first, row.number == next.number {
                old.removeFirst()
                merged.append(row.label == next.label && !row.isRemoved ? row : next)
            } else {
                merged.append(next)
            }
            added.removeFirst()
        }
        rows = merged + old
    }
}

extension NumberStorePart.Row {
    fileprivate func removed(at date: Int64) -> Self {
        isRemoved ? self : Self(number: number, label: "", changed: date, isRemoved: true)
    }
}

extension NumberStoreContent {
    /// How the file of a store of this version begins.
    private static let mark = Array("BNUMBER1".utf8)

    /// As the file has it: the mark, ``id``, ``changed``, and for each kind the number of its rows and those. All
    /// integers have their lowest byte first.
    var bytes: [UInt8] {
        var bytes = Self.mark
        bytes.reserveCapacity(64 + 48 * (blocked.rows.count + identified.rows.count))
        bytes.append(integer: id)
        bytes.append(integer: UInt64(bitPattern: changed))
        for part in [blocked, identified] {
            bytes.append(integer: UInt64(part.rows.count))
            for row in part.rows {
                bytes.append(integer: UInt64(bitPattern: row.number))
                bytes.append(integer: UInt64(bitPattern: row.changed))
                bytes.append(integer: UInt16(row.label.utf8.count) << 1 | (row.isRemoved ? 1 : 0))
                bytes.append(contentsOf: row.label.utf8)
            }
        }
        return bytes
    }

    /// Reads ``bytes``; nil if they are none.
    init?(bytes: [UInt8]) {
        var rest = bytes[...]
        guard rest.starts(with: Self.mark) else { return nil }
        rest = rest.dropFirst(Self.mark.count)
        guard let id: UInt64 = rest.takeInteger(), let changed: UInt64 = rest.takeInteger(),
            let blocked = NumberStorePart(&rest), let identified = NumberStorePart(&rest), rest.isEmpty
        else { return nil }
        self.init(id: id)
        (self.changed, self.blocked, self.identified) = (Int64(bitPattern: changed), blocked, identified)
    }
}

extension NumberStorePart {
    fileprivate init?(_ bytes: inout ArraySlice<UInt8>) {
        guard let count: UInt64 = bytes.takeInteger() else { return nil }
        for _ in 0..<count {
            guard let number: UInt64 = bytes.takeInteger(), let changed: UInt64 = bytes.takeInteger(),
                let length: UInt16 = bytes.takeInteger(), bytes.count >= Int(length >> 1)
            else { return nil }
            let label = String(decoding: bytes.prefix(Int(length >> 1)), as: UTF8.self)
            bytes = bytes.dropFirst(Int(length >> 1))
            let row = Row(
                number: Int64(bitPattern: number), label: label, changed: Int64(bitPattern: changed),
                isRemoved: length & 1 == 1)
            guard append(row) else { return nil }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(integer: some FixedWidthInteger) {
        for place in 0..<integer.bitWidth / 8 { append(UInt8(truncatingIfNeeded: integer >> (8 * place))) }
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func takeInteger<Integer: FixedWidthInteger & UnsignedInteger>() -> Integer? {
        let size = Integer.bitWidth / 8
        guard count >= size else { return nil }
        var integer: Integer = 0
        for byte in prefix(size).reversed() { integer = integer << 8 | Integer(byte) }
        self = dropFirst(size)
        return integer
    }
}
