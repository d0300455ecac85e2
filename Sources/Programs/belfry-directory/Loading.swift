import BelfryAppGroup
import BelfryConfinement
import BelfryEventLoop
import BelfrySettings
import BelfrySyscalls
import DirectoryLoading
import Glibc

/// One load, from its settings to its exit status.
enum Loading {
    private static let contacts = "contacts"

    /// Loads `source`, an extension or the address book; returns the exit status.
    static func run(_ source: String) -> Int32 {
        var environment = Environment(Environment.allOfThisProcess())
        environment.addMissingHome()
        guard let state = StateDirectory(environment: environment) else {
            complain("belfry-directory: there is no telling where the state is kept: set HOME")
            return 78
        }
        ProcessConfinement.workInBackground()
        OrphanedProcesses.adopt()
        do throws(SystemError) {
            let loop = try Loop()
            try loop.onSignal(SIGCHLD, description: "orphans") { _ in OrphanedProcesses.reapEnded() }
            var status: Int32 = 1
            let loader = DirectoryLoader(settings(environment, state), on: loop) { news in
                write(news)
                guard case .over(let outcome) = news else { return }
                status = outcome.failure == nil ? 0 : 1
                _ = loop.afterThis(description: "over") { loop.stop() }
            }
            for signal in [SIGTERM, SIGINT, SIGHUP] {
                try loop.onSignal(signal, description: "stop") { _ in loader.stop() }
            }
            _ = loop.afterThis(description: "load") {
                if source == contacts { loader.loadContacts() } else { loader.loadExtension(source) }
            }
            loop.run()
            return withExtendedLifetime(loader) { status }
        } catch {
            complain("belfry-directory: \(error)")
            return 70
        }
    }

    private static func settings(_ environment: Environment, _ state: StateDirectory) -> LoadSettings {
        let loaded = SettingsLoader.load(environment: environment).settings
        let extensions = DirectoryExtensions(appPaths: loaded.appPaths, extensionPaths: loaded.directoryExtensions)
        for fault in extensions.faults { complain("belfry-directory: \(fault)") }
        var settings = LoadSettings(
            extensions: extensions, statePath: state.path, environment: Environment.allOfThisProcess(),
            passedVariables: loaded.passedVariables, contactsFile: loaded.contactsFile)
        settings.entriesMax = loaded.directoryEntriesMax
        settings.timeout = loaded.directoryLoadTimeout
        settings.memoryBytesMax = loaded.directoryLoadBytesMax
        settings.plan = loaded.dialingPlan
        return settings
    }

    /// Writes the news for whoever has started the load. Nobody may be there any more: the load goes on.
    private static func write(_ news: LoadNews) {
        try? writeAll(news.line, to: STDOUT_FILENO, path: "standard output")
    }
}
