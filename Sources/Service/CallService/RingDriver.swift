import BelfryProtocol
public import BelfryTerms
import CallLedger
import Ringing

/// Drives one ring: feeds the state machine what timers, the group file and the sound say, and performs its effects.
final class RingDriver {
    private enum Input {
        case timerFired
        case change(RingMode)
        case end(EndReason)
        case silenced
        case settled(Settlement)
    }

    private let world: any CallWorld
    private let settings: RingSettings
    private let request: RingRequest
    private let window: RingWindow
    private let ending: () -> Void
    private let over: (Settlement) -> Void

    private var machine = RingStateMachine()
    private var inputs: [Input] = []
    private var isPerforming = false
    private var settlement: Settlement?
    /// Whether the app was said to be in front by a flag that no process owns, as the ring ended.
    private var isFlagUnowned = false
    private var watchedElder: Owner?

    /// - Parameters:
    ///   - ending: called once, as soon as it is to be silent and before `ended` is told.
    ///   - over: called once, after `ended` was told.
    init(
        world: any CallWorld, settings: RingSettings, request: RingRequest, window: RingWindow,
        ending: @escaping () -> Void, over: @escaping (Settlement) -> Void
    ) {
        self.world = world
        self.settings = settings
        self.request = request
        self.window = window
        self.ending = ending
        self.over = over
    }

    func begin(mode: RingMode) {
        perform(machine.begin(window, interval: settings.interval, mode: mode, at: world.now))
        world.watch { [weak self] ledger in self?.look(at: ledger) }
    }

    func end(_ reason: EndReason) {
        feed(.end(reason))
    }

    private func look(at ledger: Ledger) {
        switch ledger.standing(of: request.key, owner: world.owner, secondCall: settings.secondCall) {
        case .rings(let mode):
            feed(.change(mode))
            let elder = mode == .loud ? nil : ledger.elder(of: request.key)
            world.heed([request.key] + (elder.map { [$0.key] } ?? []))
            waitForDeath(of: elder?.owner)
        case .ended(let reason):
            if machine.isRinging { isFlagUnowned = ledger.foreground == .unowned }
            feed(.end(reason))
        case .lost: putBack()
        }
    }

    /// A ring that is not loud becomes so when its elder is over; a killed elder writes nothing to say so (R12).
    private func waitForDeath(of elder: Owner?) {
        guard elder != watchedElder else { return }
        watchedElder = elder
        world.watchDeath(of: elder) { [weak self] in
            self?.watchedElder = nil
        }
    }

    /// A stranger wrote the file from what it had read before this ring began.
    private func putBack() {
        guard machine.isRinging else { return }
        let (request, window, owner) = (request, window, world.owner)
        world.transact {
            $0.restore(request, since: window.start, until: window.end, owner: owner)
        } done: {
        }
    }

    /// An effect that answers at once queues its answer: the machine is never fed inside an effect.
    private func feed(_ input: Input) {
        inputs.append(input)
        guard !isPerforming else { return }
        while !inputs.isEmpty { perform(step(inputs.removeFirst())) }
    }

    private func step(_ input: Input) -> [RingStateMachine.Effect] {
        switch input {
        case .timerFired: return machine.timerFired(at: world.now)
        case .change(let mode): return machine.change(to: mode, at: world.now)
        case .end(let reason): return machine.end(reason)
        case .silenced: return machine.silenced(at: world.now)
        case .settled(let settlement):
            self.settlement = settlement
            return machine.settled(settlement.reason)
        }
    }

    private func perform(_ effects: [RingStateMachine.Effect]) {
        isPerforming = true
        for effect in effects { perform(effect) }
        isPerforming = false
    }

    private func perform(_ effect: RingStateMachine.Effect) {
        switch effect {
        case .ringing(let mode): reportRinging(mode)
        case .pulse(let mode): world.pulse(mode)
        case .tick(let n, let late):
            world.report(.tick(n: n, late: late.seconds))
            world.lookAgain()
        case .wake(let instant): world.wake(at: instant) { [weak self] in self?.feed(.timerFired) }
        case .silence:
            world.silence { [weak self] in self?.feed(.silenced) }
            // What follows reads the file itself; each write of those that end with this one would wake it.
            world.stopWatching()
            ending()
        case .settle(let reason): settle(reason)
        case .ended(let reason, let rang, let ticks):
            guard let settlement else { preconditionFailure("a ring that ended without being settled") }
            if reason == .foreground, isFlagUnowned { world.report(.foregroundUnowned) }
            world.report(
                .ended(
                    Event.Ended(
                        call: request.key.text, reason: reason, hangupReason: settlement.hangupReason,
                        rang: rang.seconds, ticks: ticks)))
            over(settlement)
        }
    }

    private func reportRinging(_ mode: RingMode) {
        world.report(
            .ringing(
                Event.Ringing(
                    call: request.key.text, mode: mode, duration: (window.end - window.start).seconds,
                    interval: settings.interval.seconds, sound: mode == .silent ? "none" : settings.sound,
                    vibrate: mode == .loud && settings.vibrates)))
    }

    private func settle(_ reason: EndReason) {
        let (request, owner) = (request, world.owner)
        world.transact {
            $0.settle(request, owner: owner, reason: reason)
        } done: { [weak self] settlement in
            self?.feed(.settled(settlement))
        }
    }
}

/// What the operator has tuned of ringing, and who rings.
public struct RingSettings: Sendable {
    /// The longest ring.
    public var duration: TimeSpan
    /// From one tick to the next.
    public var interval: TimeSpan
    /// The sound's name or file, or `none`.
    public var sound: String
    /// Whether a loud ring vibrates.
    public var vibrates: Bool
    /// How a call rings while another does.
    public var secondCall: RingMode
    /// How many may ring at once.
    public var callsMax: Int

    /// Settings.
    public init(
        duration: TimeSpan, interval: TimeSpan, sound: String, vibrates: Bool, secondCall: RingMode, callsMax: Int
    ) {
        self.duration = duration
        self.interval = interval
        self.sound = sound
        self.vibrates = vibrates
        self.secondCall = secondCall
        self.callsMax = callsMax
    }
}
