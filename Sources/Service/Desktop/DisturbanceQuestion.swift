import BelfryBus
public import BelfryEventLoop
public import BelfrySyscalls
public import BelfryTerms
import Showing

/// Asks the desktop once for its do-not-disturb, as `belfry-desktop` does, which may not run. Nothing is started.
public enum DisturbanceQuestion {
    /// How long the desktop's parts may take to answer, all together.
    public static let patience = TimeSpan.milliseconds(500)

    /// Whether do-not-disturb is on, for the user of `environment`; nil if there is no session bus.
    ///
    /// Runs `loop` until all have answered, at most ``patience``: who is silent then mutes nothing.
    public static func ask(on loop: Loop, environment: Environment) -> Bool? {
        guard let bus = try? SessionBus(on: loop) else { return nil }
        let desktop = DoNotDisturb(dconfPath: DconfFile.path(environment)) {}
        var hasServer: Bool?
        desktop.onSettled = { if hasServer != nil { loop.stop() } }
        bus.callBus("GetNameOwner", [.string(NotificationServer.name)]) { answer in
            let owner = (try? answer.get())?.first?.text
            hasServer = owner != nil
            desktop.serverIs(owner)
            if desktop.isSettled { loop.stop() }
        }
        bus.onLost = { loop.stop() }
        desktop.connected(to: bus)
        let end = loop.schedule(at: loop.now + patience, description: "do-not-disturb") { loop.stop() }
        loop.run()
        end.cancel()
        bus.close()
        return hasServer == nil ? nil : desktop.level > .none
    }
}
