import BelfryAppGroup
import BelfryEventLoop
import BelfryJSON
import BelfryPictures
import BelfryProtocol
import BelfryTerms
import CallLedger
import CallService
import GroupLedger
import Interception
import NotificationDelivery
import PictureFetcher
import RingEar
import Support
import SystemSound

/// One worker: the real delivery with the real extensions, ledger and ear, in a process that is played.
final class PlayedWorker {
    let process: PlayedProcess
    let push: PlayedPush
    /// Whether no field of it names its call.
    let isUnnamed: Bool
    let number: Int
    unowned let world: World
    /// What the oracle knows of it, and what it is to do if nothing disturbs the run.
    var account = Account()
    var expected = Expectation()
    private var delivery: Delivery?
    private var ledger: WorkerLedger?
    /// What nobody else keeps.
    private var held: [AnyObject] = []
    /// Whether it has left something that nobody else knows of.
    private(set) var leavesUnrecorded = false
    /// Whether a client still hears its events.
    private var isHeard = true

    init(_ push: PlayedPush, number: Int, world: World) {
        isUnnamed = push.id.isEmpty && push.isVoIP
        var known = push
        if isUnnamed, push.isIDStated, !push.isHangup { known.id = "00000000-0000-4000-8000-00000000\(1_000 + number)" }
        (self.push, self.number, self.world) = (known, number, world)
        process = world.machine.spawn()
        arrivedAt = world.machine.time.now
        budget = Budget(start: world.machine.bootTime, length: world.plan.surroundings.budget)
    }

    var isAlive: Bool { process.isAlive }
    /// When its push was sent, as that says, and when it came, in the simulation's time.
    var sentAt: WallTime? { push.sentAt.map(world.wallTime) }
    let arrivedAt: Int64
    /// When it came, by the clock of its machine.
    var bootedAt: Instant { budget.start }
    private var budget: Budget
    /// When its budget is over, and a second before that, or half-way through a short one (R3).
    var deadline: Instant { budget.start + budget.length }
    var noticeAt: Instant {
        let half = TimeSpan(microseconds: budget.length.microseconds / 2)
        return budget.length < .seconds(2) ? budget.start + half : deadline - .seconds(1)
    }

    /// The notification arrives.
    func start() {
        process.perform { [self] in
            let loop = PlayedLoop(process)
            let (surroundings, machine, oracle) = (world.plan.surroundings, world.machine, world.oracle)
            let reporter = EventReporter(timers: loop, id: "1", receivedAt: loop.now, listeners: [report])
            let file = world.ledgerFile(of: push.group)
            file.onDecided = { [unowned self] ledger, isOwn in
                if isAlive { isOwn ? oracle.decidedOfItsOwn(by: self, ledger) : oracle.decided(by: self, ledger) }
            }
            let ledger = WorkerLedger(loop: loop, file: file, report: reporter.report)
            self.ledger = ledger
            let pictures = PlayedFetcher(self, loop: loop)
            var call = CallWorld(
                timers: loop, wall: { machine.wall }, minuteOfDay: { 0 }, ledger: ledger,
                ringer: PlayedSound(self), pictures: pictures, report: reporter.report)
            call.appCalls = push.app.map { app in
                AppCallsDoor(group: world.groups[push.group]) { ScriptedCalls(app, on: loop) }
            }
            var settings = RingSettings(
                duration: surroundings.duration, interval: surroundings.interval, sound: "none",
                secondCall: surroundings.secondCall, callsMax: surroundings.callsMax)
            settings.expiryBudget = surroundings.budget
            let code = push.code.map { PlayedCodeExtension($0, of: self, on: loop) }
            held = [pictures] + (code.map { [$0] } ?? [])
            expected.passthrough = oracle.passthrough(of: push, arrivedAt: machine.wall)
            let sorted = Reception(world: call, settings: settings, foreign: code).sort(parsed)
            budget = Budget(
                from: sorted.budgetStart, acceptedAt: bootedAt, now: bootedAt, length: surroundings.budget)
            let delivery = Delivery(sorted, timers: loop, budget: budget, report: reporter.report) { [self] end in
                // The connection is closed.
                oracle.closes(self, as: end)
                isHeard = false
                leave()
            }
            self.delivery = delivery
            delivery.start()
        }
    }

    /// SIGTERM.
    func terminate() {
        process.perform { [self] in
            world.oracle.toldToStop(self)
            if let delivery { delivery.stop() } else { leave() }
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
    func release() { (delivery, ledger, held) = (nil, nil, []) }

    private func report(_ event: Event) {
        // Telling is an effect: a worker can be killed before it.
        guard isHeard, process.step() else { return }
        world.oracle.reported(event, by: self)
    }

    /// The push as it comes through the socket.
    private var parsed: Push {
        var envelope = Envelope(id: isUnnamed && push.isIDStated && !push.isHangup ? push.id : randomUUID())
        if push.isVoIP { envelope.pushType = .voip }
        if push.isBackground { envelope.pushType = .background }
        envelope.expiration = push.expiration.map { $0 == 0 ? WallTime(microseconds: 0) : world.wallTime($0) }
        var payload: JSONObject
        switch push.kind {
        case .request:
            payload = CallRequest(
                callID: isUnnamed ? "" : push.id, callerName: push.isNamed ? push.caller : nil,
                handle: push.isNamed ? nil : push.caller,
                callerAvatar: push.picture.map { _ in .url(Self.picture) } ?? .absent,
                duration: push.duration.flatMap { TimeSpan(seconds: $0) }, sentAt: sentAt
            ).payload()
        case .hangup(let reason): payload = Hangup(callID: push.id, reason: reason, sentAt: sentAt).payload()
        case .alert: payload = ["aps": ["alert": push.hasText ? ["body": "mail"] : [:], "mutable-content": 1]]
        }
        if push.isOther, case .object(var info)? = payload["info"] {
            info["type"] = "mail"
            payload["info"] = .object(info)
        }
        if case .object(var aps)? = payload["aps"] {
            if !push.isMutable { aps["mutable-content"] = nil }
            if case .request = push.kind {
                aps["interruption-level"] = push.level.map { .string($0.rawValue) }
                if !push.hasTitle { aps["alert"] = ["body": "a call"] }
                if !push.hasText { aps["alert"] = nil }
            }
            payload["aps"] = .object(aps)
        }
        do throws(Rejection) {
            var enclosed = envelope.enclosing(payload)
            if isUnnamed, !push.isIDStated { enclosed["id"] = nil }
            return try Push.parse(enclosed.serialized())
        } catch {
            preconditionFailure("a push of our own was refused: \(error)")
        }
    }

    private static let picture = "https://example.org/caller.png"
}

/// What a worker's ring is heard by.
final class PlayedSound: RingOutput {
    private let worker: PlayedWorker
    private var world: World { worker.world }
    init(_ worker: PlayedWorker) { self.worker = worker }
    func ring(with tune: ResolvedSound) {}
    func soundName(of mode: RingMode) -> String { "\(mode) sound" }

    func pulse(_ mode: RingMode) {
        let decided = world.machine.bootTime
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
        (self.worker, self.loop) = (worker, loop)
    }

    func fetch(_ url: String, deadline: Instant, finished: @escaping (PictureDownload.Outcome) -> Void) {
        let timeout = PictureDownload.Outcome.skipped(Skip(.timeout, "nobody answered"))
        var (delay, outcome): (Int64?, PictureDownload.Outcome) = (nil, timeout)
        switch worker.push.picture {
        case .comes(let microseconds):
            // A file that every machine has.
            let file = NotificationAttachment(id: "caller", path: "/etc/passwd", type: "public.png")
            (delay, outcome) = (microseconds, .attached(file, bytes: 1, seconds: 0.1))
        case .fails(let microseconds): (delay, outcome) = (microseconds, .skipped(Skip(.connectFailed, "nobody there")))
        case .never, nil: break
        }
        let at = delay.map { loop.now + TimeSpan(microseconds: $0) } ?? deadline
        timer = loop.schedule(at: min(at, deadline), description: "picture") {
            finished(at > deadline ? timeout : outcome)
        }
    }

    func cancel() { timer?.cancel() }
}
