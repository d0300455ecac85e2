import BelfryAppGroup
import BelfryApps
import BelfryCommandLine
import BelfrySettings
import BelfrySyscalls
import Glibc
import RingEar

/// The apps that answer calls by their own code: their folders, their last start, and who hands calls to them.
enum AppChecks {
    /// What has calls handed to apps.
    static let enable = "systemctl --user enable --now belfry-calls.socket"

    /// What is to be said of the configured apps; nothing is started.
    static func run(_ context: Context) -> [Finding] {
        let paths = context.loaded.settings.appPaths
        guard !paths.isEmpty else { return [] }
        let apps = ConfiguredApps(paths: paths)
        let environment = Environment(context.environment)
        let runtime = StateDirectory(environment: environment).map {
            RuntimeDirectory(environment: environment, statePath: $0.path)
        }
        // The unit removes its socket as it is stopped.
        let isServed = runtime.map { unsafe access($0.callsSocketPath, F_OK) == 0 } ?? false
        return findings(apps, runtime.map { AppRecords(in: $0.path) }, isServed: isServed)
    }

    /// The findings for `apps`.
    static func findings(_ apps: ConfiguredApps, _ records: AppRecords?, isServed: Bool) -> [Finding] {
        var findings = apps.faults.map {
            Finding(.fail, "app", $0, mend: "correct the app, or \(Setting.callsApps.name)")
        }
        for bundle in apps.bundles { findings.append(finding(bundle, records?[bundle.identifier] ?? AppRecord())) }
        if !isServed {
            let detail = "belfry-calls.socket is off: calls ring without their apps"
            findings.append(Finding(.warn, "apps", detail, mend: enable))
        }
        return findings
    }

    private static func finding(_ bundle: AppBundle, _ record: AppRecord) -> Finding {
        let told = "\(bundle.identifier) (\(bundle.name)), \(history(record))"
        guard record.problem.isEmpty else {
            return Finding(.fail, "app", "\(told): \(record.problem)", mend: "belfry app start \(bundle.identifier)")
        }
        guard let lack = bundle.lacks.first else { return Finding(.ok, "app", told) }
        return Finding(.warn, "app", "\(told); \(lack.what)", mend: lack.remedy)
    }

    private static func history(_ record: AppRecord) -> String {
        guard let started = record.started else { return "not started since boot" }
        let registered = record.registered.map { "registered \(TimeText.time($0))" } ?? "never registered"
        return "last started \(TimeText.time(started)), \(registered)"
    }
}
