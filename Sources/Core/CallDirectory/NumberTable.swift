import BelfryTerms

/// The numbers of one source as they lie in its file: a header, a row a number in ascending order, and the labels, as
/// far as they are known to be equal once. All integers have their lowest byte first.
///
/// | at | bytes | what |
/// | --- | --- | --- |
/// | 0 | 64 | ``NumberTableHeader`` |
/// | 64 | 12 a row | ``NumberRow`` |
/// | then | | the labels: 2 bytes with a length, and that many bytes of UTF-8 |
///
/// It is read through closures, since what is looked up in two million rows are some twenty. Nothing is believed that
/// the file does not have: any bytes give some entry or none, and no fault.
public struct NumberTable: Hashable, Sendable {
    /// What it is.
    public let header: NumberTableHeader

    /// The table in a file of `fileBytes` that begins with `beginning`; nil if it is none, of another version, or not
    /// whole.
    public init?(beginning: some Collection<UInt8>, fileBytes: Int) {
        guard let header = NumberTableHeader(beginning), header.fileBytes == fileBytes else { return nil }
        self.header = header
    }

    /// Where the row with this index is.
    public static func offset(ofRow row: Int) -> Int { NumberTableHeader.bytesCount + row * NumberRow.bytesCount }

    /// So many rows are read at once where a search has come so far: one read instead of six.
    private static let rowsAtOnce = 64

    /// The row of `number`, searched by halves; nil if it is not in the table.
    ///
    /// - Parameters:
    ///   - row: gives the row with an index, nil if the file has none.
    ///   - rows: gives the rows from an index on, as many as the file has of the count.
    public func row<Failure: Error>(
        of number: Int64, row: (_ index: Int) throws(Failure) -> NumberRow?,
        rows: (_ first: Int, _ count: Int) throws(Failure) -> [NumberRow]
    ) throws(Failure) -> NumberRow? {
        var (low, high) = (0, header.rows)
        while high - low > Self.rowsAtOnce {
            let middle = low + (high - low) / 2
            guard let found = try row(middle) else { return nil }
            if found.number == number { return found }
            if found.number < number { low = middle + 1 } else { high = middle }
        }
        return high > low ? try rows(low, high - low).first { $0.number == number } : nil
    }

    /// What `row` says, with its label; `read` gives the bytes from an offset, and fewer than it is asked for only at
    /// the file's end.
    public func entry<Failure: Error>(
        of row: NumberRow, read: (_ offset: Int, _ count: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> NumberEntry {
        let label = try label(of: row, read: read)
        // Whoever wrote it: it is shown to people.
        return NumberEntry(
            row.number, isBlocked: row.isBlocked,
            label: label.map { Printable.escaped(String(decoding: $0, as: UTF8.self)) })
    }

    /// The label of `row` as it was written; nil if it has none.
    public func label<Failure: Error>(
        of row: NumberRow, read: (_ offset: Int, _ count: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8]? {
        guard let place = row.labelPlace, place + 2 <= header.labelBytes else { return nil }
        let offset = header.labelsOffset + place
        let count = Int(try read(offset, 2).integer)
        return place + 2 + count <= header.labelBytes ? try read(offset + 2, count) : nil
    }
}

/// What a source says of a number.
public struct NumberEntry: Hashable, Sendable {
    /// How many bytes of a label are kept.
    public static let labelBytesMax = 1_024

    /// The number: country code and national number.
    public var number: Int64
    /// Whether its calls are not to ring.
    public var isBlocked: Bool
    /// Who it is; nil if the source does not say.
    public var label: String?

    /// An entry.
    public init(_ number: Int64, isBlocked: Bool = false, label: String? = nil) {
        (self.number, self.isBlocked, self.label) = (number, isBlocked, label)
    }
}

/// The row of a number.
public struct NumberRow: Hashable, Sendable {
    /// How many bytes it has.
    public static let bytesCount = 12
    /// Where a label may begin at most: a table has no more bytes of labels.
    public static let labelBytesMax = Int(Int32.max) - 1

    private static let blocked: UInt32 = 1 << 31

    /// The number: country code and national number.
    public var number: Int64
    /// The highest bit for a blocked number; the rest is 1 + where its label is, or 0.
    public var meaning: UInt32

    /// A row.
    public init(_ number: Int64, isBlocked: Bool, labelPlace: Int?) {
        self.number = number
        meaning = (isBlocked ? Self.blocked : 0) | UInt32(labelPlace.map { $0 + 1 } ?? 0)
    }

    /// A row with these bits.
    public init(number: Int64, meaning: UInt32) { (self.number, self.meaning) = (number, meaning) }

    /// The row in these bytes; nil if there are too few.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.bytesCount else { return nil }
        number = Int64(bitPattern: bytes[..<8].integer)
        meaning = UInt32(bytes[8..<12].integer)
    }

    /// Whether its calls are not to ring.
    public var isBlocked: Bool { meaning & Self.blocked != 0 }
    /// Where its label is among the labels; nil if it has none.
    public var labelPlace: Int? { meaning & ~Self.blocked == 0 ? nil : Int(meaning & ~Self.blocked) - 1 }
}

extension Collection<UInt8> {
    /// The bytes as an integer, the lowest first.
    var integer: UInt64 { reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}

extension FixedWidthInteger {
    /// Its bytes, the lowest first.
    var bytes: [UInt8] { (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}
