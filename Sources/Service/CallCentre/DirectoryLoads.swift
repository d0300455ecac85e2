import BelfryAppGroup
import BelfryApps
import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallDirectory
import CallDirectoryFiles
import DirectoryLoading
import ExtensionKeeping

/// The loads of the call directory: those that apps ask for, and that of the address book. Each is a process of its
/// own, `belfry-directory`, so that none shares a loop with a ring.
final class DirectoryLoads {
    private let settings: CentreSettings
    private let loop: Loop
    private let say: (AppWord, String) -> Void
    private let warn: (CodeWord<WarningCode>, String) -> Void
    private let changed: () -> Void
    /// The loads that run, by what the loader is told to load.
    private var running: [String: LoaderProcess] = [:]

    /// What the loader is told for the address book's table; no identifier of an app's extension.
    private static let contacts = "contacts"

    /// Without a load.
    ///
    /// - Parameters:
    ///   - say: says a word to an app.
    ///   - warn: warns those who watch, and the journal.
    ///   - changed: called after a load has ended.
    init(
        _ settings: CentreSettings, on loop: Loop, say: @escaping (AppWord, String) -> Void,
        warn: @escaping (CodeWord<WarningCode>, String) -> Void, changed: @escaping () -> Void
    ) {
        (self.settings, self.loop, self.say, self.warn, self.changed) = (settings, loop, say, warn, changed)
    }

    /// Whether none runs.
    var isEmpty: Bool { running.isEmpty }

    /// Ends all loads: the rows that were there stay.
    func stop() {
        for loader in running.values { loader.end() }
    }

    /// Answers an app's question with this number, at once or once its load has ended.
    func take(_ question: DirectoryQuestion, numbered number: Int64, from app: String) {
        switch question {
        case .reload(let id): reload(id, for: app) { [say] in say(.directory(number, isEnabled: nil, error: $0), app) }
        case .status(let id):
            guard let id = ownExtension(id, of: app) else {
                return say(.directory(number, isEnabled: nil, error: Self.error(.noExtensionFound)), app)
            }
            say(.directory(number, isEnabled: isEnabled(id), error: nil), app)
        case .settings:
            let ids = extensions(of: app).map(\.text)
            let remedy =
                ids.isEmpty
                ? "and it has no call directory: pack one into its PlugIns"
                : ids.map { "\"belfry directory enable \($0)\"" }.joined(separator: ", ")
            warn(CodeWord(.unsupported), "\(app): openSettings opens nothing here; the person says \(remedy)")
            say(.directory(number, isEnabled: nil, error: nil), app)
        }
    }

    /// Has the address book's table made if there is none, or its file is newer; and removed if there is no address
    /// book any more.
    func loadContactsIfOutdated() {
        let folder = try? DirectoryFolder.open(inStateDirectory: settings.state.path, makes: false)
        let table = try? folder?.tableDate(of: .contacts)
        if let file = settings.contactsFile {
            guard let written = FileIdentity(at: file), table ?? .min < written.modifiedMicroseconds else { return }
        } else if table == nil {
            return
        }
        load(Self.contacts) { [warn, file = settings.contactsFile ?? ""] failure in
            guard let failure else { return }
            warn(CodeWord(.configuration), "[Contacts] File=\(file): no caller is known by it: \(failure.description)")
        }
    }

    private func reload(_ id: String, for app: String, _ done: @escaping (_ error: Int64?) -> Void) {
        guard let id = ownExtension(id, of: app) else { return done(Self.error(.noExtensionFound)) }
        guard isEnabled(id) else { return done(Self.error(.extensionDisabled)) }
        guard running[id.text] == nil else { return done(Self.error(.currentlyLoading)) }
        load(id.text) { done($0.map { Self.error($0.code) }) }
    }

    private static func error(_ code: DirectoryFailure.Code) -> Int64 { Int64(code.rawValue) }

    private func load(_ what: String, _ done: @escaping (DirectoryFailure?) -> Void) {
        let loader = LoaderProcess(what, by: settings.loaderCommand, within: settings.loadMax, on: loop)
        running[what] = loader
        loader.run { [unowned self] news in
            switch news {
            case .warning(let code, let detail): warn(code, "\(what): \(detail)")
            // As an app's own output, which is on standard error already.
            case .output(let text): complain("\(what): \(Printable.escaped(text))")
            case .ended(let failure):
                running[what] = nil
                done(failure)
                changed()
            }
        }
    }

    /// The extensions that an app may load: those in its `PlugIns` and those that are configured, each with an
    /// identifier that begins with the app's own.
    private func extensions(of app: String) -> [GroupName] {
        let known = DirectoryExtensions(
            appPaths: settings.apps.bundles.map(\.path), extensionPaths: settings.directoryExtensions)
        let others = settings.apps.bundles.filter { $0.identifier != app }.map { "\($0.path)/" }
        return known.all.filter { found in
            found.id.text.hasPrefix("\(app).") && !others.contains { found.bundle.path.hasPrefix($0) }
        }.map(\.id)
    }

    private func ownExtension(_ id: String, of app: String) -> GroupName? {
        extensions(of: app).first { $0.text == id }
    }

    private func isEnabled(_ id: GroupName) -> Bool {
        let folder = try? DirectoryFolder.open(inStateDirectory: settings.state.path, makes: false)
        return folder.flatMap { DirectoryRecords(in: $0)[id]?.isEnabled } ?? false
    }
}
