import BelfryEventLoop
import BelfryProtocol
public import BelfryTerms
import CallLedger
import GroupLedger
import NotificationDelivery
import Ringing

/// Drives one ring: feeds the state machine from timers, the ledger and the sound, and performs its effects.
final class Ring {
    private enum Input {
        case begin(RingMode)
        case timerFired
        case change(RingMode)
        case end(EndReason)
        case silenced(Instant)
        case settled(Settlement)
    }

    private let world: CallWorld
    private let settings: RingSettings
    private var request: RingRequest
    private let window: RingWindow
    private let ending: () -> Void
    private let over: (Settlement) -> Void

    /// How it would ring if nothing muted it.
    private var unmutedMode = RingMode.loud
    private var mutes: Set<MuteReason> = []
    private let passesMutes: Bool
    private var machine = RingStateMachine()
    private var queue = EffectQueue<Input>()
    private var timer: (any ScheduledTimer)?
    /// When the ring's request was sent, or a later copy of it.
    private var sentAt: WallTime?
    /// How the call rings once the desktop was heard; nil from then on.
    private var begins: RingMode?
    /// The request at the ear that ended the ring.
    private var endedBy: RingAsk?
    /// The answers to requests at the ear, which wait for the ring's end.
    private var askers: [(RingAnswer?) -> Void] = []
    /// How the ring ended, once the ledger says so.
    private var settlement: Settlement?
    /// Whether, as the ring ended, a flag that no process owns said that the app is in front.
    private var isFlagUnowned = false

    /// A ring for `request` during `window`; it does not ring yet.
    ///
    /// - Parameters:
    ///   - passesMutes: whether nothing mutes it (R21).
    ///   - ending: called once, as the ring begins to fall silent and before `ended` is reported.
    ///   - over: called once, after `ended` was reported.
    init(
        world: CallWorld, settings: RingSettings, request: RingRequest, window: RingWindow,
        passesMutes: Bool = false,
        ending: @escaping () -> Void, over: @escaping (Settlement) -> Void
    ) {
        self.passesMutes = passesMutes
        self.world = world
        self.settings = settings
        self.request = request
        self.window = window
        self.ending = ending
        self.over = over
        sentAt = request.sentAt
    }

    /// Rings (R6), and from then on watches the ledger. If its end has passed already, the timer ends it at once.
    ///
    /// A loud ring waits for the desktop's first report, if there is a desktop; a request at its ear begins it before
    /// that.
    func begin(mode: RingMode) {
        unmutedMode = mode
        begins = mode
        guard mode == .loud, let desktop = world.desktop else { return beginNow() }
        desktop.beforeRing { [weak self] in self?.beginNow() }
    }

    private func beginNow() {
        guard begins != nil else { return }
        begins = nil
        // Before the ring begins: the desktop may report here that it is muted.
        world.desktop?.onMuted { [weak self] in self?.mute(.doNotDisturb, $0) }
        feed(.begin(mutedMode))
        world.ledger.watch { [weak self] ledger in self?.look(at: ledger) }
    }

    /// Mutes it for `reason` from now on, or no longer; also before it begins (R21).
    func mute(_ reason: MuteReason, _ isMuted: Bool) {
        // What passes other mutes does not pass the person who silences this ring.
        guard !passesMutes || reason == .silenced else { return }
        let before = why
        if isMuted { mutes.insert(reason) } else { mutes.remove(reason) }
        let mode = mutedMode
        // The mode stays if it was muted before, but what is felt follows from why.
        if reason == .silenced, machine.isRinging, let before, before != why { reportRinging(mode) }
        feed(.change(mode))
    }

    private var mutedMode: RingMode { mutes.isEmpty ? unmutedMode : .silent }

    /// What counts of all that mutes it.
    private var why: MuteReason? { MuteReason.allCases.first(where: mutes.contains) }

    /// Takes from `said` who calls, and that an app has reported it.
    func describe(_ said: RingRequest) {
        (request.name, request.handle, request.hasVideo) = (said.name, said.handle, said.hasVideo)
        (request.isReported, request.uuid, request.label) = (said.isReported, said.uuid, said.label)
        world.ledger.transact { [request, owner = world.ledger.owner] in
            $0.describe(request, owner: owner)
        } done: { _, _ in
        }
    }

    /// Ends the ring for `reason`; only the first end counts (R7).
    func end(_ reason: EndReason) {
        beginNow()
        feed(.end(reason))
    }

    /// Carries out a request at the ear, and answers once the ring is silent and settled, or that it rings on (R7). A
    /// request for another call gets no answer.
    func asked(_ key: CallKey, _ ask: RingAsk, _ answer: @escaping (RingAnswer?) -> Void) {
        beginNow()
        // A later copy of the request may have moved the ring on, and then an earlier hangup does not end it (R8).
        if ask == .look || ask.isOfSomeTime { world.ledger.lookAgain() }
        guard ask != .look, key == request.key else { return answer(nil) }
        guard machine.isRinging, world.timers.now < window.end else {
            askers.append(answer)
            // A ring whose time is up ends by that, even if its timer has yet to fire.
            return feed(.timerFired)
        }
        guard let reason = ask.end(of: request, sentAt: sentAt, wall: world.wall()) else {
            guard ask == .silence else { return ringOn(ask, answer) }
            mute(.silenced, true)
            return world.ringer.silence { [weak self] in self?.ringOn(ask, answer) }
        }
        endedBy = ask
        askers.append(answer)
        feed(.end(reason))
    }

    /// Carries out `ask`, which does not end the ring, and answers.
    private func ringOn(_ ask: RingAsk, _ answer: @escaping (RingAnswer?) -> Void) {
        world.ledger.transact { [request, owner = world.ledger.owner] in
            $0.carryOut(ask, for: request, owner: owner)
        } done: { [key = request.key] _, outcome in
            answer(RingAnswer(key: key, state: .ringing, isRecorded: outcome.isRecorded))
        }
    }

    private func look(at ledger: Ledger) {
        let standing = ledger.standing(
            of: request.key, since: request.since, owner: world.ledger.owner, secondCall: settings.secondCall,
            isReported: request.isReported)
        switch standing {
        case .rings(let mode, let older):
            sentAt = ledger.call(request.key)?.sentAt ?? sentAt
            unmutedMode = mode
            if ledger.call(request.key)?.isSilenced == true { mute(.silenced, true) }
            feed(.change(mutedMode))
            guard machine.isRinging else { return }
            // This ring may become loud once the next older one is over (R10); a killed worker writes nothing (R12).
            world.ledger.expectEnd(of: older)
        // A process that stood still past the ring's end reads what was written after that: the ring timed out before.
        case .ended(let reason): feed(world.timers.now < window.end ? .end(reason) : .timerFired)
        }
    }

    private func feed(_ input: Input) {
        guard queue.enter(input) else { return }
        while let input = queue.next() {
            for effect in step(input) { perform(effect) }
        }
    }

    private func step(_ input: Input) -> [RingStateMachine.Effect] {
        switch input {
        case .begin(let mode):
            return machine.begin(window, interval: settings.interval, mode: mode, at: world.timers.now)
        case .timerFired: return machine.timerFired(at: world.timers.now)
        case .change(let mode): return machine.change(to: mode, at: world.timers.now)
        case .end(let reason): return machine.end(reason)
        case .silenced(let instant): return machine.silenced(at: instant)
        case .settled(let settlement):
            self.settlement = settlement
            return machine.settled(settlement.reason)
        }
    }

    private func perform(_ effect: RingStateMachine.Effect) {
        switch effect {
        case .ringing(let mode): reportRinging(mode)
        case .pulse(let mode):
            world.ringer.pulse(mode)
            if mode == .loud { world.wakefulness?.hold() } else { world.wakefulness?.release() }
        case .tick(let n, let late):
            world.report(.tick(n: n, late: late.seconds))
            world.ledger.lookAgain()
        case .wake(let instant):
            timer?.cancel()
            timer = world.timers.schedule(at: instant, description: "ring") { [weak self] in self?.feed(.timerFired) }
        case .silence: silence()
        case .settle(let reason): settle(reason)
        case .ended(let reason, let rang, let ticks):
            // The machine ends only after `settled`, whose settlement `step` has kept.
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
        var ringing = Event.Ringing(
            call: request.key.text, mode: mode, why: why, duration: (window.end - window.start).seconds,
            interval: settings.interval.seconds, sound: world.ringer.soundName(of: mode), vibrate: isFelt)
        ringing.label = request.label
        world.report(.ringing(ringing))
    }

    /// Whether the ring vibrates, as far as the desktop's first report says: if it rings loud; or if it was muted from
    /// the first and vibrates all the same, as a phone's profile may have it.
    private var isFelt: Bool {
        let word = world.desktop?.word ?? .none
        return word.vibrates && (mutes.isEmpty ? unmutedMode == .loud : word.isMuted && mutes == [.doNotDisturb])
    }

    private func silence() {
        world.wakefulness?.release()
        // The time of silence is now, not when the queue feeds it to the machine: nothing is heard in between.
        world.ringer.silence { [weak self, world] in self?.feed(.silenced(world.timers.now)) }
        timer?.cancel()
        timer = nil
        // Settling reads the file itself.
        world.ledger.stopWatching()
        ending()
    }

    private func settle(_ reason: EndReason) {
        let (request, owner, endedBy) = (request, world.ledger.owner, endedBy)
        world.ledger.transactOnOwnRing { ledger in
            // The ring fell silent for it: a copy of the request that came since then changes nothing.
            if let endedBy { ledger.carryOut(endedBy, for: request, owner: owner, hasEnded: true) }
            let settlement = ledger.settle(
                request, owner: owner, reason: reason, hangupReason: endedBy?.hangupReason)
            return (settlement, ledger.foreground == .unowned)
        } done: { [self] answer, outcome in
            let (settlement, isFlagUnowned) = answer
            self.isFlagUnowned = isFlagUnowned
            let state = CallState(settlement.reason)
            let told = RingAnswer(key: request.key, state: state, isRecorded: outcome.isRecorded)
            for answer in askers { answer(told) }
            askers = []
            feed(.settled(settlement))
        }
    }
}

/// The operator's settings for ringing.
public struct RingSettings: Sendable {
    /// How long a call rings at most.
    public var duration: TimeSpan
    /// From one tick to the next.
    public var interval: TimeSpan
    /// The sound's name or file, or `none`.
    public var sound: String
    /// How a call rings while another one rings.
    public var secondCall: RingMode
    /// How many calls may ring at once.
    public var callsMax: Int
    /// When calls ring without sound.
    public var quietHours = DayHours()
    /// How long a voip push waits for its app's report, the app's launch included.
    public var appPatience = TimeSpan.seconds(5)
    /// How long a delivery waits for the picture of a call that its app has reported.
    public var expiryBudget = TimeSpan.seconds(30)
    /// How soon after a call of the same caller another one is heard all the same.
    public var repeatedWithin = TimeSpan.zero
    /// Whether calls that an app reports are looked up in the call directory.
    public var looksUpAppCalls = true

    /// Settings.
    public init(
        duration: TimeSpan, interval: TimeSpan, sound: String, secondCall: RingMode, callsMax: Int
    ) {
        self.duration = duration
        self.interval = interval
        self.sound = sound
        self.secondCall = secondCall
        self.callsMax = callsMax
    }
}
