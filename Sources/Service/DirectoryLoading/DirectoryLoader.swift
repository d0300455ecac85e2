public import BelfryEventLoop
import BelfrySyscalls
public import BelfryTerms
public import CallDirectory
import CallDirectoryFiles
import ExtensionKeeping

/// What a loader knows before it loads anything.
public struct LoadSettings {
    /// The extensions that there are.
    public let extensions: DirectoryExtensions
    /// The state directory, which has the call directory's folder.
    public let statePath: String
    /// The environment of the loader.
    public let environment: [String: String]
    /// Which variables of it an extension's process gets.
    public let passedVariables: [String]
    /// The person's address book, a file of vCards; nil for none.
    public let contactsFile: String?
    /// How many entries a load may give: `[Directory] MaxEntries=`.
    public var entriesMax = 2_000_000
    /// How long it may take: `[Directory] LoadTimeout=`.
    public var timeout = TimeSpan.seconds(120)
    /// How many bytes of memory the extension's process may have: `[Directory] LoadMemory=`; nil for any.
    public var memoryBytesMax: Int?
    /// How numbers of the address book are written.
    public var plan = DialingPlan()

    /// Settings.
    public init(
        extensions: DirectoryExtensions, statePath: String, environment: [String: String], passedVariables: [String],
        contactsFile: String?
    ) {
        self.extensions = extensions
        self.statePath = statePath
        self.environment = environment
        self.passedVariables = passedVariables
        self.contactsFile = contactsFile
    }
}

/// Loads one source's numbers: the work of `belfry-directory`.
public final class DirectoryLoader {
    private let settings: LoadSettings
    private let loop: Loop
    private let tell: (LoadNews) -> Void
    private var load: ExtensionLoad?
    private var lock: FileLock?

    /// A loader. `tell` hears the news of a load, the last of which is that it is over.
    public init(_ settings: LoadSettings, on loop: Loop, tell: @escaping (LoadNews) -> Void) {
        (self.settings, self.loop, self.tell) = (settings, loop, tell)
    }

    /// Loads the extension `id`.
    public func loadExtension(_ id: String) {
        do throws(DirectoryFailure) {
            try begin(id)
        } catch {
            tell(.over(LoadOutcome(.failure(error))))
        }
    }

    /// Makes the table of the person's address book.
    public func loadContacts() {
        let start = loop.now
        var outcome: LoadOutcome
        do throws(DirectoryFailure) {
            let folder = try openFolder()
            try take(.contacts, in: folder)
            let contacts = ContactsLoad(plan: settings.plan, folder: folder)
            outcome = LoadOutcome(.success(try contacts.load(settings.contactsFile)))
        } catch {
            outcome = LoadOutcome(.failure(error))
        }
        lock = nil
        outcome.elapsed = loop.now - start
        tell(.over(outcome))
    }

    /// Ends a load without a new table.
    public func stop() { load?.stop() }

    private func begin(_ id: String) throws(DirectoryFailure) {
        guard let found = settings.extensions[id] else {
            let known = settings.extensions.all.map(\.id.text)
            let others = known.isEmpty ? "there is none" : "there are \(known.joined(separator: ", "))"
            throw DirectoryFailure(.noExtensionFound, "no extension is called \(Printable.excerpt(of: id)): \(others)")
        }
        let folder = try openFolder()
        guard Self.isEnabled(found.id, in: folder) else {
            throw DirectoryFailure(.extensionDisabled, "the extension is not enabled: belfry directory enable \(id)")
        }
        try take(.extension(found.id), in: folder)
        let intake = try DirectoryIntake(
            .extension(found.id), in: folder, entriesMax: settings.entriesMax
        ) { [tell] code, detail in tell(.warning(CodeWord(code), detail: detail)) }
        let setting = ExtensionSetting(
            bundle: found.bundle, statePath: settings.statePath, environment: settings.environment,
            passedVariables: settings.passedVariables, budget: settings.timeout, enforcesMemory: false,
            contactsFile: settings.contactsFile)
        let load = ExtensionLoad(
            setting, settings, into: intake, on: loop, mayCommit: { Self.isEnabled(found.id, in: folder) }
        ) { [unowned self] news in happened(news, to: found, in: folder) }
        self.load = load
        load.begin()
    }

    private func happened(_ news: LoadNews, to found: DirectoryExtension, in folder: DirectoryFolder) {
        if case .over(let outcome) = news {
            note(outcome, of: found, in: folder)
            lock = nil
        }
        tell(news)
    }

    /// Notes how the load went. What cannot be noted is no reason to fail.
    private func note(_ outcome: LoadOutcome, of found: DirectoryExtension, in folder: DirectoryFolder) {
        let now = wallTimeMicroseconds() / 1_000_000
        try? DirectoryRecords.change(in: folder) { records in
            guard let index = records.all.firstIndex(where: { $0.id == found.id }) else { return }
            records.all[index].app = found.app
            records.all[index].failure = outcome.failure
            records.all[index].failedAt = outcome.failure == nil ? 0 : now
        }
    }

    private static func isEnabled(_ id: GroupName, in folder: DirectoryFolder) -> Bool {
        DirectoryRecords(in: folder)[id]?.isEnabled ?? false
    }

    private func openFolder() throws(DirectoryFailure) -> DirectoryFolder {
        do throws(SystemError) {
            if let folder = try DirectoryFolder.open(inStateDirectory: settings.statePath, makes: true) {
                return folder
            }
        } catch {
            throw DirectoryFailure(.unknown, "the call directory's folder cannot be opened: \(error)")
        }
        throw DirectoryFailure(.unknown, "there is no folder of the call directory")
    }

    /// Takes the lock of `owner`'s table, until the load is over.
    private func take(_ owner: TableOwner, in folder: DirectoryFolder) throws(DirectoryFailure) {
        do throws(SystemError) {
            lock = try folder.tryLock(owner)
        } catch {
            throw DirectoryFailure(.unknown, "the table cannot be locked: \(error)")
        }
        guard lock != nil else { throw DirectoryFailure(.currentlyLoading, "its numbers are being loaded already") }
    }
}
