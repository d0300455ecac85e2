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
public import RingEar
import ServiceHost
public import Showing

/// How the desktop shows calls, as the operator wants it.
public struct DesktopSettings: Sendable {
    /// What it speaks.
    public var words: NoticeWords
    /// The group that is meant where none is named.
    public var group: GroupName
    /// How a call rings while another does.
    public var secondCall: RingMode
    /// How long an answer waits for the app.
    public var answersWait: TimeSpan
    /// Whether notifications are shown.
    public var notifies: Bool
    /// Whether this process's environment names a display.
    public var hasDisplay: Bool
    /// Whether rings vibrate.
    public var vibrates = true
    /// For how long a motor vibrates and rests in turn, over and over.
    public var vibratePattern = [TimeSpan.milliseconds(400), .milliseconds(600)]
    /// The file of GNOME's settings; nil if there is no telling where it is.
    public var dconfPath: String?
    /// Whether a desktop that is not to disturb mutes rings.
    public var minds = true
    /// What is run when a call was answered, declined or missed, and to call back who was missed.
    public var onAnswer: DesktopHook?
    /// The same for a call that was declined.
    public var onDecline: DesktopHook?
    /// The same for a call that was missed.
    public var onMissed: DesktopHook?
    /// What calls back who was missed.
    public var onCallBack: DesktopHook?
    /// Takes what the operator should know, for the journal.
    public var complain: @Sendable (String) -> Void = { _ in }

    /// Settings.
    public init(
        words: NoticeWords, group: GroupName, secondCall: RingMode, answersWait: TimeSpan, notifies: Bool,
        hasDisplay: Bool
    ) {
        self.words = words
        self.group = group
        self.secondCall = secondCall
        self.answersWait = answersWait
        self.notifies = notifies
        self.hasDisplay = hasDisplay
    }
}

/// All that belfry-desktop does: hears workers, has a notification server show their calls, and carries out what the
/// person decides.
public final class DesktopService {
    /// How long it stays after the last call, if nothing is shown in which a person can choose.
    public static let linger = TimeSpan.seconds(10)
    /// How long workers that come at the start wait for their first word until the bus has answered.
    static let firstWordPatience = TimeSpan.milliseconds(60)

    private enum Input {
        case worker(WorkerConnections.Input)
        case server(NotificationServer.Input)
        case settled(ShownCallID, isMissed: Bool, Call?)
        case muted
        case felt(isPlaying: Bool, String)
        case ready
    }

    private let loop: Loop
    private let settings: DesktopSettings
    private let shownFile: ShownFile
    private let hookFiles: HookFiles
    private let finished: () -> Void
    private var machine: ShowingStateMachine
    private var queue = EffectQueue<Input>()
    private var told: [Int64: Told] = [:]
    private var kept: [KeptNotice] = []
    private var readsMarkup = false
    /// What an earlier process has shown, and by whom.
    private var inherited: (owner: String, notices: [KeptNotice])?
    private var leaving: (any ScheduledTimer)?

    private let bus: BusConnection
    private lazy var server = NotificationServer(on: loop, hasDisplay: settings.hasDisplay) { [unowned self] in
        feed(.server($0))
    }
    private lazy var doNotDisturb = DoNotDisturb(dconfPath: settings.dconfPath) { [unowned self] in feed(.muted) }
    private lazy var vibration = Vibration(
        timers: loop, pattern: settings.vibratePattern, motor: Motor(timers: loop)
    ) { [unowned self] in feed(.felt(isPlaying: $0, $1)) }
    private var picture = ShownPicture()
    /// How each call rings of which a worker has told.
    private var modes: [ShownCallID: RingWay] = [:]
    private var isFelt = false
    /// What came of what is felt now; nil while nothing is known, or nothing is felt.
    private var felt: (state: VibrationState, detail: String)?
    /// That of the hook that was run last.
    private var hookNumber: Int64 = 0
    /// Whether do-not-disturb was on as workers were last told.
    private var wasMuted = false
    /// Questions over the bus that wait until the state is known.
    private var early: [BusMessage]? = []
    /// Workers that wait for their first word; nil once nobody has to any more.
    private var unanswered: [Int64]? = []
    private var workers: WorkerConnections?
    private let calls: GroupCalls
    private let interface: CallsInterface

    /// What is known of a worker's notification.
    private struct Told {
        var call: ShownCallID?
        var type: NotificationType?
        var name = ""
        var isMissed = false
        /// Whether a foreign extension has it, which rings by itself and shows what it likes.
        var isForeign = false
        /// Whether that has asked to vibrate.
        var hasBuzzed = false
        /// What it knows of what is felt.
        var toldFelt: VibrationState?
    }

    /// How a call rings.
    private struct RingWay {
        var mode: RingMode?
        var why: MuteReason?
    }

    /// A service of the socket `listener`; `finished` is called when there is nothing to do any more.
    public init(
        on loop: Loop, listener: Int32, state: StateDirectory, runtime: RuntimeDirectory, settings: DesktopSettings,
        finished: @escaping () -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.settings = settings
        self.finished = finished
        shownFile = ShownFile(runtime: runtime)
        machine = ShowingStateMachine(words: settings.words, callsBack: settings.onCallBack != nil)
        bus = BusConnection(on: loop)
        hookFiles = HookFiles(runtime: runtime)
        var settled: (ShownCallID, Bool, Call?) -> Void = { _, _, _ in }
        calls = GroupCalls(on: loop, state: state, runtime: runtime, answersWait: settings.answersWait) {
            settled($0, $1, $2)
        }
        interface = CallsInterface(calls: calls, configured: settings.group, secondCall: settings.secondCall)
        settled = { [unowned self] in feed(.settled($0, isMissed: $1, $2)) }
        workers = try WorkerConnections(on: loop, listener: listener) { [unowned self] in feed(.worker($0)) }
    }

    /// Begins: connects to the bus, and takes over what an earlier process has left.
    public func begin() {
        inherited = shownFile.read()
        if inherited != nil { adoptRings() }
        bus.onConnected = { [unowned self] bus in
            interface.connected(to: bus)
            vibration.connected(to: bus)
            doNotDisturb.connected(to: bus)
            if settings.notifies { server.connected(to: bus) }
        }
        bus.onLost = { [unowned self] why in
            interface.lost()
            vibration.lost()
            doNotDisturb.lost()
            feed(.ready)
            if settings.notifies { server.lost(why) }
        }
        bus.onMessage = { [unowned self] in
            // Whoever has the name of the server or of feedbackd may be new to both.
            let isTheirs = [vibration.take($0), doNotDisturb.take($0)].contains(true)
            return ask($0) || server.take($0) || isTheirs
        }
        doNotDisturb.onSettled = { [unowned self] in if server.isKnown { feed(.ready) } }
        _ = loop.schedule(at: loop.now + Self.firstWordPatience, description: "first words") { [weak self] in
            self?.feed(.ready)
        }
        interface.onAsked = { [unowned self] in considerLeaving() }
        if !settings.notifies { feed(.server(.isAbsent("[Desktop] Notify=no"))) }
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

    /// Calls that ring already: their workers come again with their next tick.
    private func adoptRings() {
        for (id, call) in calls.rings() {
            let caller = ShownCaller(name: call.name, handle: call.handle, hasVideo: call.hasVideo)
            perform(machine.rings(id, caller, until: call.until, link: nil))
            calls.findOut(id)
        }
    }

    // MARK: Inputs

    private func feed(_ input: Input) {
        guard queue.enter(input) else { return }
        while let input = queue.next() { perform(step(input)) }
        if machine.lacksServer, settings.notifies { server.start() }
        vibrate()
        interface.update { $0.ringingCount = machine.ringing.count }
        keep()
        considerLeaving()
    }

    private func step(_ input: Input) -> [ShowingEffect] {
        switch input {
        case .worker(.came(let link, _)):
            told[link] = Told()
            if unanswered == nil { sayFirst(to: link) } else { unanswered?.append(link) }
            return []
        case .worker(.event(let link, let hello, let event)): return take(event, of: link, hello)
        case .worker(.left(let link)):
            unanswered?.removeAll { $0 == link }
            let about = told.removeValue(forKey: link)
            if let call = about?.call { modes[call] = nil }
            if about?.hasBuzzed == true { vibration.stopBuzz() }
            return machine.left(link)
        case .server(let input): return take(input)
        case .settled(let call, let isMissed, let known):
            if let state = known?.state { interface.ended(call, state) }
            if isMissed { interface.missedChanged(in: call.group) }
            runHook(of: call, as: known, isMissed: isMissed)
            return machine.settled(call, missed: isMissed)
        case .muted:
            let isMuted = doNotDisturb.level > .none
            guard isMuted != wasMuted else { return [] }
            wasMuted = isMuted
            interface.update { $0.doNotDisturb = isMuted ? "on" : "off" }
            if settings.minds { workers?.reportToAll(.muted(isMuted)) }
            return []
        case .felt(let isPlaying, let detail):
            felt = (isPlaying ? .playing : .unavailable, detail)
            return []
        case .ready:
            let (waiting, asked) = (unanswered ?? [], early ?? [])
            (unanswered, early) = (nil, nil)
            for link in waiting { sayFirst(to: link) }
            for message in asked { _ = interface.take(message) }
            return []
        }
    }

    private func take(_ input: NotificationServer.Input) -> [ShowingEffect] {
        switch input {
        case .isThere(let server):
            bus.isWell()
            doNotDisturb.serverIs(server.owner)
            readsMarkup = server.readsMarkup
            if let inherited {
                self.inherited = nil
                if inherited.owner == server.owner { machine.adopt(inherited.notices) }
            }
            return machine.serverIs(server)
        case .isNotRunning:
            if doNotDisturb.isSettled { feed(.ready) }
            return []
        case .isAbsent(let why):
            doNotDisturb.serverIs(nil)
            return machine.serverIsAbsent(why)
        case .shown(let token, let id): return machine.shown(token, as: id)
        case .refused(let token, let why): return machine.refused(token, why)
        case .closed(let id): return machine.closed(id)
        case .chosen(let id, let key): return machine.chosen(key, in: id)
        }
    }

    private func take(_ event: Event, of link: Int64, _ hello: DesktopHello) -> [ShowingEffect] {
        var about = told[link] ?? Told()
        defer { if told[link] != nil { told[link] = about } }
        switch event.body {
        case .received(let received):
            about.type = received.type.known
            about.call = received.call.map { ShownCallID(group: hello.group, call: $0) }
            about.name = received.collapseID ?? event.id
            return []
        case .ringing(let ringing):
            let id = ShownCallID(group: hello.group, call: ringing.call)
            guard let start = TimeSpan(seconds: event.boot), let length = TimeSpan(seconds: ringing.duration) else {
                return []
            }
            calls.forget(id)
            modes[id] = RingWay(mode: ringing.mode.known, why: ringing.why?.known)
            // A later one tells of another mode: the ring's end is where it was.
            let begun = Instant(microseconds: start.microseconds)
            let known = machine.end(of: id)
            let until = known ?? begun + length
            if known == nil {
                interface.rings(id, caller(hello), mode: ringing.mode.rawValue, since: begun, until: until)
            } else {
                interface.changed(id, to: ringing.mode.rawValue)
            }
            return machine.rings(id, caller(hello), until: until, link: link)
        case .attachment(let attachment):
            guard case .attached(let path, _, _, _) = attachment.outcome, let call = about.call else { return [] }
            return machine.picture(path, of: call)
        case .ended(let ended):
            guard let call = about.call, let reason = ended.reason.known else { return [] }
            about.isMissed = MissedReason(reason, hangupReason: ended.hangupReason?.known) != nil
            modes[call] = nil
            interface.ended(call, reason)
            if about.isMissed { interface.missedChanged(in: call.group) }
            runHook(of: reason, isMissed: about.isMissed, call, caller(hello))
            return machine.ended(call, missed: about.isMissed)
        case .missed:
            guard let call = about.call, !about.isMissed else { return [] }
            interface.missedChanged(in: call.group)
            run(settings.onMissed, call, caller(hello), reason: "missed")
            return machine.missed(call, caller(hello))
        case .delivered(_, let content):
            guard about.type == .alert || about.isForeign else { return [] }
            return show(content, in: hello.group, as: about.name, link)
        case .extensionProcess:
            about.isForeign = true
            return []
        case .asked(let asked): return take(asked, of: link, hello, &about)
        case .silent, .tick, .sound, .notification, .vibration, .warning, .rejected, .unknown: return []
        }
    }

    /// Takes what a foreign extension's code has asked for.
    private func take(
        _ asked: Event.Asked, of link: Int64, _ hello: DesktopHello, _ about: inout Told
    ) -> [ShowingEffect] {
        switch (asked.what.known, asked.identifiers, asked.content) {
        case (.vibration?, _, _), (.alert?, _, _): buzz(&about)
        case (.add?, let names?, let content?):
            if let name = names.first { return show(content, in: hello.group, as: name, link) }
        case (.remove?, let names?, _): return machine.withdraw(names.isEmpty ? nil : names, in: hello.group)
        default: break
        }
        return []
    }

    private func show(
        _ content: NotificationContent, in group: GroupName, as name: String, _ link: Int64
    ) -> [ShowingEffect] {
        guard content.hasAlertText else { return [] }
        let lines = [content.subtitle, content.body].filter { !$0.isEmpty }
        return machine.alert(
            title: content.title, body: lines.joined(separator: "\n"), in: group, name: name, link: link)
    }

    private func caller(_ hello: DesktopHello) -> ShownCaller {
        ShownCaller(name: hello.name, handle: hello.handle, hasVideo: hello.hasVideo)
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
                readsMarkup: readsMarkup)
        case .close(let id): server.close(id)
        case .report(let link, let state, let detail):
            workers?.report(.notification(state, detail: detail), to: link)
        case .answer(let call): calls.end(CallKey(call.call), in: call.group, as: .answer)
        case .decline(let call): calls.end(CallKey(call.call), in: call.group, as: .decline)
        case .findOut(let call): calls.findOut(call)
        case .seen(let seen):
            for call in seen {
                calls.change(in: call.group) {
                    $0.clearMissed([CallKey(call.call)])
                } done: { [unowned self] _ in
                    interface.missedChanged(in: call.group)
                }
            }
        case .callBack(let call, let caller): run(settings.onCallBack, call, caller, reason: "missed")
        }
    }

    private func sayFirst(to link: Int64) {
        let level = level
        let vibrates = settings.vibrates && level < .muted && vibration.isThere
        workers?.report(.first(isMuted: level > .none, vibrates: vibrates), to: link)
    }

    /// How much of a call is not wanted, as far as the operator minds.
    private var level: DoNotDisturb.Level { settings.minds ? doNotDisturb.level : .none }

    // MARK: What is felt

    /// Has it vibrate while a call rings that is to be felt, and as long as nobody forbids it.
    private func vibrate() {
        let wanted = settings.vibrates && modes.values.contains(where: isFelt)
        if wanted != isFelt {
            isFelt = wanted
            felt = nil
            if wanted { vibration.ring() } else { vibration.stop() }
        }
        tellFelt()
    }

    /// A loud ring is felt, and one that a phone's profile alone keeps from being heard.
    private func isFelt(_ way: RingWay) -> Bool {
        way.mode == .loud || way.mode == .silent && way.why == .doNotDisturb && level == .unheard
    }

    /// A foreign extension has asked to vibrate.
    private func buzz(_ about: inout Told) {
        guard settings.vibrates, level < .muted else { return }
        about.hasBuzzed = true
        vibration.buzz()
    }

    /// Tells whoever is felt what came of it, once.
    private func tellFelt() {
        guard let felt else { return }
        for (link, about) in told where about.toldFelt != felt.state {
            guard about.hasBuzzed || about.call.flatMap({ modes[$0] }).map(isFelt) ?? false else { continue }
            told[link]?.toldFelt = felt.state
            workers?.report(.vibration(felt.state, detail: felt.detail), to: link)
        }
    }

    // MARK: What is run

    private func runHook(of reason: EndReason, isMissed: Bool, _ call: ShownCallID, _ caller: ShownCaller) {
        switch reason {
        case .answered: run(settings.onAnswer, call, caller, reason: reason.rawValue)
        case .declined: run(settings.onDecline, call, caller, reason: reason.rawValue)
        case .hangup, .foreground, .timeout, .expired, .stopped:
            if isMissed { run(settings.onMissed, call, caller, reason: reason.rawValue) }
        }
    }

    /// Runs what belongs to an end that no worker has told, since it is dead.
    private func runHook(of call: ShownCallID, as known: Call?, isMissed: Bool) {
        let caller = known.map { ShownCaller(name: $0.name, handle: $0.handle, hasVideo: $0.hasVideo) }
        switch known?.state {
        case .answered?: run(settings.onAnswer, call, caller, reason: EndReason.answered.rawValue)
        case .declined?: run(settings.onDecline, call, caller, reason: EndReason.declined.rawValue)
        default: if isMissed { run(settings.onMissed, call, caller, reason: MissedReason.died.rawValue) }
        }
    }

    private func run(_ hook: DesktopHook?, _ call: ShownCallID, _ caller: ShownCaller?, reason: String) {
        guard let hook else { return }
        guard let bus = bus.bus else { return settings.complain("\(hook) cannot be started: no session bus") }
        hookNumber = max(hookNumber + 1, loop.now.microseconds)
        hook.run(
            on: bus, variables: HookVariables(call: call, caller: caller, reason: reason), call: hookNumber,
            files: hookFiles
        ) { [settings] why in
            settings.complain("\(hook) cannot be started: \(Printable.escaped(why))")
        }
    }

    /// Keeps what is shown, if that has changed.
    private func keep() {
        let now = machine.kept
        guard now != kept, let owner = machine.serverOwner else { return }
        kept = now
        shownFile.write(now, by: owner)
    }

    private func considerLeaving() {
        leaving?.cancel()
        leaving = nil
        guard !machine.isBusy, workers?.isEmpty ?? true else { return }
        leaving = loop.schedule(at: loop.now + Self.linger, description: "nothing to do") { [weak self] in
            self?.finished()
        }
    }
}
