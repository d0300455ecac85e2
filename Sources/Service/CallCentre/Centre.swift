import BelfryAppGroup
import BelfryApps
public import BelfryEventLoop
import BelfryProtocol
public import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallControl
import CallDirectory
import DesktopChannel
import DeviceRegistry
import NotificationDelivery
import RingEar
import SystemSound

/// Drives the calls of apps: hears workers, apps and commands at `calls.sock`, and does what the decider says.
///
/// It decides nothing about calls; of the apps' processes it decides when they are started and ended (``AppLife``).
public final class Centre {
    private let settings: CentreSettings
    private let loop: Loop
    private var control: any CallDeciding
    private let onIdle: () -> Void
    private let began: Instant
    private var connections: CentreConnections?
    private lazy var tokens = AppTokens(state: settings.state, standard: settings.environment, on: loop) {
        [unowned self] in tokenChanged($0, $1)
    }
    private lazy var rings = OwnRings(socketPath: settings.pushSocketPath, on: loop) { [unowned self] in
        feed(.ringFailed($0))
    }
    private lazy var records = GroupRecords(state: settings.state, runtime: settings.runtime, on: loop)
    /// The calls that go on, by their UUIDs.
    private var shown: [String: ShownCall] = [:]
    private lazy var directory = DirectoryLoads(
        settings, on: loop, say: { [unowned self] in say($0, to: $1) },
        warn: { [unowned self] in tell(.warning(code: $0, detail: $1), id: "") }, changed: { [unowned self] in look() })
    private let journal: CentreJournal
    private var appRecords: AppRecords
    private var icons: AppIcons
    private var tunes = AppTunes()
    /// The app of each worker that was ordered to ring.
    private var ringing: [WorkerNumber: String] = [:]
    private var queue = EffectQueue<Input>()
    private var apps: [String: App] = [:]
    private var timer: (any ScheduledTimer)?
    private var idle: (any ScheduledTimer)?
    /// Whether another program is in this one's place.
    private var isOutdated = false
    private var isStopping: (() -> Void)?

    private enum Input {
        case heard(CallInput)
        case timePassed
    }

    /// What is known of an app, besides its calls.
    private struct App {
        var life = AppLife()
        var process: AppProcess?
        /// Its connection, with the process at its other end.
        var link: CentreConnections.Link?
        var peer: Int32?
        var hello: AppHello?
        var timer: (any ScheduledTimer)?
        /// Commands that wait until it has its registry, or has ended.
        var starting: [CentreConnections.Link] = []
        var stopping: [CentreConnections.Link] = []
        var patience: (any ScheduledTimer)?
    }

    /// A centre that serves the listening socket `listener`, which stays its owner's.
    ///
    /// - Parameter onIdle: called once it has had nothing to do for ``CentreSettings/idleMax``, or has ended what
    ///   ``stop(_:)`` was to end.
    public convenience init(
        _ settings: CentreSettings, listener: Int32, on loop: Loop, onIdle: @escaping () -> Void
    ) throws(SystemError) {
        let control = CallStateMachine(settings: settings.control, apps: settings.apps.bundles.map(\.identifier))
        try self.init(settings, deciding: control, listener: listener, on: loop, onIdle: onIdle)
    }

    /// A centre with another decider.
    init(
        _ settings: CentreSettings, deciding control: some CallDeciding, listener: Int32, on loop: Loop,
        onIdle: @escaping () -> Void
    ) throws(SystemError) {
        (self.settings, self.control, self.loop, self.onIdle) = (settings, control, loop, onIdle)
        began = loop.now
        appRecords = AppRecords(in: settings.runtime.path)
        icons = AppIcons(in: settings.runtime.path)
        journal = CentreJournal(path: settings.journalPath, group: settings.group, on: loop)
        connections = try CentreConnections(on: loop, listener: listener, roleMax: settings.roleMax) {
            [unowned self] in heard($0)
        }
        for event in faults { journal.write(event) }
        directory.loadContactsIfOutdated()
        look()
    }

    /// Called when another program is in this one's place and no call lives.
    public var onOutdated: () -> Void = {}

    /// Another program is in this one's place: ``onOutdated`` is called once no call lives, and nothing is loaded.
    public func outdate() {
        isOutdated = true
        look()
    }

    /// Ends all loads, and the apps that are children, and calls `done` once those have; at once where they are units.
    public func stop(_ done: @escaping () -> Void) {
        journal.finish()
        directory.stop()
        guard case .children = settings.start else { return done() }
        isStopping = done
        // A process that somebody else started is not this one's to end.
        for id in apps.keys where apps[id]?.process?.isOwn == true {
            perform({ $0.stop(at: $1, isAsked: false) }, of: id)
        }
        look()
    }

    // MARK: What is heard

    private func heard(_ input: CentreConnections.Input) {
        switch input {
        case .push(let worker, let push):
            rings.arrived(push.id)
            feed(.push(worker, push))
        case .worker(let worker, let event): feed(.worker(worker, event))
        case .workerGone(let worker, let fault):
            if let fault { warn(.unsupported, "the connection of a worker was closed: \(fault)") }
            ringing[worker] = nil
            feed(.workerGone(worker))
        case .hello(let link, let hello, let process): begin(hello, link, process)
        case .app(_, let id, let message): take(message, from: id)
        case .tone(let id, let name, let file): take(file, named: name, from: id)
        case .appGone(let link, let id, let fault): end(id, link, fault)
        case .client(let link, let message, let process): take(message, from: link, process)
        case .clientGone(let link): forget(link)
        }
        look()
    }

    private func begin(_ hello: AppHello, _ link: CentreConnections.Link, _ process: Int32?) {
        let id = hello.id
        if let fault = AppBundle.fault(inIdentifier: id) {
            connections?.refuse(link, why: "\(Printable.escaped(String(id.prefix(GroupName.bytesMax)))) \(fault)")
            return
        }
        guard apps[id]?.link == nil else {
            let other = apps[id]?.peer.map { "process \($0)" } ?? "another process"
            let why = "\(id) is \(other) already: one process is each app; end it, or \"belfry app stop \(id)\""
            connections?.refuse(link, why: why)
            return warn(.appTwice, "\(process.map { "process \($0)" } ?? "a process") was refused: \(why)")
        }
        connections?.accept(link, as: id)
        connections?.say(
            .welcome(AppWelcome(stateDirectory: settings.state.path, contactsFile: settings.contactsFile)), to: link)
        app(id) {
            $0.link = link
            $0.peer = process
            $0.hello = hello
            $0.life.connected()
        }
        appRecords.change(id) {
            $0.started = WallTime.ofSystem
            $0.problem = ""
        }
        feed(.appConnected(hello))
    }

    private func take(_ message: AppMessage, from id: String) {
        if case .directory(let number, let question) = message {
            return directory.take(question, numbered: number, from: id)
        }
        if case .provider(let provider) = message { icons.note(provider.icon, of: id) }
        tunes.heard(message, from: id)
        feed(.app(id, message, number: message.number(by: settings.lookUp) { warn(.directoryDamaged, $0) }))
        guard case .registry(let types) = message else { return }
        let isRegistered = types.contains("voip")
        app(id) { $0.life.registered(isRegistered) }
        guard isRegistered else { return tokens.forget(id) }
        appRecords.change(id) { $0.registered = WallTime.ofSystem }
        do throws(RegistryError) {
            let token = try tokens.register(id, environment: apps[id]?.hello?.environment)
            say(.token(token.bytes), to: id)
        } catch {
            warn(.callsUnavailable, "\(id) has no token for pushes: \(error)")
        }
        for link in apps[id]?.starting ?? [] { connections?.answer(.done, to: link) }
        app(id) { $0.starting = [] }
    }

    /// Takes an app's tune, and passes it on to its calls that ring without.
    private func take(_ file: PassedFile?, named name: String, from id: String) {
        do throws(SoundProblem) {
            guard let file else { throw .unusable(path: name, why: "no file came with it") }
            guard try tunes.keep(file, named: name, of: id) else { return }
            for (worker, app) in ringing where app == id { connections?.say(.tone(name), passing: file, to: worker) }
        } catch {
            warn(.soundUnreadable, "\(id): its tune is not played, [Ring] Sound= is: \(error)")
        }
    }

    private func end(_ id: String, _ link: CentreConnections.Link, _ fault: String?) {
        guard apps[id]?.link == link else { return }
        if let fault { warn(.unsupported, "the connection of \(id) was closed: \(fault)") }
        app(id) { $0.link = nil }
        tokens.forget(id)
        icons.forget(id)
        tunes.forget(id)
        feed(.appGone(id))
        perform({ $0.disconnected(at: $1) }, of: id)
    }

    private func tokenChanged(_ id: String, _ token: AppTokens.Given?) {
        say(.tokenInvalid, to: id)
        if let token { say(.token(token.bytes), to: id) }
    }

    // MARK: Commands

    private func take(_ message: ClientMessage, from link: CentreConnections.Link, _ process: Int32?) {
        switch message {
        // What was wrong before it began to watch, and is.
        case .watch: for event in faults { connections?.tell(event, to: link) }
        case .listApps: connections?.answer(.apps(listed), to: link)
        case .listCalls: connections?.answer(.calls(control.ongoing), to: link)
        case .command(let command, let call): feed(.command(command, call: call, from: link))
        case .startApp(let id): start(id, for: link)
        case .stopApp(let id):
            guard let app = apps[id], !app.life.isOver else {
                let why = "\(Printable.escaped(String(id.prefix(GroupName.bytesMax)))) does not run"
                return connections?.answer(.failed(why), to: link) ?? ()
            }
            self.app(id) { $0.stopping.append(link) }
            perform({ $0.stop(at: $1) }, of: id)
        case .becomesApp(let id, let pid):
            // It can say so of itself only: what is followed is also what "belfry app stop" ends. Before the answer, at
            // which it becomes the app: one that ends at once would else be gone before it is followed.
            if settings.apps[id] != nil, let process, process == pid { self.process(of: id).follow(process) }
            connections?.answer(.done, to: link)
        }
    }

    private func start(_ id: String, for link: CentreConnections.Link) {
        guard settings.apps[id] != nil || apps[id]?.life.isOver == false else {
            let why = "\(Printable.escaped(String(id.prefix(GroupName.bytesMax)))) is not configured: [Calls] Apps="
            return connections?.answer(.failed(why), to: link) ?? ()
        }
        if apps[id]?.life.isRegistered == true { return connections?.answer(.done, to: link) ?? () }
        app(id) { $0.starting.append(link) }
        want(id)
        guard apps[id]?.starting.isEmpty == false, apps[id]?.patience == nil else { return }
        let patience = loop.schedule(at: loop.now + settings.startMax, description: "app start") { [unowned self] in
            app(id) { $0.patience = nil }
            let seconds = settings.startMax.wholeSeconds
            answerStarts(of: id, "\(id) runs, but has no registry for voip pushes after \(seconds) s")
        }
        app(id) { $0.patience = patience }
    }

    private func answerStarts(of id: String, _ why: String) {
        for link in apps[id]?.starting ?? [] { connections?.answer(.failed(why), to: link) }
        app(id) { $0.starting = [] }
    }

    private func forget(_ link: CentreConnections.Link) {
        for id in apps.keys {
            app(id) {
                $0.starting.removeAll { $0 == link }
                $0.stopping.removeAll { $0 == link }
            }
        }
    }

    private var listed: [ListedApp] {
        let configured = settings.apps.bundles.map { bundle in
            var app = ListedApp(id: bundle.identifier)
            (app.name, app.path) = (bundle.name, bundle.path)
            return app
        }
        let others = apps.keys.sorted().filter { settings.apps[$0] == nil && apps[$0]?.life.isOver == false }
        let calls = control.listed
        return (configured + others.map { ListedApp(id: $0) }).map { app in
            guard let known = apps[app.id] else { return app }
            var app = app
            if app.name.isEmpty { app.name = known.hello?.name ?? "" }
            app.pid = (known.link == nil ? known.process?.pid : known.peer ?? known.process?.pid).map(Int64.init)
            app.isRegistered = known.life.isRegistered
            app.calls = calls.first { $0.id == app.id }?.calls ?? 0
            app.problem = known.life.problem
            return app
        }
    }

    // MARK: Processes

    private func want(_ id: String) {
        guard settings.apps[id] != nil || apps[id]?.life.isOver == false else {
            // The name of an app that was started by hand, and has left.
            return feed(.appFailed(id, why: "it is not configured: [Calls] Apps="))
        }
        perform({ $0.wanted(at: $1) }, of: id)
    }

    private func process(of id: String) -> AppProcess {
        if let process = apps[id]?.process { return process }
        let process = AppProcess(id, in: settings.apps[id], settings.start, on: loop) { [unowned self] news in
            switch news {
            case .began: app(id) { $0.life.began() }
            case .failed(let why): perform({ $0.launchFailed(why, at: $1) }, of: id)
            case .ended(let how): perform({ $0.ended(how, at: $1) }, of: id)
            }
            look()
        }
        app(id) { $0.process = process }
        return process
    }

    private func perform(_ step: (inout AppLife, Instant) -> [AppLife.Effect], of id: String) {
        var effects: [AppLife.Effect] = []
        app(id) { effects = step(&$0.life, loop.now) }
        for effect in effects { perform(effect, of: id) }
    }

    private func perform(_ effect: AppLife.Effect, of id: String) {
        switch effect {
        case .launch: process(of: id).launch()
        case .failed(let why):
            appRecords.change(id) { $0.problem = apps[id]?.life.problem ?? why }
            feed(.appFailed(id, why: why))
            answerStarts(of: id, "\(id) was not started: \(why)")
        case .askToEnd: say(.stop, to: id)
        case .end(let byForce):
            process(of: id).end(byForce: byForce, other: apps[id]?.link == nil ? nil : apps[id]?.peer)
        case .stopped:
            answerStarts(of: id, "\(id) was stopped")
            for link in apps[id]?.stopping ?? [] { connections?.answer(.done, to: link) }
            app(id) { $0.stopping = [] }
        }
    }

    private func app(_ id: String, _ change: (inout App) -> Void) { change(&apps[id, default: App()]) }

    // MARK: What is decided

    private func feed(_ input: CallInput) { feed(.heard(input)) }

    private func feed(_ input: Input) {
        guard queue.enter(input) else { return }
        while let input = queue.next() {
            for effect in step(input) { perform(effect) }
        }
    }

    private func step(_ input: Input) -> [CallEffect] {
        switch input {
        case .heard(let input): control.take(input, at: loop.now)
        case .timePassed: control.timePassed(at: loop.now)
        }
    }

    private func perform(_ effect: CallEffect) {
        switch effect {
        case .worker(let worker, let order): say(order, to: worker)
        case .app(let id, let word): say(word, to: id)
        case .start(let id): want(id)
        case .ring(let ring): rings.push(ring, group: ring.group ?? tokens.group(of: ring.app))
        case .collectAnswer(let group, let call): records.collect(call, in: group)
        case .answer(let link, let outcome): connections?.answer(outcome.answer, to: link)
        case .goesOn(let call, let group): show(call, in: group ?? tokens.group(of: call.app) ?? settings.group)
        case .goesOnNoLonger(let call):
            records.release(call)
            shown.removeValue(forKey: call.uuid)?.close()
        case .tell(let body, let id, let worker):
            if let worker, case .warning(let code, let detail) = body {
                connections?.say(.warning(code, detail: detail), to: worker)
            }
            tell(body, id: id)
        }
    }

    private func show(_ call: OngoingCall, in group: GroupName) {
        records.goesOn(call, in: group)
        var hello = DesktopHello(group: group, name: call.name, handle: call.handle, hasVideo: call.hasVideo)
        hello.ongoing = call
        hello.ongoing?.icon = icons[call.app]
        if let shown = shown[call.uuid] { return shown.show(hello) }
        shown[call.uuid] = ShownCall(hello, at: settings.runtime.desktopSocketPath, on: loop) { [unowned self] in
            feed(.command($0, call: call.uuid, from: nil))
            look()
        }
    }

    private func say(_ order: WorkerOrder, to worker: WorkerNumber) {
        if case .ring = order, let app = control.app(of: worker) {
            ringing[worker] = app
            if let tune = tunes[app] { connections?.say(.tone(tune.name), passing: tune.file, to: worker) }
        }
        connections?.say(order, to: worker)
    }

    private func say(_ word: AppWord, to id: String) {
        guard let link = apps[id]?.link else { return }
        connections?.say(word, to: link)
    }

    private func warn(_ code: WarningCode, _ detail: String) { tell(.warning(code: code, detail: detail), id: "") }

    private func tell(_ body: Event.Body, id: String) {
        let event = event(body, id: id)
        connections?.tell(event)
        journal.write(event)
    }

    private func event(_ body: Event.Body, id: String = "") -> Event {
        Event(at: (loop.now - began).seconds, boot: Double(loop.now.microseconds) / 1_000_000, id: id, body: body)
    }

    /// What is wrong with what is configured: of several folders with one identifier only the first is an app.
    private var faults: [Event] {
        settings.apps.repetitions.map {
            let detail = "\($0): iOS has one app of each identifier. Take one of them out of [Calls] Apps="
            return event(.warning(code: CodeWord(.appTwice), detail: detail))
        }
    }

    /// Sets the timers anew, and leaves if there is nothing to do.
    private func look() {
        timer?.cancel()
        timer = control.deadline.map { deadline in
            loop.schedule(at: deadline, description: "calls") { [unowned self] in
                feed(.timePassed)
                look()
            }
        }
        for id in apps.keys { wake(id) }
        if let done = isStopping, apps.values.allSatisfy({ $0.process?.isOwn != true || $0.life.isOver }) {
            isStopping = nil
            done()
        }
        if isOutdated, control.liveCalls == 0, rings.isEmpty, directory.isEmpty {
            isOutdated = false
            onOutdated()
        }
        leaveIfIdle()
    }

    private func wake(_ id: String) {
        let timer = apps[id]?.life.deadline.map { deadline in
            loop.schedule(at: deadline, description: "app") { [unowned self] in
                perform({ $0.timePassed(at: $1) }, of: id)
                look()
            }
        }
        app(id) {
            $0.timer?.cancel()
            $0.timer = timer
        }
    }

    private func leaveIfIdle() {
        let isIdle =
            connections?.isEmpty == true && rings.isEmpty && records.openCount == 0
            && apps.values.allSatisfy { $0.life.isOver } && control.liveCalls == 0 && directory.isEmpty
        guard isIdle else {
            idle?.cancel()
            idle = nil
            return
        }
        guard idle == nil else { return }
        idle = loop.schedule(at: loop.now + settings.idleMax, description: "idle") { [unowned self] in
            journal.finish()
            onIdle()
        }
    }
}

extension CommandOutcome {
    /// The outcome as a command hears it.
    fileprivate var answer: ClientAnswer {
        switch self {
        case .done: .done
        case .noCall(let why): .noCall(why)
        case .refused(let why): .failed(why)
        }
    }
}

extension WallTime {
    /// Now, in Unix seconds.
    fileprivate static var ofSystem: Int64 { WallTime(microseconds: wallTimeMicroseconds()).unixSecond }
}
