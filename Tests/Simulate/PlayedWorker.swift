import BelfryAppGroup
import BelfryEventLoop
import BelfryJSON
import BelfryProtocol
import BelfryTerms
import CallLedger
import CallService
import GroupLedger
import Interception
import BelfryPictures
import PictureFetcher
import RingEar
import ServiceHost

/// One worker: the real host with the real extensions, ledger and ear, in a process that is played.
final class PlayedWorker {
    let process: PlayedProcess
    let push: PlayedPush
    let number: Int
    unowned let world: World
    /// What the oracle knows of it.
    var account = Account()
    private var host: NotificationHost?
    private var ledger: WorkerLedger?
    private var pictures: PlayedFetcher?
    private var code: PlayedCodeExtension?
    /// What the desktop says to it; nil if none listens.
    private(set) var desktop: PlayedRingDesktop?
    /// Whether it has left something that nobody else knows of.
    private(set) var leavesUnrecorded = false
    /// Whether a client still hears its events.
    private var isHeard = true

    init(_ push: PlayedPush, number: Int, world: World) {
        self.push = push
        self.number = number
        self.world = world
        process = world.machine.spawn()
        arrivedAt = world.machine.time.now
        let length = push.code?.waits == nil ? world.plan.surroundings.budget : PlayedCode.waitMax
        budget = Budget(start: world.machine.bootTime, length: length)
    }

    var isAlive: Bool { process.isAlive }
    var now: Instant { world.machine.bootTime }

    /// When its push came, in the simulation's time.
    let arrivedAt: Int64
    private var budget: Budget
    /// When its budget is over, and a second before that, or half-way through a short one (R3).
    var deadline: Instant { budget.start + budget.length }
    var noticeAt: Instant {
        let length = budget.length
        return length < .seconds(2)
            ? budget.start + TimeSpan(microseconds: length.microseconds / 2) : deadline - .seconds(1)
    }

    /// An extension that waited has its turn, and a budget from now on (R3).
    func hasItsTurn() -> Budget {
        budget = Budget(start: now, length: world.plan.surroundings.budget)
        return budget
    }

    /// The notification arrives.
    func start() {
        process.perform { [self] in
            let loop = PlayedLoop(process)
            let surroundings = world.plan.surroundings
            let reporter = EventReporter(timers: loop, id: "1", receivedAt: loop.now, listeners: [report])
            let ledger = WorkerLedger(loop: loop, file: world.ledgerFile(of: push.group), report: reporter.report)
            self.ledger = ledger
            let pictures = PlayedFetcher(self, loop: loop)
            self.pictures = pictures
            var call = CallWorld(
                timers: loop, wall: { [world] in world.machine.wall },
                minuteOfDay: { [world] in surroundings.mutes.minute(at: world.machine.wall) },
                ledger: WatchedLedger(ledger, worker: self), ringer: PlayedSound(self), pictures: pictures,
                report: reporter.report)
            desktop = surroundings.mutes.desktop.map { PlayedRingDesktop($0, of: self, on: loop) }
            call.desktop = desktop
            var settings = RingSettings(
                duration: surroundings.duration, interval: surroundings.interval, sound: "none",
                secondCall: surroundings.secondCall, callsMax: surroundings.callsMax)
            settings.quietHours = surroundings.mutes.setting
            settings.repeatedWithin = surroundings.mutes.repeatedWithin
            let code = push.code.map { PlayedCodeExtension($0, of: self, on: loop) }
            self.code = code
            account.passthrough = world.oracle.passthrough(of: push, arrivedAt: world.machine.wall)
            let host = NotificationHost(
                Reception(world: call, settings: settings, foreign: code).visit(parsed), timers: loop, budget: budget,
                report: reporter.report
            ) { [self] end in
                // The connection is closed.
                world.oracle.closes(self, as: end)
                isHeard = false
                account.hasClosed = true
                leave()
            }
            self.host = host
            host.start()
        }
    }

    /// SIGTERM.
    func terminate() {
        process.perform { [self] in
            world.oracle.toldToStop(self)
            if let host { host.stop() } else { leave() }
        }
    }

    private func leave() {
        ledger?.finish { [self] in
            guard isAlive else { return }
            world.oracle.left(self)
            leavesUnrecorded = ledger?.isKnownHereAlone ?? false
            process.end()
        }
    }

    /// What the worker held goes with its process.
    func release() { (host, ledger, pictures, code, desktop) = (nil, nil, nil, nil, nil) }

    private func report(_ event: Event) {
        // Telling is an effect: a worker can be killed before it.
        guard isHeard, process.step() else { return }
        world.oracle.reported(event, by: self)
    }

    /// The push as it comes through the socket.
    private var parsed: Push {
        var envelope = Envelope()
        if push.isVoIP { envelope.pushType = .voip }
        if push.isBackground { envelope.pushType = .background }
        envelope.expiration = push.expiration.map { $0 == 0 ? WallTime(microseconds: 0) : world.wallTime($0) }
        let sentAt = push.sentAt.map(world.wallTime)
        var payload: JSONObject
        switch push.kind {
        case .request:
            payload = CallRequest(
                callID: push.id, callerName: push.isNamed ? push.caller : nil,
                handle: push.isNamed ? nil : push.caller,
                callerAvatar: push.picture.map { _ in .url(Self.picture) } ?? .absent,
                duration: push.duration.flatMap { TimeSpan(seconds: $0) }, sentAt: sentAt
            ).payload()
        case .hangup(let reason): payload = Hangup(callID: push.id, reason: reason, sentAt: sentAt).payload()
        case .alert: payload = ["aps": ["alert": push.text.alert, "mutable-content": 1]]
        }
        if case .object(var aps)? = payload["aps"] {
            if !push.isMutable { aps["mutable-content"] = nil }
            if case .request = push.kind {
                aps["interruption-level"] = push.level.map { .string($0.rawValue) }
                if !push.hasTitle { aps["alert"] = ["body": "a call"] }
                if push.text == .missing { aps["alert"] = nil }
                if push.isSoundCritical { aps["sound"] = ["name": "alarm.wav", "critical": 1] }
            }
            payload["aps"] = .object(aps)
        }
        do throws(Rejection) {
            return try Push.parse(envelope.enclosing(payload).serialized())
        } catch {
            preconditionFailure("a push of our own was refused: \(error)")
        }
    }

    private static let picture = "https://example.org/caller.png"
}

extension AlertText {
    fileprivate var alert: JSONValue {
        switch self {
        case .body: ["body": "mail"]
        case .title: ["title": "mail"]
        case .subtitle: ["subtitle": "mail"]
        case .string: "mail"
        case .missing: [:]
        }
    }
}

/// The worker's ledger, whose decisions the oracle learns of in their order.
private final class WatchedLedger: SharedLedger {
    private let ledger: WorkerLedger
    private let worker: PlayedWorker
    private var oracle: Oracle { worker.world.oracle }

    init(_ ledger: WorkerLedger, worker: PlayedWorker) {
        self.ledger = ledger
        self.worker = worker
    }

    var owner: Owner { ledger.owner }

    func transact<Answer>(
        _ change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        ledger.transact { [worker, oracle] ledger in
            let answer = change(&ledger)
            if worker.isAlive { oracle.decided(by: worker, ledger) }
            return answer
        } done: { [worker, oracle] answer, outcome in
            oracle.decisionIsLaid(by: worker)
            done(answer, outcome)
        }
    }

    func transact<Answer>(
        onOwnRing key: CallKey, _ change: (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        ledger.transact(onOwnRing: key) { ledger in
            let answer = change(&ledger)
            if worker.isAlive { oracle.decidedOfItsOwn(by: worker, ledger) }
            return answer
        } done: { [worker, oracle] answer, outcome in
            oracle.decisionIsLaid(by: worker)
            done(answer, outcome)
        }
    }

    func illustrate(_ key: CallKey, with picture: String, done: @escaping () -> Void) {
        ledger.illustrate(key, with: picture, done: done)
    }

    func listen(_ heard: @escaping (CallKey, RingAsk, @escaping (RingAnswer?) -> Void) -> Void) {
        ledger.listen { [worker, oracle] key, ask, answer in
            oracle.asked(worker, key, ask)
            heard(key, ask) { told in
                if let told { oracle.answered(worker, told) }
                answer(told)
            }
        }
    }

    func stopListening() { ledger.stopListening() }

    func ask(_ ask: RingAsk, of key: CallKey?, done: @escaping ([RingAnswer], Bool) -> Void) {
        ledger.ask(ask, of: key, done: done)
    }

    func wake(_ rings: [Call]) { ledger.wake(rings) }

    func wakeNext(after key: CallKey) { ledger.wakeNext(after: key) }

    func watch(_ changed: @escaping (Ledger) -> Void) { ledger.watch(changed) }

    func lookAgain() { ledger.lookAgain() }

    func expectEnd(of call: Call?) { ledger.expectEnd(of: call) }

    func stopWatching() { ledger.stopWatching() }

    func finish(_ done: @escaping () -> Void) { ledger.finish(done) }
}

/// What a worker's ring is heard by.
final class PlayedSound: RingOutput {
    private let worker: PlayedWorker
    private var world: World { worker.world }

    init(_ worker: PlayedWorker) { self.worker = worker }

    func soundName(of mode: RingMode) -> String { Self.name(of: mode) }

    /// What sounds in `mode`.
    static func name(of mode: RingMode?) -> String { mode.map { "\($0) sound" } ?? "" }

    func pulse(_ mode: RingMode) {
        let decided = worker.now
        guard worker.process.step() else { return }
        world.oracle.sounds(worker, mode, at: decided)
    }

    func silence(_ silent: @escaping () -> Void) {
        guard worker.process.step() else { return }
        world.oracle.silenced(worker)
        // A sound server that hangs is waited for so long.
        let microseconds = world.plan.surroundings.isSoundDead ? 100_000 : worker.process.reaction()
        world.machine.time.after(microseconds) { [worker] in worker.process.perform(silent) }
    }
}

/// Where a caller's picture comes from.
private final class PlayedFetcher: PictureSource {
    private let worker: PlayedWorker
    private let loop: PlayedLoop
    private var timer: (any ScheduledTimer)?

    init(_ worker: PlayedWorker, loop: PlayedLoop) {
        self.worker = worker
        self.loop = loop
    }

    func fetch(_ url: String, deadline: Instant, finished: @escaping (PictureDownload.Outcome) -> Void) {
        worker.world.oracle.fetches(worker)
        let began = loop.now
        let timeout = PictureDownload.Outcome.skipped(Skip(.timeout, "nobody answered"))
        let (at, outcome): (Instant, PictureDownload.Outcome) =
            switch worker.push.picture {
            case .comes(let microseconds):
                // A file that every machine has.
                (
                    began + TimeSpan(microseconds: microseconds),
                    .attached(
                        NotificationAttachment(id: "caller", path: "/etc/passwd", type: "public.png"), bytes: 1,
                        seconds: 0.1)
                )
            case .fails(let microseconds):
                (began + TimeSpan(microseconds: microseconds), .skipped(Skip(.connectFailed, "nobody there")))
            case .never, nil: (deadline, timeout)
            }
        timer = loop.schedule(at: min(at, deadline), description: "picture") { [worker] in
            worker.account.isFetching = false
            finished(at > deadline ? timeout : outcome)
        }
    }

    func cancel() {
        worker.account.isFetching = false
        timer?.cancel()
    }
}
