import BelfryAppGroup
import BelfryCommandLine
import BelfrySettings
import BelfrySyscalls
import Desktop
import RingEar

/// What the desktop's do-not-disturb means for the next ring.
enum DesktopDisturbance {
    /// `DoNotDisturb=ignore`.
    case ignored
    /// The socket is off by which workers hear of it.
    case unheard
    /// There is no session bus.
    case unknown
    /// It mutes rings.
    case on
    /// It does not.
    case off

    /// Asks the desktop, whether `belfry-desktop` runs or not: it leaves when nothing is shown.
    static func now(_ context: Context) throws(CommandError) -> DesktopDisturbance {
        guard context.loaded.settings.mindsDoNotDisturb else { return .ignored }
        let environment = Environment(context.environment)
        let state = try GroupAccess(context).state
        let runtime = RuntimeDirectory(environment: environment, statePath: state.path)
        guard ListeningSockets.contains(runtime.desktopSocketPath) else { return .unheard }
        return switch DisturbanceQuestion.ask(on: try Command.makeLoop(), environment: environment) {
        case true?: .on
        case false?: .off
        case nil: .unknown
        }
    }
}
