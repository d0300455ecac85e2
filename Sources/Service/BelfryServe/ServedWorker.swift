import BelfrySettings
public import BelfrySyscalls
public import BelfryTerms
import Glibc
import Interception

/// A worker as no service manager starts it: how, and how long it may live.
public struct ServedWorker {
    /// What a worker may take beyond its budget: `RuntimeMaxSec=` of `belfry@.service`.
    private static let lifetimeBeyondBudget = TimeSpan.seconds(3)
    /// How long an app may take to report the call of a push, with a second more for each of the two who wait for that.
    private static let appPatienceMax = TimeSpan.seconds(5 + 2)
    /// What a service manager says to its own services alone.
    private static let foreignVariables = ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "NOTIFY_SOCKET"]

    /// The program with its environment.
    public let command: ChildCommand
    /// Where it looks for the keeper of a foreign extension; nil if it needs none.
    public let keeperSocketPath: String?
    /// After so long it is ended.
    public let lifetimeMax: TimeSpan

    /// The worker `program`, whose settings are the `BELFRY_...` variables of `environment` and nothing else. With
    /// `words` all that it writes goes there, also what would go to a journal.
    public init(_ program: String, environment: [String: String], words: ChildCommand.Stream? = nil) {
        var environment = environment.filter { !Self.foreignVariables.contains($0.key) }
        environment["BELFRY_CONFIG_FILES"] = "no"
        environment["SWIFT_BACKTRACE"] = "enable=no,swift-backtrace=/"
        if words != nil { environment["BELFRY_JOURNAL"] = "no" }
        var command = ChildCommand(path: program, environment: environment)
        command.streams[STDERR_FILENO] = words
        self.command = command
        let settings = SettingsLoader.load(environment: Environment(environment)).settings
        let isKept = settings.extensionPath != nil && (settings.isStrict || settings.isReused)
        let runtime = environment["BELFRY_RUNTIME_DIRECTORY"]
        keeperSocketPath = isKept ? runtime.map { "\($0)/extension.sock" } : nil
        // A voip push may wait for its app, and no budget cuts its ring.
        let wait = isKept ? BudgetStart.turn.waitMax : Self.appPatienceMax
        lifetimeMax = wait + max(settings.expiryBudget, settings.ringDuration) + Self.lifetimeBeyondBudget
    }
}
