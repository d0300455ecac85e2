import BelfryAlerts
import BelfryAppGroup
import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallService
import DesktopChannel
import Showing
import SystemSound

/// What becomes of the alerts of one notification, besides being shown: the first that has a sound is heard, and each
/// is listed.
final class WorkerAlerts {
    /// How long the list is tried for while another process changes it.
    private static let patience = TimeSpan.seconds(1)
    private static let interval = TimeSpan.milliseconds(20)

    private let hello: DesktopHello
    private let loop: Loop
    private let settings: RingSettings
    private let route: SoundRoute
    private let environment: Environment
    private var events = WorkerEvents()
    private var sound: AlertSound?
    /// Those that the list does not have yet.
    private var unlisted: [ListedAlert] = []
    private var listing: (any ScheduledTimer)?
    private var whenListed: [() -> Void] = []

    /// Those of the notification that says `hello` to the desktop.
    init(_ hello: DesktopHello, loop: Loop, settings: RingSettings, route: SoundRoute, environment: Environment) {
        (self.hello, self.loop, self.settings, self.environment) = (hello, loop, settings, environment)
        self.route = route
    }

    /// Takes what is reported of it from now on; `report` takes what is reported of its sound.
    func begin(desktop: DesktopConnection?, report: @escaping (Event.Body) -> Void) {
        let (loop, runtimeDirectory, route) = (loop, environment["XDG_RUNTIME_DIR"], route)
        let sound = AlertSound(
            player: SoundPlayer(loop: loop, runtimeDirectory: runtimeDirectory, route: route), settings: settings,
            environment: environment, timers: loop, minuteOfDay: localMinuteOfDay, report: report)
        sound.desktop = desktop
        sound.willSound = {
            let length = AlertSound.lengthMax + .seconds(3)
            notifyServiceManager("EXTEND_TIMEOUT_USEC=\(length.microseconds)")
        }
        self.sound = sound
    }

    /// Takes an event of the notification.
    func heard(_ event: Event) {
        guard case .alert(let alert)? = events.take(event, from: 0, hello) else { return }
        unlisted.append(
            ListedAlert(
                alert.content, in: alert.group, name: alert.name, at: wallTimeMicroseconds() / 1_000_000))
        // One iteration later, since the listeners after this one have yet to hear of the alert.
        if listing == nil {
            let end = loop.now + Self.patience
            listing = loop.afterThis(description: "alert") { [weak self] in self?.list(until: end) }
        }
        sound?.begin(alert)
    }

    /// Calls `then` once it is listed and heard; perhaps before this returns.
    func finish(_ then: @escaping () -> Void) {
        let finishSound = { [weak self] in
            guard let sound = self?.sound else { return then() }
            sound.finish(then)
        }
        if unlisted.isEmpty { finishSound() } else { whenListed.append(finishSound) }
    }

    /// Silences it (R17).
    func stop() { sound?.stop() }

    private func list(until end: Instant) {
        listing = nil
        guard let state = StateDirectory(environment: environment) else { return listed() }
        do throws(SystemError) {
            while let next = unlisted.first {
                guard try AlertList(in: state).add(next) else {
                    guard loop.now < end else { return give(up: "another process changes it") }
                    listing = loop.schedule(at: loop.now + Self.interval, description: "alert") { [weak self] in
                        self?.list(until: end)
                    }
                    return
                }
                unlisted.removeFirst()
            }
            listed()
        } catch {
            give(up: "\(error)")
        }
    }

    private func give(up why: String) {
        complain("belfry-worker: the list of alerts does not have this one: \(Printable.escaped(why))")
        listed()
    }

    private func listed() {
        unlisted = []
        let waiting = whenListed
        whenListed = []
        for then in waiting { then() }
    }
}
