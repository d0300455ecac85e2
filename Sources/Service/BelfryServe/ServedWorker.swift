import BelfrySettings
public import BelfrySyscalls
public import BelfryTerms
import Glibc
import Interception
import RingEar

/// A worker as no service manager starts it: how, and how long it may live.
public struct ServedWorker {
    /// What a worker may take beyond its budget: `RuntimeMaxSec=` of `belfry@.service`.
    private static let lifetimeBeyondBudget = TimeSpan.seconds(3)
    /// What a worker waits for beyond the patience with an app: a second for each of the two who wait for its report.
    private static let beyondAppPatience = TimeSpan.seconds(2)
    /// What a service manager says to its own services alone.
    private static let foreignVariables = ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "NOTIFY_SOCKET"]

    /// The program with its environment.
    public let command: ChildCommand
    /// Where it looks for the keeper of a foreign extension; nil if it needs none.
    public let keeperSocketPath: String?
    /// What knows the calls of apps, where `[Calls] Apps=` names one; nil elsewhere.
    public let calls: ServedCalls?
    /// After so long it is ended.
    public let lifetimeMax: TimeSpan

    /// The worker `program`, whose settings are the `BELFRY_...` variables of `environment` and nothing else. With
    /// `words` all that it writes goes there, also what would go to a journal.
    ///
    /// - Parameter callsPath: the `belfry-calls` of an app that needs no setting; nil for that beside `program`, where
    ///   a setting names an app.
    public init(
        _ program: String, calls callsPath: String? = nil, environment: [String: String],
        words: ChildCommand.Stream? = nil
    ) {
        var environment = environment.filter { !Self.foreignVariables.contains($0.key) }
        environment["BELFRY_CONFIG_FILES"] = "no"
        environment["SWIFT_BACKTRACE"] = "enable=no,swift-backtrace=/"
        if words != nil { environment["BELFRY_JOURNAL"] = "no" }
        var command = ChildCommand(path: program, environment: environment)
        command.streams[STDERR_FILENO] = words
        self.command = command
        let settings = SettingsLoader.load(environment: Environment(environment)).settings
        let isKept = settings.extensionPath != nil && (settings.isStrict || settings.isReused)
        let runtime = environment["BELFRY_RUNTIME_DIRECTORY"].map { RuntimeDirectory(path: $0) }
        keeperSocketPath = isKept ? runtime?.keeperSocketPath : nil
        let folder = program.lastIndex(of: "/").map { program[...$0] } ?? ""
        let callsProgram = callsPath ?? (settings.appPaths.isEmpty ? nil : folder + "belfry-calls")
        calls = callsProgram.flatMap { path in
            runtime.map { ServedCalls(at: $0.callsSocketPath, path, like: command) }
        }
        // A voip push may wait for its app, and no budget cuts its ring.
        let app = calls == nil ? .zero : settings.appPatience + Self.beyondAppPatience
        let wait = app + (isKept ? BudgetStart.turn.waitMax : .zero)
        lifetimeMax = wait + max(settings.expiryBudget, settings.ringDuration) + Self.lifetimeBeyondBudget
    }
}

/// What knows the calls of apps where no service manager starts it.
public struct ServedCalls {
    /// Where it listens.
    let socketPath: String
    /// The program with its environment.
    let command: ChildCommand

    /// The program at `path`, with the environment and the standard error of `worker`, whose apps are its children.
    public init(at socketPath: String, _ path: String, like worker: ChildCommand) {
        var command = worker
        command.path = path
        self.socketPath = socketPath
        self.command = command
    }
}
