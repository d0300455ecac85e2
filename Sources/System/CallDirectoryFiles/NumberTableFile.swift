public import BelfrySyscalls
public import CallDirectory
import Glibc

/// A table of numbers as it lies in its file, open for reading.
///
/// Read by pread(2) and not mapped: a look-up reads some twenty rows, and a file that a broken disk or another program
/// cuts short then ends a look-up, not the process that rings.
public final class NumberTableFile: Sendable {
    /// What it is.
    public let table: NumberTable
    private let file: OwnedDescriptor
    private let path: String

    /// Opens the table of `owner`; nil if there is none.
    ///
    /// - Throws: ``NoTable`` if the file cannot be read, is none, of another version or not whole.
    public init?(of owner: TableOwner, in folder: DirectoryFolder) throws(NoTable) {
        path = "\(folder.path)/\(owner.fileName)"
        let beginning: [UInt8]
        let bytesCount: Int
        do throws(SystemError) {
            guard let opened = try folder.directory.openForReading(owner.fileName) else { return nil }
            bytesCount = opened.bytesCount
            file = opened.file
            beginning = try readBytes(of: file.number, at: 0, count: NumberTableHeader.bytesCount, path: path)
        } catch {
            throw NoTable(description: "\(error)")
        }
        guard let table = NumberTable(beginning: beginning, fileBytes: bytesCount) else {
            throw NoTable(
                description: "\(path) is no whole table of numbers of this version; loading it anew mends it")
        }
        self.table = table
    }

    /// What it says of `number`; nil if that is not in it.
    public func entry(of number: Int64) throws(SystemError) -> NumberEntry? {
        guard let row = try table.row(of: number, row: row, rows: rows(from:count:)) else { return nil }
        return try table.entry(of: row, read: read)
    }

    /// The row with this index; nil where the file ends.
    private func row(_ index: Int) throws(SystemError) -> NumberRow? {
        // On the stack: there are twenty of them to a look-up.
        var bytes = InlineArray<12, UInt8>(repeating: 0)
        let offset = off_t(NumberTable.offset(ofRow: index))
        let count = try checked("pread", on: path) {
            unsafe withUnsafeMutableBytes(of: &bytes) { unsafe pread(file.number, $0.baseAddress, $0.count, offset) }
        }
        guard count == NumberRow.bytesCount else { return nil }
        return unsafe withUnsafeBytes(of: &bytes) { unsafe NumberRow(unaligned: $0, at: 0) }
    }

    /// The rows from an index on.
    private func rows(from first: Int, count: Int) throws(SystemError) -> [NumberRow] {
        let bytes = try read(NumberTable.offset(ofRow: first), count * NumberRow.bytesCount)
        return unsafe bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / NumberRow.bytesCount).map {
                unsafe NumberRow(unaligned: bytes, at: $0 * NumberRow.bytesCount)
            }
        }
    }

    /// Calls `body` with each entry, in the order of the numbers, until it returns false.
    public func forEach(_ body: (NumberEntry) throws -> Bool) throws {
        var rows = rows
        while let row = try rows.next() {
            guard try body(try table.entry(of: row, read: read)) else { return }
        }
    }

    /// How many of its numbers are blocked, and how many have a label: reads all rows.
    public func counts() throws(SystemError) -> (blocked: Int, identified: Int) {
        var rows = rows
        var (blocked, identified) = (0, 0)
        while let row = try rows.next() {
            if row.isBlocked { blocked += 1 }
            if row.labelPlace != nil { identified += 1 }
        }
        return (blocked, identified)
    }

    /// Whether rows and labels are those that were written: reads all of them.
    public func isIntact() throws(SystemError) -> Bool {
        let header = table.header
        guard try checksum(from: NumberTableHeader.bytesCount, to: header.labelsOffset) == header.rowsChecksum else {
            return false
        }
        return try checksum(from: header.labelsOffset, to: header.fileBytes) == header.labelsChecksum
    }

    /// The label of `row` as it was written; nil if it has none.
    func label(of row: NumberRow) throws(SystemError) -> [UInt8]? {
        try table.label(of: row, read: read)
    }

    /// Its rows, from the first.
    var rows: RowStream {
        RowStream(
            descriptor: file.number, path: path, offset: NumberTableHeader.bytesCount, count: table.header.rows)
    }

    /// The bytes from an offset.
    func read(_ offset: Int, _ count: Int) throws(SystemError) -> [UInt8] {
        try readBytes(of: file.number, at: offset, count: count, path: path)
    }

    private func checksum(from start: Int, to end: Int) throws(SystemError) -> UInt64 {
        var checksum = Checksum()
        for offset in stride(from: start, to: end, by: RowStream.chunkBytes) {
            checksum.add(chunk: try read(offset, min(RowStream.chunkBytes, end - offset)))
        }
        return checksum.value
    }
}

/// Why a file is no table.
public struct NoTable: Error, Hashable, Sendable, CustomStringConvertible {
    /// In words for people, without a full stop.
    public let description: String
}

/// Rows as they lie one after another in a file.
struct RowStream {
    /// How much of a file is read at once: whole rows, and whole words of the checksum.
    static let chunkBytes = 4_096 * NumberRow.bytesCount

    let descriptor: Int32
    let path: String
    var offset: Int
    /// How many rows are left.
    var count: Int
    private var chunk: [UInt8] = []
    private var place = 0

    init(descriptor: Int32, path: String, offset: Int = 0, count: Int) {
        (self.descriptor, self.path, self.offset, self.count) = (descriptor, path, offset, count)
    }

    /// The next row; nil after the last, or where the file ends.
    mutating func next() throws(SystemError) -> NumberRow? {
        guard try fill() else { return nil }
        let row = unsafe chunk.withUnsafeBytes { unsafe NumberRow(unaligned: $0, at: place) }
        (place, count) = (place + NumberRow.bytesCount, count - 1)
        return row
    }

    /// The bytes of the next rows whose numbers are smaller than `number`, as far as they were read at once; none if
    /// the next one is not.
    mutating func run(below number: Int64) throws(SystemError) -> ArraySlice<UInt8> {
        guard try fill() else { return [] }
        var (low, high) = (0, (chunk.count - place) / NumberRow.bytesCount)
        unsafe chunk.withUnsafeBytes { bytes in
            while low < high {
                let middle = (low + high) / 2
                let row = unsafe NumberRow(unaligned: bytes, at: place + middle * NumberRow.bytesCount)
                if row.number < number { low = middle + 1 } else { high = middle }
            }
        }
        let run = chunk[place..<(place + low * NumberRow.bytesCount)]
        (place, count) = (run.endIndex, count - low)
        return run
    }

    /// Reads on where all that was read is used up; whether there is a row.
    private mutating func fill() throws(SystemError) -> Bool {
        guard count > 0 else { return false }
        guard place == chunk.count else { return true }
        let bytes = min(Self.chunkBytes, count * NumberRow.bytesCount)
        chunk = try readBytes(of: descriptor, at: offset, count: bytes, path: path)
        (offset, place) = (offset + bytes, 0)
        if chunk.count < bytes { count = 0 }
        return count > 0
    }
}

extension NumberRow {
    /// The row in the bytes from `offset` on, all of which are there.
    fileprivate init(unaligned bytes: UnsafeRawBufferPointer, at offset: Int) {
        let number = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self)
        let meaning = unsafe bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self)
        self.init(number: Int64(littleEndian: number), meaning: UInt32(littleEndian: meaning))
    }
}
