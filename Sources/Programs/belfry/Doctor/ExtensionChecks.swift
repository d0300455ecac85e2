import BelfryAppGroup
import BelfryCommandLine
import BelfryEventLoop
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import ExtensionKeeping

/// Whether the extension that replaces the built-in service starts, if there is one.
enum ExtensionChecks {
    private static let remedy = "belfry pack makes one, and [Extension] Path= names its NAME.appex"

    /// Starts its process once, which receives nothing.
    static func run(_ context: Context) -> [Finding] {
        guard let path = context.loaded.settings.extensionPath else { return [] }
        do throws(CommandError) {
            return [try start(path, context)]
        } catch {
            return [Finding(.fail, "extension", error.problem, mend: error.remedy)]
        }
    }

    private static func start(_ path: String, _ context: Context) throws(CommandError) -> Finding {
        let state = try GroupAccess(context).state.path
        let loop = try Command.makeLoop()
        var outcome: ExtensionTrial.Outcome?
        do throws(ExtensionBundleError) {
            let settings = context.loaded.settings
            let setting = ExtensionSetting(
                bundle: try ExtensionBundle(path: path), statePath: state, environment: context.environment,
                passedVariables: settings.passedVariables, budget: settings.expiryBudget,
                enforcesMemory: settings.enforcesMemory)
            let trial = try ExtensionTrial(setting, on: loop) { found in
                outcome = found
                loop.stop()
            }
            // Nothing else keeps the trial alive while the loop runs.
            withExtendedLifetime(trial) { loop.run() }
        } catch {
            throw CommandError(.unavailable, error.description, remedy)
        }
        return finding(outcome ?? .silent, of: path)
    }

    /// The finding for an outcome.
    static func finding(_ outcome: ExtensionTrial.Outcome, of path: String) -> Finding {
        switch outcome {
        case .started(let elapsed):
            let milliseconds = DecimalText.fixed(elapsed.seconds * 1_000, digits: 1)
            return Finding(.ok, "extension", "\(path) starts in \(milliseconds) ms")
        case .ended(let exit, let line):
            let end =
                switch exit {
                case .exited(let code): "with status \(code)"
                case .killed(let signal): "by signal \(signal)"
                }
            let detail = "\(path) ends at once, \(end)" + (line.isEmpty ? "" : ": \(line)")
            return Finding(.fail, "extension", detail, mend: remedy)
        case .silent:
            let seconds = DecimalText.fixed(ExtensionTrial.patience.seconds, digits: 0)
            let detail = "\(path) did not say within \(seconds) s that it is there"
            return Finding(.fail, "extension", detail, mend: "its main.swift calls ExtensionProcess.run")
        }
    }
}
