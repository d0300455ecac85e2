import BelfryBus
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms

/// Finds the main process of a unit that was asked to start, which the service manager knows only a little later.
///
/// It is asked again and again for a short time: its signals of jobs come only to those who subscribe, and then for all
/// units that ever start.
struct UnitProcess {
    /// After these times in milliseconds it is asked once more.
    private static let pauses: [Int64] = [10, 20, 50, 100, 200, 500, 1_000, 1_000, 1_000, 1_000]
    private static let manager = "org.freedesktop.systemd1"

    let bus: SessionBus
    let timers: any TimerSource

    /// Calls `done` with the main process of `unit`; nil if it has none, as a target, or none in time.
    func find(_ unit: String, done: @escaping (ProcessIdentity?) -> Void) {
        let (path, interface) = ("/org/freedesktop/systemd1", "\(Self.manager).Manager")
        bus.call(Self.manager, path, interface, "LoadUnit", [.string(unit)]) { answer in
            guard case .success(let values) = answer, let object = values.first?.text else { return done(nil) }
            ask(object, after: Self.pauses[...], done)
        }
    }

    private func ask(_ object: String, after pauses: ArraySlice<Int64>, _ done: @escaping (ProcessIdentity?) -> Void) {
        let question: [BusValue] = [.string("\(Self.manager).Service"), .string("MainPID")]
        bus.call(Self.manager, object, "org.freedesktop.DBus.Properties", "Get", question) { answer in
            guard case .success(let values) = answer, let pid = values.first?.unwrapped.number else { return done(nil) }
            if let process = Int32(exactly: pid).flatMap({ ProcessIdentity(livingPID: $0) }) { return done(process) }
            guard let pause = pauses.first else { return done(nil) }
            _ = timers.schedule(at: timers.now + .milliseconds(pause), description: "a unit's process") {
                ask(object, after: pauses.dropFirst(), done)
            }
        }
    }
}
