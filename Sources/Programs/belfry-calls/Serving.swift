import BelfryAppGroup
import BelfryApps
import BelfryEventLoop
import BelfryJournal
import BelfryPush
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import CallCentre
import CallControl
import CallDirectoryFiles
import Glibc
import RingEar

/// The work of belfry-calls.service.
enum Serving {
    /// Where systemctl(1) is.
    private static let systemctl = "/usr/bin/systemctl"
    /// Where systemd-run(1) is.
    private static let systemdRun = "/usr/bin/systemd-run"
    /// What the unit starts anew (`RestartForceExitStatus=`).
    private static let outdated: Int32 = 75

    /// How long a loader has beside what the extension has: for the table that it writes.
    private static let writingMax = TimeSpan.seconds(60)

    /// For as many connections as there may be, and all else, as in the unit (`LimitNOFILE=`).
    private static let descriptorsMax = 4_096

    /// Serves until there is nothing left to do, and returns the exit status. With `units` apps are started as units of
    /// that name, and the socket is the manager's; else apps are children.
    static func run(units: String?) -> Int32 {
        let environment = ownEnvironment()
        // 3 is the first descriptor that the manager passes (sd_listen_fds(3)).
        let listener: Int32 = units == nil ? STDIN_FILENO : 3
        guard units == nil || environment["LISTEN_FDS"] != nil, fileKind(of: listener) == S_IFSOCK else {
            complain("belfry-calls: descriptor \(listener) is no socket: belfry-calls.socket starts this program")
            return 64
        }
        guard let state = stateDirectory(environment) else { return 78 }
        allowDescriptors(descriptorsMax)
        do {
            let loop = try Loop()
            let settings = try settings(environment, state, units)
            for fault in settings.apps.faults { complain("belfry-calls: \(Setting.callsApps.name) \(fault)") }
            var status: Int32 = 0
            let centre = try Centre(
                settings, listener: listener, on: loop
            ) { loop.stop() }
            centre.onOutdated = {
                status = outdated
                loop.stop()
            }
            let program = ProgramWatch(on: loop) { centre.outdate() }
            for signal in [SIGTERM, SIGINT, SIGHUP] {
                try loop.onSignal(signal, description: "stop") { _ in centre.stop { loop.stop() } }
            }
            notifyServiceManager("READY=1")
            loop.run()
            return withExtendedLifetime((centre, program)) { status }
        } catch {
            complain("belfry-calls: \(error)")
            return 70
        }
    }

    private static func settings(
        _ environment: Environment, _ state: StateDirectory, _ units: String?
    ) throws -> CentreSettings {
        let loaded = SettingsLoader.load(environment: environment).settings
        guard let group = GroupName(loaded.appGroup) else {
            preconditionFailure("a setting that is no group was taken")
        }
        var control = CallControlSettings()
        control.appPatience = loaded.appPatience
        control.actionTimeout = loaded.actionTimeout
        control.answerTimeout = loaded.answerTimeout
        control.startTimeout = loaded.startTimeout
        let runtime = RuntimeDirectory(environment: environment, statePath: state.path)
        let start: CentreSettings.Start =
            if let units { .units(name: units, systemctl: systemctl) } else {
                .children(
                    environment: AppBundle.variables(
                        Environment.allOfThisProcess(), socketPath: runtime.callsSocketPath))
            }
        let isForStandardError = environment["BELFRY_JOURNAL"] == "no"
        var settings = CentreSettings(
            apps: ConfiguredApps(paths: loaded.appPaths), control: control, state: state, runtime: runtime,
            pushSocketPath: try PushSocket(environment: Environment.allOfThisProcess()).path, start: start,
            group: group, journalPath: isForStandardError ? JournalWriter.noPath : JournalWriter.standardPath)
        settings.environment = loaded.apnsEnvironment
        settings.contactsFile = loaded.contactsFile
        if loaded.looksUpAppCalls {
            settings.lookUp = DirectoryLookup.ofHandles(loaded.dialingPlan, inStateDirectory: state.path)
        }
        settings.directoryExtensions = loaded.directoryExtensions
        settings.loadMax = loaded.directoryLoadTimeout + Self.writingMax
        settings.loaderCommand = loaderCommand(isUnit: units != nil, within: settings.loadMax)
        return settings
    }

    /// The loader: where apps are units, a unit of its own as well. Foreign code gives it its numbers, for which this
    /// unit's memory, network and number of tasks are not made.
    private static func loaderCommand(isUnit: Bool, within max: TimeSpan) -> [String] {
        guard let program = programBeside("belfry-directory") else { return [] }
        guard isUnit else { return [program] }
        let own = Environment.allOfThisProcess().keys.filter { $0.hasPrefix("BELFRY_") }.sorted()
        return [
            systemdRun, "--user", "--pipe", "--wait", "--quiet", "--collect", "--slice=belfry.slice",
            "--property=RuntimeMaxSec=\(max.microseconds / 1_000_000)",
        ] + own.map { "--setenv=\($0)" } + ["--", program]
    }
}
