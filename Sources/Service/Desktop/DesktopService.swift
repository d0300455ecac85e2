public import BelfryAppGroup
import BelfryBus
public import BelfryEventLoop
import BelfryProtocol
public import BelfrySyscalls
public import BelfryTerms
import BelfryVibration
import CallLedger
import DesktopChannel
import GroupLedger
import NotificationDelivery
public import RingEar
import Showing

/// All that belfry-desktop does: hears workers, has a notification server show their calls, and carries out what the
/// person decides.
///
/// It decides nothing itself. `WorkerEvents` says what an event means, `ShowingStateMachine` what is shown, and
/// `FeelingStateMachine` what is felt; this feeds them, and performs their effects.
public final class DesktopService {
    /// How long it stays after the last call, if nothing is shown in which a person can choose.
    public static let linger = TimeSpan.seconds(10)
    /// How long workers that come at the start wait for their first report until the bus has answered.
    static let firstReportPatience = TimeSpan.milliseconds(60)

    private enum Input {
        case worker(WorkerConnections.Input)
        case server(NotificationServer.Input)
        case settled(ShownCallID, isMissed: Bool, Call?)
        case overdue(ShownCallID, Call)
        case doNotDisturb
        case felt(isPlaying: Bool, String)
        case listed(GroupName, [ListedCall])
        case ready
    }

    private let loop: Loop
    private let currentSettings: () -> DesktopSettings
    private var settings: DesktopSettings
    private let shownFile: ShownFile
    private let closedFile: ClosedFile
    private let hooks: HookRunner
    private let finished: () -> Void
    /// Called once nothing rings, after ``isOutdated()``.
    public var onOutdated: () -> Void = {}
    private var mustMakeRoom = false
    private var showing: ShowingStateMachine
    private var feeling: FeelingStateMachine
    private var events = WorkerEvents()
    private var queue = EffectQueue<Input>()
    /// Calls whose worker has not said yet that they are over, which is known already.
    private var overdue: Set<ShownCallID> = []
    /// What the file says that is shown.
    private var kept: [KeptNotice] = []
    /// What the file says that the person has closed.
    private var closed: Set<MissedMark> = []
    /// Whether something new came that a server may be started for.
    private var mayStartServer = false
    private var leaving: (any ScheduledTimer)?

    private let bus: BusConnection
    private lazy var server = NotificationServer(
        on: loop, hasDisplay: settings.hasDisplay, missingMenu: settings.missingMenu
    ) { [unowned self] in feed(.server($0)) }
    private lazy var doNotDisturb = DoNotDisturb(dconfPath: settings.dconfPath) { [unowned self] in
        feed(.doNotDisturb)
    }
    private lazy var vibration = Vibration(
        timers: loop, pattern: settings.vibratePattern, motor: Motor(timers: loop)
    ) { [unowned self] in feed(.felt(isPlaying: $0, $1)) }
    private var picture = ShownPicture()
    /// Questions over the bus that wait until the state is known; nil once it is.
    private var early: [BusMessage]? = []
    private var workers: WorkerConnections?
    private let calls: GroupCalls
    private let interface: CallsInterface
    private lazy var missedLists = MissedLists(on: loop, of: calls) { [unowned self] in feed(.listed($0, $1)) }

    /// A service of the socket `listener`, or if that is nil one that answers on the bus and does nothing else.
    ///
    /// - Parameters:
    ///   - settings: reads the settings, which it is asked for whenever something comes that they count for.
    ///   - finished: called when there is nothing to do any more.
    public init(
        on loop: Loop, listener: Int32?, state: StateDirectory, runtime: RuntimeDirectory,
        settings currentSettings: @escaping () -> DesktopSettings, finished: @escaping () -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.currentSettings = currentSettings
        let settings = currentSettings()
        self.settings = settings
        self.finished = finished
        shownFile = ShownFile(runtime: runtime)
        closedFile = ClosedFile(state: state)
        showing = ShowingStateMachine(
            words: settings.words, callsBack: settings.onCallBack != nil, closeSilences: settings.closeSilences)
        showing.opensAlerts = settings.onClick != nil
        feeling = FeelingStateMachine(vibrates: settings.vibrates, minds: settings.minds)
        bus = BusConnection(on: loop)
        hooks = HookRunner(on: loop, bus: bus, runtime: runtime)
        var settled: (ShownCallID, Bool, Call?) -> Void = { _, _, _ in }
        calls = GroupCalls(on: loop, state: state, runtime: runtime, answersWait: settings.answersWait) {
            settled($0, $1, $2)
        }
        interface = CallsInterface(
            calls: calls, configured: settings.group, secondCall: settings.secondCall,
            as: listener == nil ? .standIn : .desktop)
        // Set only now, since a closure may not capture self before all of it is there.
        settled = { [unowned self] in feed(.settled($0, isMissed: $1, $2)) }
        calls.overdue = { [unowned self] in feed(.overdue($0, $1)) }
        calls.hasWorker = { [unowned self] in workers?.hasWorker(of: $0) ?? false }
        if let listener {
            workers = try WorkerConnections(on: loop, listener: listener) { [unowned self] in feed(.worker($0)) }
        }
    }

    /// Begins: connects to the bus, and takes over what an earlier process has left.
    public func begin() {
        if workers != nil { adopt() }
        bus.onConnected = { [unowned self] bus in
            interface.connected(to: bus, refused: finished)
            vibration.connected(to: bus)
            doNotDisturb.connected(to: bus)
            // Who only answers says as well whether the server is not to disturb.
            if settings.notifies || workers == nil { server.connected(to: bus) }
        }
        bus.onLost = { [unowned self] why in
            interface.lost()
            vibration.lost()
            // Before the first reports, which would else say what was said on the bus that is lost.
            doNotDisturb.lost()
            feed(.ready)
            if settings.notifies || workers == nil { server.lost(why) }
        }
        bus.onMessage = { [unowned self] in
            if workers == nil, interface.hasLost($0) { finished() }
            // Both are asked: each looks whether the name of its service has a new owner.
            let isTheirs = [vibration.take($0), doNotDisturb.take($0)].contains(true)
            return ask($0) || server.take($0) || isTheirs
        }
        doNotDisturb.onSettled = { [unowned self] in if server.isKnown { feed(.ready) } }
        _ = loop.schedule(at: loop.now + Self.firstReportPatience, description: "first reports") { [weak self] in
            self?.feed(.ready)
        }
        interface.choose = { [unowned self] in workers?.report(.chosen($1), to: $0) }
        interface.onAsked = { [unowned self] in considerLeaving() }
        if !settings.notifies, workers != nil { feed(.server(.isAbsent(Self.notNotifying))) }
        bus.connect()
        considerLeaving()
    }

    /// Takes a question over the bus, once the state is known.
    private func ask(_ message: BusMessage) -> Bool {
        guard message.kind == .call, message.path == CallsInterface.path, early != nil else {
            return interface.take(message)
        }
        early?.append(message)
        return true
    }

    private static let notNotifying = "[Desktop] Notify=no"

    /// Takes over what there is: what an earlier process has shown, and what was missed that nobody was shown.
    private func adopt() {
        if let (owner, notices) = shownFile.read() {
            showing.inherit(notices, from: owner)
            adoptRings()
        }
        // Until it is known whether they would be hidden.
        perform(showing.disturbed(isOn: true, hides: true))
        showing.dismissed(closedFile.read())
        closed = showing.dismissed
        for (group, listed) in missedLists.all() { perform(showing.lists(listed, of: group)) }
        missedLists.watch(showing.groupsOfMissed)
    }

    /// Reads the settings again, which count from now on.
    private func renew() {
        let old = settings
        settings = currentSettings()
        (showing.callsBack, showing.closeSilences) = (settings.onCallBack != nil, settings.closeSilences)
        showing.opensAlerts = settings.onClick != nil
        (feeling.vibrates, feeling.minds) = (settings.vibrates, settings.minds)
        vibration.pattern = settings.vibratePattern
        calls.answersWait = settings.answersWait
        (interface.configured, interface.secondCall) = (settings.group, settings.secondCall)
        switch (old.notifies, settings.notifies) {
        case (true, false):
            for notice in showing.kept { server.close(notice.id) }
            server.lost(Self.notNotifying)
        case (false, true): if let bus = bus.bus { server.connected(to: bus) }
        case (true, true), (false, false): break
        }
    }

    /// Calls that ring already: their workers come again with their next tick.
    private func adoptRings() {
        for (id, call) in calls.rings() {
            let caller = ShownCaller(call)
            perform(showing.rings(id, caller, until: call.until, isSilenced: call.isSilenced, link: nil))
            // Its worker may have died with the process before this one.
            calls.findOut(id)
        }
    }

    // MARK: Inputs

    private func feed(_ input: Input) {
        guard queue.enter(input) else { return }
        while let input = queue.next() { perform(step(input)) }
        startServer()
        // Once all inputs are taken: if one ends a ring and the next begins another, the vibration has no gap.
        perform(feeling.reconcile())
        interface.update { $0.ringingCount = showing.ringing.count }
        interface.goOn(showing.ongoing)
        keep()
        missedLists.watch(showing.groupsOfMissed)
        considerLeaving()
    }

    /// Has a server started for something new. One that leaves has left for a reason: that starts nothing.
    private func startServer() {
        // What waits until the state is known counts by then.
        guard mayStartServer, server.isKnown, early == nil, settings.notifies else { return }
        if showing.lacksServer { server.start() }
        if showing.ringing.isEmpty { mayStartServer = false }
    }

    private func step(_ input: Input) -> [ShowingEffect] {
        switch input {
        case .worker(.came(let link, _)):
            renew()
            perform(feeling.came(link))
            return []
        case .worker(.event(let link, let hello, let event)):
            return events.take(event, from: link, hello).map { take($0, from: link) } ?? []
        case .worker(.goesOn(let link, let hello, let call)): return take(call, from: link, in: hello.group)
        case .worker(.left(let link)):
            if showing.ongoing.contains(where: { $0.link == link }) { return showing.goesOnNoLonger(link) }
            if let call = events.left(link) { overdue.remove(call) }
            perform(feeling.left(link))
            return showing.left(link)
        case .server(let input): return take(input)
        case .settled(let call, let isMissed, let known):
            if let state = known?.state { interface.ended(call, state) }
            if isMissed { interface.missedChanged(in: call.group) }
            let caller = known.map { ShownCaller($0) }
            run(HookCause(diedAs: known?.state, isMissed: isMissed), call, caller)
            let (missed, time) = isMissed ? missedLists.moment(of: call) : (0, "")
            return showing.settled(call, missed: isMissed, at: missed, time: time)
        case .overdue(let call, let known):
            guard let reason = EndReason(rawValue: known.state.rawValue) else { return [] }
            overdue.insert(call)
            let caller = ShownCaller(known)
            return end(call, caller, reason, isMissed: known.missedReason != nil)
        case .doNotDisturb:
            perform(feeling.disturbs(doNotDisturb.level))
            return early == nil ? disturbed() : []
        case .listed(let group, let listed): return showing.lists(listed, of: group)
        case .felt(let isPlaying, let detail):
            feeling.felt(isPlaying: isPlaying, detail)
            return []
        case .ready:
            let asked = early ?? []
            early = nil
            perform(feeling.ready())
            for message in asked { _ = interface.take(message) }
            return disturbed()
        }
    }

    private func disturbed() -> [ShowingEffect] {
        showing.disturbed(isOn: doNotDisturb.level > .none, hides: doNotDisturb.hides)
    }

    private func take(_ input: NotificationServer.Input) -> [ShowingEffect] {
        switch input {
        case .isThere(let server):
            bus.isWell()
            doNotDisturb.serverIs(server.owner)
            mayStartServer = false
            let effects = showing.serverIs(server)
            // What the last one has closed by itself was not closed by the person.
            return effects + missedLists.all().flatMap { showing.lists($0.1, of: $0.0) }
        case .isNotRunning:
            if doNotDisturb.isSettled { feed(.ready) }
            return []
        case .isAbsent(let why):
            // It may have been stopped: what rings already does not bring it back.
            if showing.server != nil { mayStartServer = false }
            doNotDisturb.serverIs(nil)
            return showing.serverIsAbsent(why)
        case .shown(let token, let id): return showing.shown(token, as: id)
        case .refused(let token, let why): return showing.refused(token, why)
        case .closed(let id, let byPerson):
            renew()
            return showing.closed(id, byPerson: byPerson)
        case .chosen(let id, let key):
            renew()
            return showing.chosen(key, in: id)
        }
    }

    private func take(_ news: DesktopNews, from link: Int64) -> [ShowingEffect] {
        switch news {
        case .received(let call):
            feeling.received(call, from: link)
            return []
        case .rings(let ring):
            calls.forget(ring.call)
            calls.follow(ring.call)
            overdue.remove(ring.call)
            feeling.received(ring.call, from: link)
            feeling.rings(ring.call, ring.mode.known, why: ring.why)
            // A later event says another mode: the ring's end is where it was.
            let known = showing.end(of: ring.call)
            let (mode, until) = (ring.mode.rawValue, known ?? ring.until)
            if known == nil {
                mayStartServer = true
                interface.rings(ring.call, ring.caller, mode: mode, since: ring.since, until: until)
            } else {
                interface.changed(ring.call, to: mode)
            }
            return showing.rings(
                ring.call, ring.caller, until: until, isSilenced: ring.why == .silenced, link: link)
        case .caller(let call, let caller):
            interface.changed(call, to: caller)
            return showing.caller(caller, of: call)
        case .picture(let path, let call): return showing.picture(path, of: call)
        case .ended(let call, let caller, let reason, let isMissed):
            calls.forget(call)
            return overdue.remove(call) == nil ? end(call, caller, reason, isMissed: isMissed) : []
        case .missed(let call, let caller):
            mayStartServer = true
            interface.missedChanged(in: call.group)
            run(.missedUnheard, call, caller)
            let (missed, time) = missedLists.moment(of: call)
            return showing.missed(call, caller, at: missed, time: time)
        case .alert(let alert):
            mayStartServer = true
            return showing.alert(alert, link: link)
        case .withdrawn(let names, let group): return showing.withdraw(names, in: group)
        case .buzz:
            perform(feeling.buzz(from: link))
            return []
        }
    }

    private func take(_ call: OngoingCall, from link: Int64, in group: GroupName) -> [ShowingEffect] {
        let known = showing.ongoing.first { $0.link == link }
        if known == nil {
            renew()
            mayStartServer = true
        }
        // Once: by the time that the clock is set, or a day begins, nothing is shown anew.
        let time = known?.call.since == call.since ? known?.time : call.since.map { LocalTime.text(of: $0) }
        return showing.goesOn(ShownOngoingCall(call, link: link, group: group, time: time ?? ""))
    }

    private func end(
        _ call: ShownCallID, _ caller: ShownCaller, _ reason: EndReason, isMissed: Bool
    ) -> [ShowingEffect] {
        feeling.ended(call)
        interface.ended(call, reason)
        if isMissed { interface.missedChanged(in: call.group) }
        run(HookCause(reason, isMissed: isMissed), call, caller)
        let (missed, time) = isMissed ? missedLists.moment(of: call) : (0, "")
        return showing.ended(call, missed: isMissed, at: missed, time: time)
    }

    // MARK: Effects

    private func perform(_ effects: [ShowingEffect]) {
        for effect in effects { perform(effect) }
    }

    private func perform(_ effect: ShowingEffect) {
        switch effect {
        case .notify(let token, let replaces, let notice):
            server.notify(
                token, replaces: replaces, notice, picture: notice.picture.flatMap { picture.hint(of: $0) },
                readsMarkup: showing.server?.readsMarkup ?? false)
        case .close(let id): server.close(id)
        case .report(let link, let state, let detail):
            workers?.report(.notification(state, detail: detail), to: link)
        case .answer(let call):
            // Until what is run for it holds the call: else another one would be loud in between.
            let holder = settings.onAnswer == nil ? nil : Owner(.current)
            calls.end(CallKey(call.call), in: call.group, as: .answer(heldBy: holder))
        case .decline(let call): calls.end(CallKey(call.call), in: call.group, as: .decline)
        case .silence(let call): calls.silence(CallKey(call.call), in: call.group)
        case .findOut(let call): calls.findOut(call)
        case .seen(let seen):
            for call in seen {
                calls.change(in: call.group) {
                    $0.clearMissed([CallKey(call.call)])
                } done: { [unowned self] _ in
                    interface.missedChanged(in: call.group)
                }
            }
        case .callBack(let call, let caller): run(.callBack, call, caller)
        case .open(let alert):
            renew()
            if let hook = settings.onClick {
                hooks.run(hook, HookVariables(opening: alert), complain: settings.complain)
            }
        case .choose(let link, let command): workers?.report(.chosen(command), to: link)
        }
    }

    private func perform(_ effects: [FeelingEffect]) {
        for effect in effects {
            switch effect {
            case .first(let link, let isMuted, let mayVibrate):
                // Whether there is a motor is looked up, and so only where it matters.
                let vibrates = mayVibrate && vibration.isThere
                workers?.report(.first(isMuted: isMuted, vibrates: vibrates), to: link)
            case .muted(let isMuted): workers?.reportToAll(.muted(isMuted))
            case .doNotDisturb(let isOn): interface.update { $0.doNotDisturb = isOn ? "on" : "off" }
            case .ring: vibration.ring()
            case .stop: vibration.stop()
            case .buzz: vibration.buzz()
            case .stopBuzz: vibration.stopBuzz()
            case .report(let link, let state, let detail):
                workers?.report(.vibration(state, detail: detail), to: link)
            }
        }
    }

    private func run(_ cause: HookCause?, _ call: ShownCallID, _ caller: ShownCaller?) {
        guard let cause else { return }
        renew()
        guard let hook = settings.hook(for: cause.occasion) else { return }
        let variables = HookVariables(call: call, caller: caller, reason: cause.reason)
        hooks.run(hook, variables, complain: settings.complain) { [weak self] started in
            guard let self, cause.occasion == .answered else { return }
            guard let (unit, bus) = started else { return hold(call, by: nil) }
            UnitProcess(bus: bus, timers: loop).find(unit) { [weak self] in self?.hold(call, by: $0) }
        }
    }

    /// Has `process`, which runs for an answered call, hold it in the place of this one.
    private func hold(_ call: ShownCallID, by process: ProcessIdentity?) {
        calls.change(in: call.group) { ledger in
            if let process {
                ledger.hold(CallKey(call.call), by: Owner(process), insteadOf: Owner(.current))
            } else {
                ledger.release(CallKey(call.call), by: Owner(.current))
            }
        } done: { _ in
        }
    }

    /// Keeps what is shown, if that has changed.
    private func keep() {
        if showing.dismissed != closed {
            closed = showing.dismissed
            closedFile.write(closed)
        }
        let now = showing.kept
        // While there is no server the file keeps what the last one has shown: if only the bus is lost, it shows it
        // still, and a process after this one takes it over.
        guard now != kept, let server = showing.server else { return }
        kept = now
        shownFile.write(now, by: server.owner)
    }

    /// Another version of this program is installed: it takes over what is shown as soon as nothing rings.
    public func isOutdated() {
        mustMakeRoom = true
        considerLeaving()
    }

    private func considerLeaving() {
        leaving?.cancel()
        leaving = nil
        if mustMakeRoom, showing.ringing.isEmpty, workers?.isEmpty ?? true { return onOutdated() }
        let isWaiting = settings.notifies && showing.waits
        guard !showing.isBusy, !isWaiting, workers?.isEmpty ?? true else { return }
        leaving = loop.schedule(at: loop.now + Self.linger, description: "nothing to do") { [weak self] in
            self?.finished()
        }
    }
}
