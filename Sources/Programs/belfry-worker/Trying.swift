import BelfryEventLoop
import BelfryJSON
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import ExtensionKeeping

/// Starts the extension once for `belfry doctor`, where a unit with the settings of `belfry@.service` runs this.
enum Trying {
    /// Writes what came out on standard output, and returns the exit status.
    static func run(environment: Environment) -> Int32 {
        let settings = SettingsLoader.load(environment: environment).settings
        do {
            guard let setting = try ExtensionSetting(settings, environment: environment) else {
                complain("belfry-worker: no extension is configured: [Extension] Path=")
                return 78
            }
            write(TrialVerdict(try outcome(setting), of: setting.bundle.path))
        } catch let error as ExtensionBundleError {
            write(TrialVerdict(error))
        } catch {
            complain("belfry-worker: \(error)")
            return 70
        }
        return 0
    }

    private static func outcome(_ setting: ExtensionSetting) throws -> ExtensionTrial.Outcome {
        let loop = try Loop()
        var outcome: ExtensionTrial.Outcome?
        let trial = try ExtensionTrial(setting, on: loop) { found in
            outcome = found
            loop.stop()
        }
        // Nothing else keeps the trial alive while the loop runs.
        withExtendedLifetime(trial) { loop.run() }
        return outcome ?? .silent
    }

    private static func write(_ verdict: TrialVerdict) {
        print(String(decoding: verdict.json.serialized(), as: UTF8.self))
    }
}
