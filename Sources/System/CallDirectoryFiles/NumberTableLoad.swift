public import BelfrySyscalls
public import CallDirectory

/// A load of a source's numbers, from its first entry until its table stands: all of it or nothing.
///
/// It holds no entries. What is added lies in files without a name beside the table, in the order in which it must
/// come, and is merged with the old rows at the end.
public final class NumberTableLoad {
    /// The rules, and what was counted.
    public private(set) var load: DirectoryLoad
    /// How many numbers of the new table are blocked, and how many have labels: counted as it is committed.
    public private(set) var (blocked, identified) = (0, 0)

    private let old: NumberTableFile?
    private let writer: NumberTableWriter
    private let blocking: AddedRows
    private let identification: AddedRows
    private let carriesLabels: Bool

    /// Begins a load of `owner`'s table, whose lock the caller holds. It is a difference if `wantsDifference`, there is
    /// an old table, and that one is intact.
    public init(
        _ owner: TableOwner, in folder: DirectoryFolder, wantsDifference: Bool, entriesMax: Int
    ) throws(SystemError) {
        let old = wantsDifference ? try Self.intactTable(of: owner, in: folder) : nil
        writer = try NumberTableWriter(owner, in: folder)
        blocking = try AddedRows(".\(owner.fileName).blocking", in: folder)
        identification = try AddedRows(".\(owner.fileName).identification", in: folder)
        load = DirectoryLoad(isIncremental: old != nil, entriesMax: entriesMax)
        // Labels that differences added may be needed no longer: if they are the most, all are looked at anew.
        let header = old?.table.header
        carriesLabels = header.map { $0.addedLabelBytes <= $0.labelBytes / 2 } ?? false
        if let old, carriesLabels { try writer.carryLabels(of: old) }
        self.old = old
    }

    private static func intactTable(
        of owner: TableOwner, in folder: DirectoryFolder
    ) throws(SystemError) -> NumberTableFile? {
        guard let table = try? NumberTableFile(of: owner, in: folder), try table.isIntact() else { return nil }
        return table
    }

    /// Adds numbers that are blocked.
    public func block(_ numbers: [Int64]) throws(DirectoryFailure) {
        try load.add(numbers, to: .blocking)
        try storing { () throws(SystemError) in
            for number in numbers { try blocking.add(NumberRow(number, isBlocked: true, labelPlace: nil)) }
        }
    }

    /// Adds numbers with labels: as many of both.
    public func identify(_ numbers: [Int64], labels: [ArraySlice<UInt8>]) throws(DirectoryFailure) {
        try load.add(numbers, to: .identification)
        try storing { () throws(SystemError) in
            for (number, label) in zip(numbers, labels) {
                let place = try writer.place(ofLabel: label)
                try identification.add(NumberRow(number, isBlocked: false, labelPlace: place))
            }
        }
    }

    /// Removes entries of a kind.
    public func remove(_ numbers: [Int64], from kind: EntryKind) throws(DirectoryFailure) {
        try load.remove(numbers, from: kind)
    }

    /// Removes all entries of a kind.
    public func removeAll(of kind: EntryKind) throws(DirectoryFailure) { try load.removeAll(of: kind) }

    /// Has the new table stand in the old one's place; the next load may then be a difference.
    public func commit() throws(DirectoryFailure) -> NumberTableHeader {
        do throws(SystemError) {
            try merge()
            return try writer.commit(isIncremental: true, isWhole: !carriesLabels)
        } catch {
            throw Self.failure(error)
        }
    }

    /// How many numbers the old table has, if the load is a difference to it.
    public var oldRows: Int { old?.table.header.rows ?? 0 }

    /// Ends the load without a new table.
    public func abandon() { writer.abandon() }

    private func merge() throws(SystemError) {
        var merge = NumberMerge(load)
        var old = self.old?.rows
        var blocked = try blocking.stream()
        var identified = try identification.stream()
        var (blockedRow, identifiedRow) = (try blocked.next(), try identified.next())
        func nextOld() throws(SystemError) -> NumberRow? {
            // Two million rows of which a hundred change are copied as they lie there.
            if carriesLabels, let change = merge.nextChange {
                let number = min(change, min(blockedRow?.number ?? .max, identifiedRow?.number ?? .max))
                while let run = try old?.run(below: number), !run.isEmpty { try writer.add(rows: run) }
            }
            return try old?.next()
        }
        var oldRow = try nextOld()
        var (blockedIndex, identifiedIndex) = (0, 0)
        while true {
            let number = min(
                oldRow?.number ?? .max, min(blockedRow?.number ?? .max, identifiedRow?.number ?? .max))
            let hasOld = oldRow?.number == number
            let isBlocked = blockedRow?.number == number
            let isIdentified = identifiedRow?.number == number
            guard hasOld || isBlocked || isIdentified else { return }
            let outcome = merge.outcome(
                of: number, old: hasOld ? oldRow : nil, blocked: isBlocked ? blockedIndex : nil,
                identified: isIdentified ? identifiedIndex : nil)
            if let outcome {
                let place =
                    switch outcome.label {
                    case .old: try oldRow.flatMap { row throws(SystemError) in try carriedPlace(of: row) }
                    case .added: identifiedRow?.labelPlace
                    case nil: Int?.none
                    }
                if outcome.isBlocked { self.blocked += 1 }
                if place != nil { self.identified += 1 }
                try writer.add(NumberRow(number, isBlocked: outcome.isBlocked, labelPlace: place))
            }
            if isBlocked { (blockedRow, blockedIndex) = (try blocked.next(), blockedIndex + 1) }
            if isIdentified { (identifiedRow, identifiedIndex) = (try identified.next(), identifiedIndex + 1) }
            if hasOld { oldRow = try nextOld() }
        }
    }

    /// Where the label of an old row is in the new table.
    private func carriedPlace(of row: NumberRow) throws(SystemError) -> Int? {
        if carriesLabels { return row.labelPlace }
        guard let label = try old?.label(of: row) else { return nil }
        return try writer.place(ofLabel: label[...])
    }

    /// Carries out `store`, whose failure is the load's.
    private func storing(_ store: () throws(SystemError) -> Void) throws(DirectoryFailure) {
        do throws(SystemError) { try store() } catch { throw Self.failure(error) }
    }

    private static func failure(_ error: SystemError) -> DirectoryFailure {
        DirectoryFailure(.unknown, "the table cannot be written: \(error)")
    }
}

/// Rows that a load has added, in a file that lasts as long as it is open.
private final class AddedRows {
    private let file: OwnedDescriptor
    private let path: String
    private var chunk: [UInt8] = []
    private var count = 0

    init(_ name: String, in folder: DirectoryFolder) throws(SystemError) {
        file = try folder.directory.openEmpty(name, isNameless: true)
        path = "\(folder.path)/\(name)"
    }

    func add(_ row: NumberRow) throws(SystemError) {
        row.append(to: &chunk)
        count += 1
        if chunk.count >= RowStream.chunkBytes { try flush() }
    }

    /// All of them, from the first.
    func stream() throws(SystemError) -> RowStream {
        try flush()
        return RowStream(descriptor: file.number, path: path, count: count)
    }

    private func flush() throws(SystemError) {
        try writeAll(chunk, to: file.number, path: path)
        chunk.removeAll(keepingCapacity: true)
    }
}

extension NumberRow {
    /// Adds its bytes to `bytes`.
    func append(to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe withUnsafeBytes(of: meaning.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }
}
