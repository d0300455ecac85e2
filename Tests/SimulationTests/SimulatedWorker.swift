import BelfryProtocol
import BelfryTerms
import CallLedger
import Interception
import Ringing
import Support

/// A push as the workers get it.
struct SimulatedPush {
    enum Kind { case request, hangup(HangupReason) }
    var id: String
    var kind: Kind
    var sentAt: WallTime?
    /// Which of the calls with this id it is about, for the checker.
    var call: Int
}

/// One worker: the three state machines with a driver in small. It may be killed, and stopped, between any two steps.
final class SimulatedWorker {
    static let budget = TimeSpan.seconds(9)
    static let duration = TimeSpan.seconds(6)
    static let interval = TimeSpan.seconds(1)

    let owner: Owner
    let push: SimulatedPush
    private(set) var window: RingWindow?
    private(set) var ring = RingStateMachine()
    private(set) var mode = RingMode.loud
    private(set) var isAlive = true
    private(set) var isStopped = false
    /// When it last went on after it was stopped.
    private(set) var wentOn: Instant?

    private let world: Simulation
    private var interception = InterceptionStateMachine()
    private var deferred: [() -> Void] = []
    private var ringWake = 0
    private var interceptionWake = 0
    private var settlement: Settlement?
    private var missedOnDelivery = false

    init(pid: Int64, push: SimulatedPush, world: Simulation) {
        owner = Owner(bootID: SimulatedFile.bootID, pid: pid, start: pid * 7)
        self.push = push
        self.world = world
    }

    private var request: RingRequest {
        var request = RingRequest(key: CallKey(push.id))
        request.sentAt = RingWindow.isBelievable(sentAt: push.sentAt, at: world.file.wall) ? push.sentAt : nil
        return request
    }

    /// Whether sound is heard from it.
    var isHeard: Bool { isAlive && !isStopped && ring.isRinging }

    func start() {
        var content = NotificationContent()
        content.title = "call"
        let budget = Budget(start: world.time.now, length: Self.budget)
        perform(interception.receive(content, passthrough: nil, budget: budget), original: content)
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
        step { [self] in
            perform(ring.end(.stopped))
            perform(interception.stop(bestAttempt: nil), original: NotificationContent())
            leaveIfDone()
        }
    }

    /// The group file may have changed.
    func look() {
        step { [self] in
            guard ring.isRinging else { return }
            let ledger = world.file.ledger
            switch ledger.standing(of: CallKey(push.id), owner: owner, secondCall: .soft) {
            case .rings(let mode): perform(ring.change(to: mode, at: world.time.now))
            case .ended(let reason): perform(ring.end(reason))
            case .lost: putBack()
            }
        }
    }

    /// Runs `action` unless this process is gone; later where it is stopped; and perhaps dies in its place.
    private func step(_ action: @escaping () -> Void) {
        guard isAlive else { return }
        guard !isStopped else { return deferred.append(action) }
        guard !world.killsNow() else { return kill() }
        action()
    }

    private func transact<Answer>(
        _ change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer) -> Void
    ) {
        world.file.transact(isAlive: { [self] in isAlive }, change) { [self] answer in
            step { done(answer) }
        }
    }

    private func perform(_ effects: [InterceptionStateMachine.Effect], original: NotificationContent) {
        for effect in effects {
            switch effect {
            case .runExtension(let deadline): didReceive(original, deadline: deadline)
            case .wake(let instant):
                interceptionWake += 1
                let number = interceptionWake
                world.time.at(instant + world.lateness()) { [self] in
                    guard number == interceptionWake else { return }
                    step { [self] in
                        perform(interception.timerFired(at: world.time.now), original: original)
                        leaveIfDone()
                    }
                }
            case .deliver(let by, _):
                world.checker.delivered(self, by: by)
                if missedOnDelivery { world.checker.missed(self) }
            case .tellTimeWillExpire, .warnNoAlertText, .warnHandlerCalledAgain, .endExtension: break
            }
        }
    }

    private func didReceive(_ content: NotificationContent, deadline: Instant) {
        switch push.kind {
        case .hangup(let reason):
            let (key, sentAt) = (CallKey(push.id), push.sentAt)
            transact { [self] ledger in
                world.checker.hungUp(ledger.hangUp(key, reason: reason, sentAt: sentAt))
            } done: { [self] in
                handOver(content)
            }
        case .request:
            transact { [self] in
                admit(&$0, deadline: deadline)
            } done: { [self] admission in
                switch admission {
                case .ring(let mode, _): begin(mode: mode)
                case .silent(_, let missed): missedOnDelivery = missed
                case .busy: break
                }
                handOver(content)
            }
        }
    }

    private func admit(_ ledger: inout Ledger, deadline: Instant) -> Admission {
        let request = request
        let window = RingWindow.of(
            duration: Self.duration, sentAt: request.sentAt, expiration: nil, start: world.time.now,
            wall: world.file.wall, deadline: deadline)
        let admission = ledger.admit(
            request, until: window?.end, secondCall: .soft, callsMax: 100, owner: owner)
        if case .ring = admission { self.window = window }
        world.checker.admitted(self, admission)
        return admission
    }

    private func handOver(_ content: NotificationContent) {
        perform(interception.handlerCalled(with: content), original: content)
        leaveIfDone()
    }

    private func begin(mode: RingMode) {
        guard let window else { return }
        perform(ring.begin(window, interval: Self.interval, mode: mode, at: world.time.now))
    }

    private func putBack() {
        guard let window else { return }
        let (request, owner) = (request, owner)
        transact {
            $0.restore(request, since: window.start, until: window.end, owner: owner)
        } done: {
        }
    }

    private func perform(_ effects: [RingStateMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .ringing(let mode): self.mode = mode
            case .pulse: world.checker.pulsed(self)
            case .tick: look()
            case .wake(let instant):
                ringWake += 1
                let number = ringWake
                world.time.at(instant + world.lateness()) { [self] in
                    guard number == ringWake else { return }
                    step { [self] in perform(ring.timerFired(at: world.time.now)) }
                }
            case .silence:
                world.time.after(world.lateness()) { [self] in
                    step { [self] in perform(ring.silenced(at: world.time.now)) }
                }
            case .settle(let reason): settle(reason)
            case .ended(let reason, _, _): ended(reason)
            }
        }
    }

    private func settle(_ reason: EndReason) {
        let (request, owner) = (request, owner)
        transact {
            $0.settle(request, owner: owner, reason: reason)
        } done: { [self] settlement in
            self.settlement = settlement
            perform(ring.settled(settlement.reason))
        }
    }

    private func ended(_ reason: EndReason) {
        world.checker.ended(self, reason)
        if settlement?.isMissed ?? false { world.checker.missed(self) }
        window = nil
        leaveIfDone()
    }

    private func leaveIfDone() {
        guard interception.isDelivered, window == nil else { return }
        isAlive = false
        world.left(self)
    }
}
