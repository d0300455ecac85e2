import BelfrySyscalls
import BelfryTerms
import CallDirectory
import CallDirectoryFiles
import DirectoryLoading
import Glibc

/// How a source of the call directory stands.
struct DirectorySource {
    /// Whose numbers they are.
    let owner: TableOwner
    /// The name of its app; empty for contacts and list.
    var app = ""
    /// Whether its numbers count.
    var isEnabled = true
    /// Whether what it is made of is there.
    var isThere = true
    /// How many numbers there are, are blocked, have a label; nil without a table.
    var counts: (rows: Int, blocked: Int, identified: Int)?
    /// When its table was written, in seconds since 1970.
    var loaded: Int64?
    /// What is wrong with its table, for people; nil if nothing is.
    var damage: String?
    /// Whether the file that it is made from was changed since.
    var isStale = false
    /// Why its last load came to nothing.
    var failure: DirectoryFailure?
    /// When that was, in seconds since 1970.
    var failedAt: Int64 = 0

    /// What people call it.
    var name: String {
        switch owner {
        case .contacts: "contacts"
        case .list: "list"
        case .extension(let id): id.text
        }
    }

    /// All sources in the order in which they are asked, and last the extensions that nobody has enabled.
    static func all(
        in folder: DirectoryFolder?, _ extensions: DirectoryExtensions, contactsFile: String?
    ) -> [DirectorySource] {
        var contacts = DirectorySource(owner: .contacts)
        contacts.isEnabled = contactsFile != nil
        contacts.readTable(in: folder)
        if let contactsFile { contacts.compare(with: contactsFile, folder) }
        var list = DirectorySource(owner: .list)
        list.readTable(in: folder)
        let records = folder.map { DirectoryRecords(in: $0).all } ?? []
        let chosen = records.map { record in
            var source = DirectorySource(owner: .extension(record.id), app: record.app, isEnabled: record.isEnabled)
            source.isThere = extensions[record.id.text] != nil
            (source.failure, source.failedAt) = (record.failure, record.failedAt)
            source.readTable(in: folder)
            return source
        }
        let others = extensions.all.filter { found in !records.contains { $0.id == found.id } }.map {
            DirectorySource(owner: .extension($0.id), app: $0.app, isEnabled: false)
        }
        return [contacts, list] + chosen + others
    }

    private mutating func readTable(in folder: DirectoryFolder?) {
        guard let folder else { return }
        do {
            loaded = try folder.tableDate(of: owner).map { $0 / 1_000_000 }
            guard let file = try NumberTableFile(of: owner, in: folder) else { return }
            guard try file.isIntact() else {
                damage = "\(folder.path)/\(owner.fileName) is not as it was written"
                return
            }
            let (blocked, identified) = try file.counts()
            counts = (file.table.header.rows, blocked, identified)
        } catch {
            damage = "\(error)"
        }
    }

    /// Tells whether the file at `path` is younger than the table.
    private mutating func compare(with path: String, _ folder: DirectoryFolder?) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            isThere = false
            return
        }
        let changed = Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1_000
        guard let written = try? folder?.tableDate(of: .contacts) else { return }
        isStale = changed > written
    }
}

extension DirectoryFailure {
    /// Apple's code, its name, and what was wrong.
    var story: String { "\(code.rawValue) \(code): \(description)" }
}
