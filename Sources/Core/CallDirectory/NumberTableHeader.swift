/// The first 64 bytes of a table of numbers: what it is, and how much of it there must be.
public struct NumberTableHeader: Hashable, Sendable {
    /// How many bytes it has.
    public static let bytesCount = 64
    /// The version that this one reads and writes.
    public static let version: UInt32 = 1

    private static let mark = Array("BELFRY#\n".utf8)
    /// The bytes that its checksum is of.
    private static let checkedBytes = 56

    /// How many numbers there are.
    public var rows = 0
    /// How many bytes the labels have.
    public var labelBytes = 0
    /// How many of those bytes were added by differences, beside labels that may be equal or needed no longer.
    public var addedLabelBytes = 0
    /// Whether a whole load has succeeded, so that the next may be a difference: `isIncremental`.
    public var isIncremental = false
    /// The checksum of the rows, for whoever reads all of them.
    public var rowsChecksum = Checksum().value
    /// The checksum of the labels, likewise.
    public var labelsChecksum = Checksum().value

    /// The header of an empty table.
    public init() {}

    /// Reads it; nil if these are none that this version knows, or if their counts make no sense.
    public init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.bytesCount, bytes.starts(with: Self.mark),
            bytes[8..<12].integer == Self.version,
            bytes[Self.checkedBytes..<64].integer == Checksum.of(bytes.prefix(Self.checkedBytes))
        else { return nil }
        let (rows, labels, added) = (bytes[16..<24].integer, bytes[24..<32].integer, bytes[32..<40].integer)
        guard rows <= Self.rowsMax, labels <= NumberRow.labelBytesMax, added <= labels else { return nil }
        (self.rows, labelBytes, addedLabelBytes) = (Int(rows), Int(labels), Int(added))
        isIncremental = bytes[12] & 1 == 1
        (rowsChecksum, labelsChecksum) = (bytes[40..<48].integer, bytes[48..<56].integer)
    }

    /// As its bytes.
    public var bytes: [UInt8] {
        var bytes = Self.mark + Self.version.bytes + UInt32(isIncremental ? 1 : 0).bytes
        bytes += UInt64(rows).bytes + UInt64(labelBytes).bytes + UInt64(addedLabelBytes).bytes
        bytes += rowsChecksum.bytes + labelsChecksum.bytes
        return bytes + Checksum.of(bytes[...]).bytes
    }

    /// More rows than any file has: their bytes overflow nothing.
    private static let rowsMax: UInt64 = 1 << 40

    /// Where the labels are.
    public var labelsOffset: Int { NumberTable.offset(ofRow: rows) }
    /// How many bytes the whole file has.
    public var fileBytes: Int { labelsOffset + labelBytes }
}

/// FNV-1a with 64 bits (draft-eastlake-fnv) over words of eight bytes, the last one filled up with zeros: it finds
/// damage, and no attack.
public struct Checksum: Hashable, Sendable {
    private static let prime: UInt64 = 0x100_0000_01B3

    private var words: UInt64 = 0xCBF2_9CE4_8422_2325
    /// The bytes since the last whole word.
    private var rest: [UInt8] = []

    /// Of nothing yet.
    public init() {}

    /// The checksum of what was added.
    public var value: UInt64 { rest.isEmpty ? words : (words ^ rest.integer) &* Self.prime }

    /// How many bytes are missing to a whole word; 0 after one.
    public var missingBytes: Int { rest.isEmpty ? 0 : 8 - rest.count }

    /// Adds bytes.
    public mutating func add(_ bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            rest.append(byte)
            guard rest.count == 8 else { continue }
            let word = rest.integer
            rest.removeAll(keepingCapacity: true)
            add(word: word)
        }
    }

    /// Adds eight bytes, the lowest first, where no bytes are missing to a whole word.
    public mutating func add(word: UInt64) { words = (words ^ word) &* Self.prime }

    /// The checksum of these bytes.
    static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var checksum = Checksum()
        checksum.add(bytes)
        return checksum.value
    }
}
