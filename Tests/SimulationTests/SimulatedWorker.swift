import BelfryJSON
import BelfryEventLoop
import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import CallLedger
import CallService
import GroupLedger
import Interception
import PictureFetcher
import ServiceHost
import Support

/// A push as the workers get it.
struct SimulatedPush {
    enum Kind { case request, hangup(HangupReason) }
    var id: String
    var kind: Kind
    var sentAt: WallTime?

    /// The push as it comes through the socket.
    var push: Push {
        let payload =
            switch kind {
            case .request: CallRequest(callID: id, callerName: "caller", sentAt: sentAt).payload()
            case .hangup(let reason): Hangup(callID: id, reason: reason, sentAt: sentAt).payload()
            }
        do throws(Rejection) {
            return try Push.parse(Envelope().enclosing(payload).serialized())
        } catch {
            preconditionFailure("a push of our own was refused: \(error)")
        }
    }
}

/// One worker: the real host with the real extensions, in a simulated world. It may be killed, and stopped, between any
/// two of its call backs.
final class SimulatedWorker {
    static let budget = TimeSpan.seconds(9)
    static let duration = TimeSpan.seconds(6)
    static let interval = TimeSpan.seconds(1)

    static let settings = RingSettings(
        duration: duration, interval: interval, sound: "none", secondCall: .soft, callsMax: 100)

    let owner: Owner
    let push: SimulatedPush
    /// When its ring is over, once it was admitted.
    fileprivate(set) var until: Instant?
    fileprivate(set) var mode = RingMode.loud
    private(set) var isAlive = true
    private(set) var isStopped = false
    /// When it last went on after it was stopped.
    private(set) var wentOn: Instant?

    fileprivate let world: Simulation
    private var host: NotificationHost?
    private var deferred: [() -> Void] = []
    fileprivate var isRinging = false
    fileprivate var watcher: ((Ledger) -> Void)?
    fileprivate var expected: Owner?
    private var heard: ((CallKey, RingAsk, @escaping (RingAnswer?) -> Void) -> Void)?
    fileprivate var shown = PropertyListDictionary()

    init(pid: Int64, push: SimulatedPush, world: Simulation) {
        owner = Owner(bootID: SimulatedFile.bootID, pid: pid, start: pid * 7)
        self.push = push
        self.world = world
    }

    /// Whether sound is heard from it.
    var isHeard: Bool { isAlive && !isStopped && isRinging }

    func start() {
        let call = CallWorld(
            timers: self, wall: { [world] in world.file.wall }, ledger: self, ringer: self, pictures: self,
            report: { [unowned self] in report($0) })
        host = NotificationHost(
            Reception(world: call, settings: Self.settings).visit(push.push), timers: self,
            budget: Budget(start: now, length: Self.budget), report: { [unowned self] in report($0) }
        ) { [unowned self] _ in
            isAlive = false
            world.left(self)
            host = nil
        }
        host?.start()
    }

    func kill() {
        isAlive = false
        deferred = []
        world.died(self)
    }

    func stop(for span: TimeSpan) {
        guard isAlive, !isStopped else { return }
        isStopped = true
        world.time.after(span) { [self] in
            isStopped = false
            wentOn = world.time.now
            let late = deferred
            deferred = []
            for action in late where isAlive { action() }
        }
    }

    func terminate() {
        step { [self] in host?.stop() }
    }

    /// The group file may have changed.
    func look() {
        step { [self] in show() }
    }

    fileprivate func show() {
        shown = world.file.root
        watcher?(world.file.ledger)
        world.file.recordWhatIsOwed()
    }

    /// Says `ask` about `key` to this process; later if it is stopped.
    func hear(_ key: CallKey, _ ask: RingAsk, _ answer: @escaping (RingAnswer?) -> Void) {
        world.time.after(world.lateness()) { [self] in
            step { [self] in heard?(key, ask, answer) }
        }
    }

    /// Whether it waits for the death of `other`.
    func expectsDeath(of other: SimulatedWorker) -> Bool { expected == other.owner }

    /// Runs `action` unless this process is gone; later if it is stopped; and perhaps dies in its place.
    fileprivate func step(_ action: @escaping () -> Void) {
        guard isAlive else { return }
        guard !isStopped else { return deferred.append(action) }
        guard !world.killsNow() else { return kill() }
        action()
    }

    private func report(_ body: Event.Body) {
        switch body {
        case .ringing(let ringing): mode = ringing.mode.known ?? mode
        case .ended(let ended): if let reason = ended.reason.known { world.checker.ended(self, reason) }
        case .missed: world.checker.missed(self)
        case .delivered: world.checker.delivered(self)
        case .warning(.handlerCalledAgain, _): world.checker.demand(false, "a handler called again for nobody's fault")
        case .received, .silent, .tick, .sound, .attachment, .warning, .rejected, .unknown: break
        }
    }
}

extension SimulatedWorker: TimerSource {
    private final class Timer: ScheduledTimer {
        private(set) var isCancelled = false
        func cancel() { isCancelled = true }
    }

    var now: Instant { world.time.now }

    func schedule(at instant: Instant, description: String, _ action: @escaping () -> Void) -> any ScheduledTimer {
        let timer = Timer()
        world.time.at(instant + world.lateness()) { [self] in
            step { if !timer.isCancelled { action() } }
        }
        return timer
    }
}

extension SimulatedWorker: SharedLedger {
    func transact<Answer>(
        _ change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        world.file.transact(isAlive: { [self] in isAlive }) { [self] ledger in
            let rings = ledger.rings.map(\.key)
            let answer = change(&ledger)
            changed(ledger, from: rings)
            return answer
        } done: { [self] answer, outcome in
            step { done(answer, outcome) }
        }
    }

    func transact<Answer>(
        onOwnRing key: CallKey, _ change: @escaping (inout Ledger) -> Answer,
        done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        world.file.transact(onOwnRing: key, change) { [self] answer, outcome in
            step { done(answer, outcome) }
        }
    }

    func wakeNext(after key: CallKey) {
        if let next = world.file.ledger.nextYoungestRing(after: key) { world.wake([next]) }
    }

    func listen(_ heard: @escaping (CallKey, RingAsk, @escaping (RingAnswer?) -> Void) -> Void) { self.heard = heard }

    func stopListening() { heard = nil }

    func ask(_ ask: RingAsk, of key: CallKey?, done: @escaping ([RingAnswer], Bool) -> Void) {
        world.ask(ask, of: key) { [self] answers, all in
            step { [self] in
                world.checker.hungUp(answers.filter { $0.state == .hangup }.map(\.key))
                done(answers, all)
            }
        }
    }

    func wake(_ rings: [Call]) { world.wake(rings) }

    /// Tells the checker what became of the rings.
    private func changed(_ ledger: Ledger, from rings: [CallKey]) {
        switch push.kind {
        case .request:
            guard until == nil else { return }
            let call = ledger.call(CallKey(push.id))
            if let call, call.state == .ringing, call.owner == owner { until = call.until }
            world.checker.admitted(self, until: until)
        case .hangup: world.checker.hungUp(rings.filter { key in !ledger.rings.contains { $0.key == key } })
        }
    }

    func watch(_ changed: @escaping (Ledger) -> Void) {
        watcher = changed
        world.time.after(world.lateness()) { [self] in look() }
    }

    func focus(on keys: [CallKey]) {}

    func lookAgain() {
        show()
    }

    func expectEnd(of call: Call?) {
        expected = call?.owner
        guard let until = call?.until else { return }
        world.time.at(until + world.lateness()) { [self] in
            step { [self] in if watcher != nil { show() } }
        }
    }

    func stopWatching() {
        watcher = nil
        expected = nil
    }
}

extension SimulatedWorker: RingOutput {
    func soundName(of mode: RingMode) -> String { "none" }

    func pulse(_ mode: RingMode) {
        isRinging = true
        world.checker.pulsed(self)
    }

    func silence(_ silent: @escaping () -> Void) {
        world.time.after(world.lateness()) { [self] in
            step { [self] in
                isRinging = false
                silent()
            }
        }
    }
}

/// No call of a simulation has a picture.
extension SimulatedWorker: PictureSource {
    func fetch(_ url: String, deadline: Instant, finished: @escaping (PictureDownload.Outcome) -> Void) {
        world.checker.demand(false, "a picture is asked for that no call has")
    }

    func cancel() {}
}
