import BelfryAppGroup
import BelfryCommandLine
import BelfryJSON
import BelfrySettings
import BelfrySyscalls

/// Whether the extension that replaces the built-in service starts, if there is one, and whether it can attach files.
enum ExtensionChecks {
    /// Starts its process once, which receives nothing: with the settings of the worker's unit, if there is one.
    static func run(_ context: Context) -> [Finding] {
        guard let path = context.loaded.settings.extensionPath else { return [] }
        do throws(CommandError) {
            guard let worker = programBeside("belfry-worker") else {
                throw CommandError(.unavailable, "/proc is not mounted")
            }
            let state = try GroupAccess(context).state.path
            let variables = [Setting.extensionPath.environmentVariable: path, "BELFRY_STATE_DIRECTORY": state]
            guard let unit = TrialUnit(context.environment["XDG_RUNTIME_DIR"]) else {
                let answer = ProgramAnswer.of(
                    worker, TrialUnit.arguments, environment: context.environment.merging(variables) { $1 },
                    patience: TrialUnit.patience)
                return [finding(answer, "tried without a unit's settings: no user manager has belfry@.service")]
            }
            return [finding(try unit.answer(of: worker, variables), "tried with the settings of belfry@.service")]
        } catch {
            return [Finding(.fail, "extension", error.problem, mend: error.remedy)]
        }
    }

    /// The finding for what the worker has written, and how it was run.
    static func finding(_ answer: String?, _ way: String) -> Finding {
        let verdict = answer.flatMap { try? JSONValue.parse(Array($0.utf8)).objectValue }
        guard let isGood = verdict?["good"]?.boolValue, let detail = verdict?["detail"]?.stringValue,
            let remedy = verdict?["remedy"]?.stringValue
        else {
            let detail = "what starts it is not run, or ends at once; \(way)"
            return Finding(.fail, "extension", detail, mend: "see journalctl --user -t systemd -t belfry-worker")
        }
        return Finding(isGood ? .ok : .fail, "extension", "\(detail); \(way)", mend: remedy)
    }
}
