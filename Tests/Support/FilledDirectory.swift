public import BelfryTerms
import CallDirectory
public import CallDirectoryFiles

/// The call directory of a test's state directory, whose tables are made as loads make them.
public struct FilledDirectory {
    /// The folder.
    public let folder: DirectoryFolder

    /// That of the state directory at `path`, which is made if it is missing.
    public init(inStateDirectory path: String) throws {
        folder = try DirectoryFolder.open(inStateDirectory: path, makes: true) ?? { throw NoFolder() }()
    }

    private struct NoFolder: Error {}

    /// Has the table of `owner` say that these numbers are blocked, and whose those are.
    public func fill(_ owner: TableOwner, blocked: [Int64] = [], labels: [Int64: String] = [:]) throws {
        let lock = try folder.lock(owner)
        defer { extendLifetime(lock) }
        let load = try NumberTableLoad(owner, in: folder, wantsDifference: false, entriesMax: 1_000_000)
        if !blocked.isEmpty { try load.block(blocked.sorted()) }
        let known = labels.sorted { $0.key < $1.key }
        try load.identify(known.map(\.key), labels: known.map { Array($0.value.utf8)[...] })
        _ = try load.commit()
    }

    /// These extensions are on, each with the name of its app, in that order.
    public func order(_ extensions: [(id: GroupName, app: String)]) throws {
        try DirectoryRecords.change(in: folder) { records in
            records.all = extensions.map { id, app in
                var record = DirectoryRecord(id, app: app)
                record.isEnabled = true
                return record
            }
        }
    }
}
