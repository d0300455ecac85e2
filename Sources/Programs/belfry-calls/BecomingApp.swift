import BelfryAppGroup
import BelfryApps
import BelfrySettings
import BelfrySyscalls
import CallChannel
import Glibc
import RingEar

/// The work of `belfry-app@ID.service`: this process becomes the app.
enum BecomingApp {
    /// Becomes the program of the app `id`; returns the exit status if that fails.
    static func run(_ id: String) -> Int32 {
        let environment = ownEnvironment()
        guard let state = stateDirectory(environment) else { return 78 }
        let apps = ConfiguredApps(paths: SettingsLoader.load(environment: environment).settings.appPaths)
        guard let bundle = apps[id] else {
            let known = apps.bundles.isEmpty ? "none is" : apps.bundles.map(\.identifier).joined(separator: ", ")
            complain("belfry-calls: no app \(id) is configured, \(known): \(Setting.callsApps.name)")
            for fault in apps.faults { complain("belfry-calls: \(Setting.callsApps.name) \(fault)") }
            return 78
        }
        let runtime = RuntimeDirectory(environment: environment, statePath: state.path)
        let path = environment[AppBundle.socketVariable].flatMap { $0.isEmpty ? nil : $0 } ?? runtime.callsSocketPath
        tell(path, id)
        guard unsafe chdir(bundle.path) == 0 else {
            complain("belfry-calls: \(SystemError(errno: errno, call: "chdir", subject: bundle.path))")
            return 70
        }
        do throws(SystemError) {
            try becomeProgram(
                bundle.program, [],
                environment: AppBundle.variables(Environment.allOfThisProcess(), socketPath: path))
        } catch {
            complain("belfry-calls: \(error)")
            return 70
        }
    }

    /// Says to `belfry-calls` which process is the app's, so that its end shows. Without that the app runs as well.
    private static func tell(_ path: String, _ id: String) {
        let line = ClientMessage.becomesApp(id, pid: Int64(getpid())).line
        guard let socket = try? connectStream(to: path, waits: false) else { return }
        _ = NonBlockingOutput(socket.number).write(line[...])
    }
}
