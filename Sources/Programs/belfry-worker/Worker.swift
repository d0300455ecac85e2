import BelfryAppGroup
import BelfryBus
import BelfryEventLoop
import BelfryJournal
import BelfryProtocol
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import CallDirectoryFiles
import CallLedger
import CallService
import ExtensionKeeping
import Glibc
import GroupLedger
import Interception
import NotificationDelivery
import PictureFetcher
import PushFollowing
import RingEar
import SystemSound

/// The process that systemd starts for one notification: connects the modules, and runs the loop until it is done.
final class Worker {
    /// Exit statuses, of sysexits(3).
    private enum Status {
        /// Also after a stop, which is no failure (R17).
        static let handled: Int32 = 0
        static let badNotification: Int32 = 65
        static let defect: Int32 = 70
        /// The end of the call could not be recorded: the service manager starts the tidying unit to do it.
        static let unrecorded: Int32 = 74
    }

    private let loop: Loop
    private let environment: Environment
    private let connection: ClientConnection
    private let journal: JournalSink
    private var delivery: Delivery?
    private var picture: PictureDownload?
    private var ledger: WorkerLedger?
    private var desktop: DesktopConnection?
    /// The connection to `belfry-calls`, of a voip push alone.
    private var calls: CallLink?
    private var alerts: WorkerAlerts?
    private var pushReport: PushReport?
    private var centre: ShownInCentre?
    private var status = Status.handled
    private var isOver = false

    /// Handles the notification on standard input, and returns the exit status.
    static func run(environment: Environment) -> Int32 {
        do throws(SystemError) {
            // A notification that can be read at once is answered at once, before the loop prepares to wait.
            let worker = Worker(loop: try Loop(preparesLater: true), environment: environment)
            try worker.listenForStop()
            worker.connection.read { [unowned worker] in worker.received($0) }
            if !worker.isOver { try worker.loop.prepare() }
            worker.loop.run()
            worker.journal.finish()
            worker.picture?.removeOld(keeping: worker.listedPictures)
            return worker.status
        } catch {
            complain("belfry-worker: \(error)")
            return Status.defect
        }
    }

    private init(loop: Loop, environment: Environment) {
        self.loop = loop
        self.environment = environment
        connection = ClientConnection(
            loop: loop, input: STDIN_FILENO, output: STDOUT_FILENO, acceptedAt: processStart())
        let isForStandardError = environment["BELFRY_JOURNAL"] == "no"
        journal = JournalSink(loop: loop, path: isForStandardError ? JournalWriter.noPath : JournalWriter.standardPath)
    }

    /// Handles the signals that stop it: the notification ends as R17 says; without one yet, the worker leaves.
    private func listenForStop() throws(SystemError) {
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            try loop.onSignal(signal, description: "stop") { [unowned self] _ in
                alerts?.stop()
                guard let delivery else { return leave() }
                delivery.stop()
            }
        }
    }

    private func received(_ reading: PushReading) {
        let receivedAt = loop.now
        guard connection.peerUser.map({ $0 == geteuid() || $0 == 0 }) ?? true else {
            return refuse(Rejection(.badField, detail: "only this user and root may push here"), at: receivedAt)
        }
        do throws(Rejection) {
            switch reading {
            case .complete(let bytes):
                var loaded: LoadedSettings?
                let push = try Push.parse(
                    bytes,
                    names: { stated in
                        let settings = SettingsLoader.load(environment: environment)
                        loaded = settings
                        return settings.settings.callNames(for: stated)
                    })
                try handle(push, loaded ?? SettingsLoader.load(environment: environment), receivedAt: receivedAt)
            case .tooLarge: throw .notificationTooLarge
            case .incomplete(let bytes):
                let seconds = ClientConnection.notificationPatience.seconds
                throw Rejection(.incomplete, detail: "\(bytes) bytes came in \(seconds) s, and not the end")
            }
        } catch {
            refuse(error, at: receivedAt)
        }
    }

    private func handle(_ push: Push, _ loaded: LoadedSettings, receivedAt: Instant) throws(Rejection) {
        let settings = loaded.settings
        let name = push.envelope.appGroup ?? settings.appGroup
        guard let group = GroupName(name) else {
            throw Rejection(.badAppGroup, detail: "\(Printable.escaped(name)) is no name of an app group")
        }
        let greeting = Reception.greeting(
            of: push, in: group, hasForeign: settings.extensionPath != nil,
            hasApps: unsafe access(runtime.callsSocketPath, F_OK) == 0)
        let desktop = desktop(greeting)
        let original = settings.extensionPath.map { _ in
            LaidOriginal(in: runtime.path, hello: greeting.hello)
        }
        let alerts = WorkerAlerts(
            greeting.hello, loop: loop, settings: RingSettings(settings), route: SoundRoute(settings),
            environment: environment)
        self.alerts = alerts
        follow(PushRecord.Taken(push, at: now))
        let reporter = reporter(
            id: push.request.id, receivedAt: receivedAt, group: group.text, desktop: desktop, original: original,
            alerts: alerts)
        alerts.begin(desktop: desktop, report: reporter.report)
        desktop?.onReport = reporter.report
        let world = world(settings, group: group, desktop: desktop, report: reporter.report)
        var notes = loaded.mistakes.map { Event.Body.warning(code: .configuration, detail: $0.description) }
        var foreign: ForeignExtension?
        var lacksForeign = loaded.mistakes.contains { $0.setting == .extensionPath } && settings.extensionPath == nil
        do throws(ExtensionBundleError) {
            foreign = try foreignExtension(settings, group: group, report: reporter.report) { notes.append($0) }
            if let original { foreign?.willReceive = original.lay }
        } catch {
            notes.append(.warning(code: .configuration, detail: "\(Setting.extensionPath.name) \(error)"))
            lacksForeign = true
        }
        let notification = Reception(
            world: world, settings: RingSettings(settings), foreign: foreign, lacksForeign: lacksForeign
        ).sort(push, notes: notes)
        original?.isShown = !notification.mayBeFiltered
        let budget = Budget(
            from: notification.budgetStart, acceptedAt: connection.acceptedAt, now: loop.now,
            length: settings.expiryBudget)
        let delivery = Delivery(notification, timers: loop, budget: budget, report: reporter.report) {
            [unowned self] end in close(refused: end == .refused)
        }
        self.delivery = delivery
        let lifetime = notification.lifetime(budget: settings.expiryBudget)
        delivery.start()
        // What can ring at once does so first: saying this opens libsystemd.
        extendRuntime(to: lifetime)
    }

    /// The extension that the operator has configured; nil if there is none.
    private func foreignExtension(
        _ settings: Settings, group: GroupName, report: @escaping (Event.Body) -> Void, note: (Event.Body) -> Void
    ) throws(ExtensionBundleError) -> ForeignExtension? {
        guard let setting = try ExtensionSetting(settings, environment: environment) else { return nil }
        OrphanedProcesses.adopt()
        centre = ShownInCentre(
            of: setting.bundle.app, in: StateDirectory(path: setting.statePath), timers: loop,
            wall: { WallTime(microseconds: wallTimeMicroseconds()) })
        let ledger = LedgerFile(state: StateDirectory(path: setting.statePath), runtime: runtime, group: group)
        return ForeignExtension(
            setting, link: keeperLink(settings, note: note),
            player: settings.sound == SoundFiles.none
                ? nil
                : SoundPlayer(
                    loop: loop, runtimeDirectory: environment["XDG_RUNTIME_DIR"], route: SoundRoute(settings)),
            on: loop, report: report, activeCalls: { Set((ledger.read()?.activeCalls ?? []).map(\.key.text)) }
        ) { bytes in
            // The extension's output must not block the worker if it is not read.
            _ = NonBlockingOutput(STDERR_FILENO).write(bytes[...])
        }
    }

    /// The keeper of the extension's process, if the operator wants one.
    private func keeperLink(_ settings: Settings, note: (Event.Body) -> Void) -> KeeperLink? {
        guard settings.isStrict || settings.isReused else { return nil }
        do throws(SystemError) {
            return try KeeperLink(to: runtime.keeperSocketPath, on: loop)
        } catch {
            let detail = "the notification has a process of its own, and waits for no other: \(error)"
            note(.warning(code: .keeperGone, detail: detail))
            return nil
        }
    }

    /// The connection to the desktop; nil if this notification is not for it, or it does not listen, and this
    /// notification is too short to try again.
    private func desktop(_ greeting: DesktopGreeting) -> DesktopConnection? {
        guard greeting.isNeeded else { return nil }
        let link = DesktopConnection(
            to: runtime.desktopSocketPath, saying: greeting.hello, listens: greeting.listens, on: loop)
        return greeting.triesAgain || link.isConnected ? link : nil
    }

    private var runtime: RuntimeDirectory {
        RuntimeDirectory(environment: environment, statePath: StateDirectory(environment: environment)?.path ?? "/")
    }

    private func world(
        _ settings: Settings, group: GroupName, desktop: DesktopConnection?, report: @escaping (Event.Body) -> Void
    ) -> CallWorld {
        let state = StateDirectory(environment: environment) ?? StateDirectory(path: "/nonexistent/belfry")
        let picture = PictureDownload(
            loop: loop, settings: PictureSettings(settings), statePath: state.path,
            program: programBeside("belfry-avatar"))
        self.picture = picture
        let runtime = RuntimeDirectory(environment: environment, statePath: state.path)
        let file = LedgerFile(state: state, runtime: runtime, group: group)
        file.answersWait = settings.answerLifetime
        let ledger = WorkerLedger(loop: loop, file: file, report: report)
        self.ledger = ledger
        let (loop, runtimeDirectory) = (loop, environment["XDG_RUNTIME_DIR"])
        var world = CallWorld(
            timers: loop, wall: { WallTime(microseconds: wallTimeMicroseconds()) }, minuteOfDay: localMinuteOfDay,
            ledger: ledger,
            ringer: Ringer(
                player: SoundPlayer(loop: loop, runtimeDirectory: runtimeDirectory, route: SoundRoute(settings)),
                settings: RingSettings(settings), environment: environment, report: report),
            pictures: FetchedPicture(loop: loop, picture: picture), report: report)
        world.desktop = desktop
        world.lookUp = DirectoryLookup.ofHandles(settings.dialingPlan, inStateDirectory: state.path)
        world.appCalls = AppCallsDoor(group: group) { [unowned self] in
            calls = CallLink(to: runtime.callsSocketPath, on: loop)
            return calls
        }
        // Tests and containers keep no machine awake.
        if environment["BELFRY_CONFIG_FILES"] != "no" { world.wakefulness = SleepInhibitor(on: loop) }
        return world
    }

    /// The pictures of the listed missed calls, which must be kept.
    private func listedPictures() -> Set<String>? {
        guard let state = StateDirectory(environment: environment) else { return nil }
        return state.listedPictures(runtime: RuntimeDirectory(environment: environment, statePath: state.path))
    }

    /// Says what the notification is taken for to those who follow pushes, of whom there are none as a rule.
    private func follow(_ taken: @autoclosure () -> PushRecord.Taken) {
        pushReport = PushReport(taken(), in: FollowersFolder(in: runtime), on: loop)
    }

    private var now: WallTime { WallTime(microseconds: wallTimeMicroseconds()) }

    private func refuse(_ rejection: Rejection, at receivedAt: Instant) {
        let id = randomUUID()
        follow(PushRecord.Taken(unreadable: id, at: now))
        reporter(id: id, receivedAt: receivedAt, group: "").report(
            .rejected(reason: rejection.reason, detail: rejection.detail))
        close(refused: true)
    }

    private func close(refused: Bool) {
        if refused { status = Status.badNotification }
        let close = { [unowned self] in connection.close(refused: refused) { [unowned self] in leave() } }
        let finish = { [unowned self] in if let alerts { alerts.finish(close) } else { close() } }
        if let centre { centre.finish(finish) } else { finish() }
    }

    /// Ends once the group file has the end of the call, also after a stop (R17).
    private func leave() {
        guard let ledger else { return end() }
        ledger.finish { [unowned self] in
            if ledger.isKnownHereAlone { status = Status.unrecorded }
            end()
        }
    }

    private func end() {
        pushReport?.end()
        isOver = true
        loop.stop()
    }

    private func reporter(
        id: String, receivedAt: Instant, group: String, desktop: DesktopConnection? = nil,
        original: LaidOriginal? = nil, alerts: WorkerAlerts? = nil
    ) -> EventReporter {
        journal.begin(group: group)
        self.desktop = desktop
        return EventReporter(
            timers: loop, id: id, receivedAt: receivedAt,
            // The centre first: who hears that a notification is delivered finds it there. The journal hears after who
            // waits: a client, and an app whose call was answered.
            listeners: [
                { [weak self] event in self?.centre?.heard(event) }, connection.write,
                { [weak self] event in self?.calls?.write(event) }, journal.write,
            ]
                + (desktop.map { [$0.write] } ?? []) + (original.map { [$0.heard] } ?? [])
                + (alerts.map { [$0.heard] } ?? []) + (pushReport.map { [$0.write] } ?? []))
    }

    /// Asks systemd for more time if it may take longer than the default budget: the unit's `RuntimeMaxSec=` fits that.
    private func extendRuntime(to lifetime: TimeSpan) {
        guard lifetime > Settings.expiryBudgetOfApple else { return }
        let length = lifetime + .seconds(5)
        notifyServiceManager("EXTEND_TIMEOUT_USEC=\(length.microseconds)")
    }
}

/// When this process started, rounded down to the kernel's clock tick of 10 ms.
private func processStart() -> Instant {
    let ticksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
    let ticks = Int64(clamping: ProcessIdentity.current.startTicks)
    return Instant(microseconds: ticks.multipliedReportingOverflow(by: 1_000_000 / ticksPerSecond).partialValue)
}

extension SoundRoute {
    fileprivate init(_ settings: Settings) {
        self.init(device: settings.ringDevice, volumePercent: settings.ringVolumePercent)
    }
}

extension PictureSettings {
    fileprivate init(_ settings: Settings) {
        self.init(
            timeout: settings.avatarTimeout, bytesMax: settings.avatarBytesMax, allow: settings.avatarAllow,
            from: settings.avatarFrom)
    }
}

extension RingSettings {
    init(_ settings: Settings) {
        self.init(
            duration: settings.ringDuration, interval: settings.ringInterval, sound: settings.sound,
            secondCall: settings.secondCall, callsMax: settings.callsMax)
        (quietHours, repeatedWithin) = (settings.quietHours, settings.repeatedWithin)
        (expiryBudget, appPatience) = (settings.expiryBudget, settings.appPatience)
        looksUpAppCalls = settings.looksUpAppCalls
    }
}
