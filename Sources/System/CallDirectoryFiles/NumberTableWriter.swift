import BelfrySyscalls
import CallDirectory
import Glibc

/// Writes the file of a new table beside the old one, row by row in ascending order. Until it is done, the old one
/// counts.
final class NumberTableWriter {
    /// So many labels are remembered, to have those that come again once.
    private static let knownMax = 1 << 16

    private let owner: TableOwner
    private let folder: DirectoryFolder
    private let temporaryName: String
    private let path: String
    private let file: OwnedDescriptor
    private let labels: OwnedDescriptor
    private var header = NumberTableHeader()
    private var rowsChecksum = Checksum()
    private var labelsChecksum = Checksum()
    private var rowBytes: [UInt8] = []
    private var labelBytes: [UInt8] = []
    private var known: [[UInt8]: Int] = [:]

    /// A writer of `owner`'s table, whose lock the caller holds. What an earlier one left behind is gone.
    init(_ owner: TableOwner, in folder: DirectoryFolder) throws(SystemError) {
        (self.owner, self.folder) = (owner, folder)
        temporaryName = ".\(owner.fileName).new"
        path = "\(folder.path)/\(temporaryName)"
        file = try folder.directory.openEmpty(temporaryName)
        labels = try folder.directory.openEmpty(".\(owner.fileName).labels", isNameless: true)
        rowBytes.reserveCapacity(RowStream.chunkBytes)
        // Rows follow; the header is written last, so that what is cut short is no table.
        try writeAll([UInt8](repeating: 0, count: NumberTableHeader.bytesCount), to: file.number, path: path)
    }

    /// How many rows were added.
    var rows: Int { header.rows }

    /// Takes over all labels of `old`, which stay where they are.
    func carryLabels(of old: NumberTableFile) throws(SystemError) {
        let count = old.table.header.labelBytes
        for place in stride(from: 0, to: count, by: RowStream.chunkBytes) {
            let bytes = try old.read(old.table.header.labelsOffset + place, min(RowStream.chunkBytes, count - place))
            try writeLabels(bytes)
        }
        (header.labelBytes, header.addedLabelBytes) = (count, old.table.header.addedLabelBytes)
    }

    /// Where `label` is, which is added if it is not known, and cut if it is too long.
    func place(ofLabel label: ArraySlice<UInt8>) throws(SystemError) -> Int {
        let label = Array(Self.cut(label))
        if let place = known[label] { return place }
        let place = header.labelBytes
        guard place + 2 + label.count <= NumberRow.labelBytesMax else {
            throw SystemError(errno: EFBIG, call: "write", subject: "\(path): labels of more than 2 GiB")
        }
        labelBytes.append(UInt8(truncatingIfNeeded: label.count))
        labelBytes.append(UInt8(truncatingIfNeeded: label.count >> 8))
        labelBytes += label
        header.labelBytes += 2 + label.count
        header.addedLabelBytes += 2 + label.count
        if known.count < Self.knownMax { known[label] = place }
        if labelBytes.count >= RowStream.chunkBytes { try flushLabels() }
        return place
    }

    /// Adds a row, whose number is larger than the last one's.
    func add(_ row: NumberRow) throws(SystemError) {
        row.append(to: &rowBytes)
        header.rows += 1
        if rowBytes.count >= RowStream.chunkBytes { try flushRows() }
    }

    /// Adds rows as they lie in the old table, whose labels are where they were.
    func add(rows bytes: ArraySlice<UInt8>) throws(SystemError) {
        rowBytes += bytes
        header.rows += bytes.count / NumberRow.bytesCount
        if rowBytes.count >= RowStream.chunkBytes { try flushRows() }
    }

    /// Has the new table stand in the old one's place.
    ///
    /// - Parameters:
    ///   - isIncremental: whether the next load may be a difference.
    ///   - isWhole: whether all labels were added by this writer.
    func commit(isIncremental: Bool, isWhole: Bool) throws(SystemError) -> NumberTableHeader {
        try flushRows()
        try flushLabels()
        for place in stride(from: 0, to: header.labelBytes, by: RowStream.chunkBytes) {
            let count = min(RowStream.chunkBytes, header.labelBytes - place)
            let bytes = try readBytes(of: labels.number, at: place, count: count, path: path)
            try writeAll(bytes, to: file.number, path: path)
        }
        if isWhole { header.addedLabelBytes = 0 }
        header.isIncremental = isIncremental
        (header.rowsChecksum, header.labelsChecksum) = (rowsChecksum.value, labelsChecksum.value)
        try writeBytes(header.bytes, to: file.number, at: 0, path: path)
        try flush(file.number, path: path)
        try folder.directory.rename(temporaryName, to: owner.fileName)
        try flush(folder.directory.descriptor.number, path: folder.path)
        return header
    }

    /// Removes the new table, which is not to stand. If that fails, the next writer does.
    func abandon() { try? folder.directory.remove(temporaryName) }

    private func flushRows() throws(SystemError) {
        rowsChecksum.add(chunk: rowBytes)
        try writeAll(rowBytes, to: file.number, path: path)
        rowBytes.removeAll(keepingCapacity: true)
    }

    private func flushLabels() throws(SystemError) {
        try writeLabels(labelBytes)
        labelBytes.removeAll(keepingCapacity: true)
    }

    private func writeLabels(_ bytes: [UInt8]) throws(SystemError) {
        labelsChecksum.add(chunk: bytes)
        try writeAll(bytes, to: labels.number, path: path)
    }

    /// The beginning of a label that is kept: whole characters.
    private static func cut(_ label: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard label.count > NumberEntry.labelBytesMax else { return label }
        var kept = label.prefix(NumberEntry.labelBytesMax)
        // Back to where a character begins: UTF-8's further bytes are 10xxxxxx.
        while let next = label.dropFirst(kept.count).first, next & 0xC0 == 0x80, !kept.isEmpty { kept.removeLast() }
        return kept
    }
}
