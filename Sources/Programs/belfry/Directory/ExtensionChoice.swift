import BelfryCommandLine
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import CallDirectory
import CallDirectoryFiles
import DirectoryLoading
import Glibc

/// What the person chooses of extensions: which count, and whose labels come first.
struct ExtensionChoice {
    private static let contacts = "contacts"

    private let context: Context
    private let loader: DirectoryLoader

    /// For the folder of the call directory that `context` names.
    init(_ context: Context, loader: DirectoryLoader = DirectoryLoader()) {
        (self.context, self.loader) = (context, loader)
    }

    /// `belfry directory enable`.
    func enable(_ id: String) throws(CommandError) -> ProgramStatus {
        let found = try known(id)
        try change { records in
            var record = records[found.id] ?? DirectoryRecord(found.id, app: found.app)
            (record.app, record.isEnabled) = (found.app, true)
            records.set(record)
        }
        return try loader.load(id, context)
    }

    /// `belfry directory disable`.
    func disable(_ id: String) throws(CommandError) -> ProgramStatus {
        let folder = try context.directoryFolder()
        // Also one whose app is gone.
        let recorded = DirectoryRecords(in: folder).all.first { $0.id.text == id }?.id
        let name: GroupName
        if let recorded { name = recorded } else { name = try known(id).id }
        // First: from here on no call is looked up in it, whatever a load of it does meanwhile.
        try change { records in
            guard var record = records[name] else { return }
            (record.isEnabled, record.failure) = (false, nil)
            records.set(record)
        }
        do throws(SystemError) {
            let lock = try folder.lock(.extension(name))
            defer { extendLifetime(lock) }
            try folder.removeTable(of: .extension(name))
        } catch {
            throw CommandError(.unavailable, "\(id) is off, and its numbers cannot be removed", "\(error)")
        }
        return .done
    }

    /// `belfry directory order`.
    func order(_ ids: [String]) throws(CommandError) -> ProgramStatus {
        guard Set(ids).count == ids.count else {
            throw CommandError(.usage, "an extension is named twice", "each once, the first first")
        }
        let recorded = DirectoryRecords(in: try context.directoryFolder()).all
        var first: [DirectoryRecord] = []
        for id in ids {
            if let record = recorded.first(where: { $0.id.text == id }) {
                first.append(record)
            } else {
                let found = try known(id)
                first.append(DirectoryRecord(found.id, app: found.app))
            }
        }
        try change { records in
            // Read anew: another command may have enabled one meanwhile.
            let named = first.map { records[$0.id] ?? $0 }
            let names = Set(named.map(\.id))
            records.all = named + records.all.filter { !names.contains($0.id) }
        }
        return .done
    }

    /// `belfry directory reload`.
    func reload(_ source: String) throws(CommandError) -> ProgramStatus {
        if source == Self.contacts {
            // Without a file the loader removes the table that one has left.
            let hasTable = (try? context.directoryFolder(makes: false)?.tableDate(of: .contacts)) != nil
            guard context.loaded.settings.contactsFile != nil || hasTable else {
                throw CommandError(.usage, "there is no address book", "set [Contacts] File=")
            }
        } else {
            _ = try known(source, or: [Self.contacts])
        }
        return try loader.load(source, context)
    }

    /// The extension `id`; throws if there is none, and names the one that is probably meant.
    private func known(_ id: String, or others: [String] = []) throws(CommandError) -> DirectoryExtension {
        let extensions = context.directoryExtensions
        if let found = extensions[id] { return found }
        let names = extensions.all.map(\.id.text) + others
        let meant = NearestName.nearest(to: id, of: names)
        let fault = extensions.faults.first.map { "; \($0)" } ?? ""
        throw CommandError(
            .notFound, "there is no call directory extension \(id)\(fault)",
            meant.map { "did you mean \($0)?" }
                ?? "see belfry directory status, [Calls] Apps= and [Directory] Extensions=")
    }

    private func change(_ change: (inout DirectoryRecords) -> Void) throws(CommandError) {
        let folder = try context.directoryFolder()
        do throws(SystemError) { try DirectoryRecords.change(in: folder, change) } catch {
            throw CommandError(.unavailable, "the choice cannot be written", "\(error)")
        }
    }
}

extension DirectoryRecords {
    /// Has `record` stand in the place of the one with its identifier, or behind all others.
    fileprivate mutating func set(_ record: DirectoryRecord) {
        if let index = all.firstIndex(where: { $0.id == record.id }) {
            all[index] = record
        } else {
            all.append(record)
        }
    }
}
