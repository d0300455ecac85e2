import BelfryBus
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import RingEar

/// Runs what the operator has run, by the service manager, over the session bus.
final class HookRunner {
    private let loop: Loop
    private let bus: BusConnection
    private let files: HookFiles
    /// That of the hook that was run last.
    private var number: Int64 = 0

    init(on loop: Loop, bus: BusConnection, runtime: RuntimeDirectory) {
        (self.loop, self.bus) = (loop, bus)
        files = HookFiles(runtime: runtime)
    }

    /// Runs `hook`, and tells `complain` why it cannot be; `done` gets the unit that it is, and the bus that it was
    /// started over, or nil.
    func run(
        _ hook: DesktopHook, _ variables: HookVariables, complain: @escaping (String) -> Void,
        done: @escaping ((unit: String, bus: SessionBus)?) -> Void = { _ in }
    ) {
        guard let bus = bus.bus else {
            complain("\(hook) cannot be started: no session bus")
            return done(nil)
        }
        // Of the clock, so that it is none that an earlier process has used.
        number = max(number + 1, loop.now.microseconds)
        hook.run(on: bus, variables: variables, call: number, files: files) { why in
            complain("\(hook) cannot be started: \(Printable.escaped(why))")
            done(nil)
        } started: {
            done(($0, bus))
        }
    }
}
