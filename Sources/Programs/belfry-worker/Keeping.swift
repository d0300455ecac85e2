import BelfryAppGroup
import BelfryEventLoop
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import ExtensionKeeping
import Glibc

/// The work of belfry-extension.service: keeps the extension's process for the workers of all its notifications.
enum Keeping {
    /// Serves the socket on standard input until there is nothing left to do, and returns the exit status.
    static func run(environment: Environment) -> Int32 {
        let settings = SettingsLoader.load(environment: environment).settings
        do {
            guard let setting = try ExtensionSetting(settings, environment: environment) else {
                complain("belfry-worker: no extension is configured: [Extension] Path=")
                return 78
            }
            guard fileKind(of: STDIN_FILENO) == S_IFSOCK else {
                complain(
                    "belfry-worker: --host serves the socket on its standard input, as belfry-extension.service has one"
                )
                return 64
            }
            OrphanedProcesses.adopt()
            let loop = try Loop()
            try loop.onSignal(SIGCHLD, description: "orphans") { _ in OrphanedProcesses.reapEnded() }
            let queue = try ExtensionQueue(setting, isReused: settings.isReused, listener: STDIN_FILENO, on: loop)
            for signal in [SIGTERM, SIGINT, SIGHUP] {
                try loop.onSignal(signal, description: "stop") { _ in queue.stop() }
            }
            loop.run()
            return 0
        } catch let error as ExtensionBundleError {
            complain("belfry-worker: \(Setting.extensionPath.name) \(error)")
            return 78
        } catch {
            complain("belfry-worker: \(error)")
            return 70
        }
    }
}

extension ExtensionSetting {
    /// The extension that the operator has configured; nil if there is none.
    init?(_ settings: Settings, environment: Environment) throws(ExtensionBundleError) {
        guard let path = settings.extensionPath, let state = StateDirectory(environment: environment) else {
            return nil
        }
        self.init(
            bundle: try ExtensionBundle(path: path), statePath: state.path,
            environment: Environment.allOfThisProcess(), passedVariables: settings.passedVariables,
            budget: settings.expiryBudget, enforcesMemory: settings.enforcesMemory, contactsFile: settings.contactsFile)
    }
}
