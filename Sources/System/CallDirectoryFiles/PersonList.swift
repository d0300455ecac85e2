import BelfrySyscalls
public import CallDirectory
import Glibc

/// The list that the person keeps: changed as a difference, under its lock, so that two who change it at once lose
/// nothing.
public struct PersonList {
    private static let batch = 10_000

    private let folder: DirectoryFolder

    /// The list in `folder`.
    public init(in folder: DirectoryFolder) { self.folder = folder }

    /// What became of a change.
    public struct Change: Hashable, Sendable {
        /// How many numbers were in the list before.
        public let rowsBefore: Int
        /// How many are in it now.
        public let rows: Int

        /// A change from so many numbers to so many.
        public init(rowsBefore: Int, rows: Int) { (self.rowsBefore, self.rows) = (rowsBefore, rows) }
    }

    /// Its table; nil if nothing is in it.
    ///
    /// - Throws: ``NoTable`` if its file is damaged. It is the person's only copy: no change may replace it.
    public func table() throws(NoTable) -> NumberTableFile? {
        guard let table = try NumberTableFile(of: .list, in: folder) else { return nil }
        do throws(SystemError) {
            guard try table.isIntact() else {
                throw SystemError(errno: EBADMSG, call: "read", subject: "\(folder.path)/\(TableOwner.list.fileName)")
            }
        } catch {
            throw NoTable(description: "\(error)")
        }
        return table
    }

    /// Makes `changes`; returns once they are written, or throws and leaves the list as it was.
    public func change(_ changes: ListChanges.Sorted) throws(ListFailure) -> Change {
        try write { load throws(DirectoryFailure) in
            for batch in Self.batches(of: changes.blocked.indices) { try load.block(Array(changes.blocked[batch])) }
            for batch in Self.batches(of: changes.labelled.indices) {
                try load.identify(Array(changes.labelled[batch]), labels: Array(changes.labels[batch]))
            }
            // Of an empty list there is nothing to take away.
            if load.load.isIncremental { try load.remove(changes.unblocked, from: .blocking) }
        }
    }

    /// Takes `numbers` off the list, in the same way.
    public func remove(_ numbers: [Int64]) throws(ListFailure) -> Change {
        try write { load throws(DirectoryFailure) in
            guard load.load.isIncremental else { return }
            for kind in EntryKind.allCases { try load.remove(numbers, from: kind) }
        }
    }

    /// Takes all entries of a kind off the list, in the same way; with nil all entries, even if the list is damaged.
    public func removeAll(of kind: EntryKind?) throws(ListFailure) {
        guard let kind else {
            do throws(SystemError) {
                let lock = try folder.lock(.list)
                defer { extendLifetime(lock) }
                return try folder.removeTable(of: .list)
            } catch {
                throw .unwritable("\(error)")
            }
        }
        _ = try write { load throws(DirectoryFailure) in
            if load.load.isIncremental { try load.removeAll(of: kind) }
        }
    }

    private func write(_ body: (NumberTableLoad) throws(DirectoryFailure) -> Void) throws(ListFailure) -> Change {
        do {
            let lock = try folder.lock(.list)
            defer { extendLifetime(lock) }
            let rowsBefore = try table()?.table.header.rows ?? 0
            let load = try NumberTableLoad(.list, in: folder, wantsDifference: true, entriesMax: .max)
            do {
                try body(load)
                return Change(rowsBefore: rowsBefore, rows: try load.commit().rows)
            } catch {
                load.abandon()
                throw error
            }
        } catch let error as NoTable {
            throw .damaged(error.description)
        } catch {
            throw .unwritable("\(error)")
        }
    }

    private static func batches(of indices: Range<Int>) -> [Range<Int>] {
        stride(from: indices.lowerBound, to: indices.upperBound, by: batch).map {
            $0..<min($0 + batch, indices.upperBound)
        }
    }
}

/// Why the person's list is as it was.
public enum ListFailure: Error, Hashable, Sendable {
    /// Its file is no whole table.
    case damaged(String)
    /// It cannot be written.
    case unwritable(String)
}
