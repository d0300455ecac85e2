import BelfryEventLoop
import BelfryProtocol
import BelfryTerms
import CallChannel
import Interception
import NotificationDelivery
import SystemSound

/// The call of a voip push, for which an app may ring: hands it to `belfry-calls`, and has ``CallExtension`` ring as
/// soon as the app has reported it, or its patience is over (R4). This process alone rings, in every case. A push that
/// is no call rings for its app's report alone, and is else delivered as it came.
///
///     idle ── didReceive ──▶ asked ── wait ──▶ waiting ── ring, or nothing in time ──▶ admitting ──▶ decided
///                              └───── none, ring, silent, nothing in time, gone ────────────▲
final class AppCallExtension: ServiceExtension {
    private enum State: Equatable {
        /// The state before the notification was received.
        case idle
        /// The state while `belfry-calls` has yet to say its first word.
        case asked
        /// The state while an app has the push, or will have it.
        case waiting
        /// The state while the ledger is asked if the call rings.
        case admitting
        /// The state once that is known, or the call will not ring any more.
        case decided
    }

    /// How long `belfry-calls` may take to say a word.
    static let wordPatience = TimeSpan.seconds(1)

    weak var delegate: (any ServiceExtensionDelegate)?
    private let call: CallExtension
    private let push: VoIPPush
    private let calls: any AppCalls
    private let world: CallWorld
    private let settings: RingSettings

    private var state = State.idle
    private var timer: (any ScheduledTimer)?
    private var request: NotificationRequest?
    /// What was said while the ledger was asked.
    private var held: [WorkerOrder] = []
    /// Whether `belfry-calls` has this ring: then nobody takes an answer without it.
    private var isTied = false
    private var isGone = false
    private var isStopped = false
    private var isDelivered = false

    /// An extension that has `call` ring for `push`, as `calls` says.
    init(_ call: CallExtension, of push: VoIPPush, calls: any AppCalls, world: CallWorld, settings: RingSettings) {
        self.call = call
        self.push = push
        self.calls = calls
        self.world = world
        self.settings = settings
        call.delegate = self
    }

    /// Whether the push waits, the call rings, or a missed call waits for its picture.
    var isBusy: Bool {
        switch state {
        case .idle: false
        case .asked, .waiting, .admitting: true
        case .decided: call.isBusy
        }
    }

    /// From its ring. `belfry-calls` has a word's patience more than the app, since it is the one who waits for it.
    var budgetStart: BudgetStart { .ring(within: settings.appPatience + Self.wordPatience * 2) }

    var ringMax: TimeSpan { call.ringMax }

    /// Asks whether a place is free, since being busy is a rejection; the ledger decides about the ring later.
    func admit(within budget: Budget, _ decided: @escaping (ExtensionVerdict) -> Void) {
        guard hasCall else { return decided(.admitted) }
        call.findPlace(within: budget) { [calls] verdict in
            if case .refused = verdict { calls.close() }
            decided(verdict)
        }
    }

    /// Hands the push over.
    func didReceive(_ request: NotificationRequest, within budget: Budget) {
        self.request = request
        state = .asked
        wait(Self.wordPatience, "it said nothing within \(Self.wordPatience.seconds) s")
        calls.handOver(push) { [weak self] order in self?.heard(order) }
    }

    /// Whether it is a call by itself.
    private var hasCall: Bool { push.kind != .other }

    private func wait(_ patience: TimeSpan, _ why: String) {
        timer?.cancel()
        timer = world.timers.schedule(at: world.timers.now + patience, description: "app") { [weak self] in
            guard let self, state == .asked || state == .waiting else { return }
            warn(why)
            ring(nil)
        }
    }

    private func warn(_ why: String) {
        let without = hasCall ? "it rings without its app" : "its app is not waited for"
        let detail = "belfry-calls: \(why): \(isTied ? "the ring is over" : without)"
        world.report(.warning(code: .callsUnavailable, detail: detail))
    }

    // MARK: What belfry-calls says

    private func heard(_ order: WorkerOrder?) {
        guard let order else { return gone() }
        if case .tone(let name) = order { return ring(withToneNamed: name) }
        switch state {
        // Nothing is said before the push is handed over.
        case .idle: break
        case .asked, .waiting: heardBeforeRing(order)
        case .admitting: held.append(order)
        case .decided: heardSinceRing(order)
        }
    }

    private func heardBeforeRing(_ order: WorkerOrder) {
        switch order {
        case .none:
            calls.close()
            ring(nil)
        case .wait:
            guard state == .asked else { return }
            state = .waiting
            wait(
                settings.appPatience + Self.wordPatience,
                "it did not have it ring within \(settings.appPatience.seconds) s, and a second more")
        case .handed: delegate?.extensionHandedToApp()
        case .ring(let caller):
            isTied = true
            ring(caller)
        case .silent(let why, let label): silent(why, label)
        case .warning(let code, let detail): world.report(.warning(code: code, detail: detail))
        // There is no ring yet; a tune was taken before.
        case .caller, .end, .tone: break
        }
    }

    private func heardSinceRing(_ order: WorkerOrder) {
        switch order {
        // What was late to say whether it rings: it does.
        case .none, .wait, .silent, .tone: break
        case .handed: delegate?.extensionHandedToApp()
        case .ring(let caller):
            isTied = true
            if let caller { describe(caller) }
        case .caller(let caller): describe(caller)
        case .end(let end): call.end(end)
        case .warning(let code, let detail): world.report(.warning(code: code, detail: detail))
        }
    }

    /// Whether it rings already or not: a loud ring takes the tune up by its next tick.
    private func ring(withToneNamed name: String) {
        do throws(SoundProblem) {
            guard let file = calls.takeFile() else { throw .unusable(path: name, why: "no file came with it") }
            world.ringer.ring(with: try ResolvedSound(passed: file, name: name, repeats: true))
        } catch {
            world.report(
                .warning(code: .soundUnreadable, detail: "\(error): the app's tune is not played, [Ring] Sound= is"))
        }
    }

    private func describe(_ caller: ReportedCaller) {
        delegate?.extensionHandedToApp()
        if state == .admitting || call.isRinging { call.describe(caller) }
    }

    private func gone() {
        isGone = true
        switch state {
        case .idle: break
        case .asked, .waiting:
            warn("it is gone")
            ring(nil)
        // The end of the ring is looked for once it is on.
        case .admitting: break
        case .decided: endTiedRing()
        }
    }

    /// Ends a ring that was ordered by what is gone: nobody could take an answer.
    private func endTiedRing() {
        guard isTied, call.isRinging else { return }
        warn("it is gone")
        call.stopRing()
    }

    // MARK: The ring

    /// Rings with the caller that the app reported, or with the push's own if it did not.
    private func ring(_ caller: ReportedCaller?) {
        guard let request else { return }
        guard hasCall || caller != nil else { return passOn(request) }
        timer?.cancel()
        state = .admitting
        if let caller { describe(caller) }
        let budget = Budget(start: world.timers.now, length: settings.expiryBudget)
        delegate?.extensionBegan(within: budget)
        call.admit(within: budget) { [self] verdict in
            switch verdict {
            case .admitted: call.didReceive(request, within: budget)
            // The place that there was is taken by now.
            case .refused: call.didNotRing(request, why: .busy, missed: .busy, until: budget.willExpire)
            }
            decided()
        }
    }

    private func silent(_ why: CodeWord<SilenceReason>, _ label: NumberLabel?) {
        // A reason of a later version is no reason to lose a call.
        guard let request, let why = why.known else { return ring(nil) }
        // What a blocked caller has sent is not shown, also if it is no call itself (R24).
        guard hasCall || why == .blocked else { return passOn(request) }
        timer?.cancel()
        state = .admitting
        delegate?.extensionHandedToApp()
        let budget = Budget(start: world.timers.now, length: settings.expiryBudget)
        delegate?.extensionBegan(within: budget)
        call.didNotRing(
            request, why: why, missed: why == .busy ? .busy : nil, until: budget.willExpire, known: label)
        decided()
    }

    /// No call was reported for what is none, or none that may ring: it is delivered as it came.
    private func passOn(_ request: NotificationRequest) {
        timer?.cancel()
        state = .decided
        extensionHandedOver(request.content)
        extensionIsIdle()
    }

    private func decided() {
        state = .decided
        if isDelivered { call.end() }
        if isStopped { call.stop() }
        let orders = held
        held = []
        orders.forEach(heardSinceRing)
        if isGone { endTiedRing() }
        extensionIsIdle()
    }

    // MARK: The delivery

    func serviceExtensionTimeWillExpire() { if state == .decided { call.serviceExtensionTimeWillExpire() } }

    /// A call that still waits is delivered and missed; a ring ends (R17).
    func stop() {
        isStopped = true
        switch state {
        case .idle, .admitting: break
        case .asked, .waiting:
            guard let request else { return }
            guard hasCall else { return passOn(request) }
            timer?.cancel()
            state = .admitting
            call.didNotRing(request, why: nil, missed: .stopped, until: world.timers.now)
            decided()
        case .decided: call.stop()
        }
    }

    /// Whatever rings, rings on.
    func end() {
        isDelivered = true
        if state == .decided { call.end() }
    }
}

extension AppCallExtension: ServiceExtensionDelegate {
    func extensionHandedOver(_ content: NotificationContent) {
        // The time for that was over before it rang.
        if !isDelivered { delegate?.extensionHandedOver(content) }
    }

    func extensionWithheld(_ content: NotificationContent) {
        if !isDelivered { delegate?.extensionWithheld(content) }
    }

    func extensionBegan(within budget: Budget) {}

    func extensionHandedToApp() {}

    func extensionDied() {}

    func extensionIsIdle() { delegate?.extensionIsIdle() }
}
