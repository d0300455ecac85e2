import BelfryProtocol
public import BelfryTerms
public import CallChannel
import CallDirectory

/// The life of every app's calls: inputs in, effects out, no clock and no input or output (C1 to C16).
///
/// The driver performs the effects in order. It feeds ``timePassed(at:)`` at ``deadline``; whoever is late is late for
/// everybody, since each input first lets pass what was due before it.
public struct CallStateMachine: Sendable {
    /// What the operator sets; a change counts for what begins after it.
    public var settings: CallControlSettings
    /// The identifiers of the configured apps.
    public var configured: [String]

    /// Makes UUIDs: of Belfry's own actions, transactions and rings.
    let makeUUID: @Sendable () -> CallUUID
    /// What is known of each app that was seen, by its identifier.
    var apps: [String: KnownApp] = [:]
    /// The pushes and rings that something may still refer to, oldest first.
    var pushes: [PushDue] = []
    /// The calls that live, oldest first.
    var calls: [LiveCall] = []
    /// The actions that wait for their outcomes, oldest first.
    var actions: [OpenAction] = []
    /// The number of the newest push.
    var lastNumber: Int64 = 0
    /// The number of the oldest push; nil if there was none.
    var firstNumber: Int64?
    /// The calls that go on, as was said last.
    var shown: [OngoingCall] = []
    /// What the input that is being taken has led to.
    var effects: [CallEffect] = []

    /// No call, and no app that runs.
    ///
    /// - Parameters:
    ///   - apps: the identifiers of the configured apps.
    ///   - makeUUID: makes a UUID that was never made before.
    public init(
        settings: CallControlSettings, apps: [String], makeUUID: @escaping @Sendable () -> CallUUID = { .random() }
    ) {
        self.settings = settings
        configured = apps
        self.makeUUID = makeUUID
    }

    /// Hears of `input`, at `now`, and says what is to be done.
    public mutating func take(_ input: CallInput, at now: Instant) -> [CallEffect] {
        letPass(until: now)
        switch input {
        case .push(let worker, let push): pushCame(push, from: worker, at: now)
        case .worker(let worker, let event): workerSaid(event, worker, at: now)
        case .workerGone(let worker): workerGone(worker, at: now)
        case .appConnected(let hello): appConnected(hello, at: now)
        case .appGone(let app): appGone(app, at: now)
        case .appFailed(let app, let why): appFailed(app, why: why, at: now)
        case .app(let app, let message, let number): appSaid(message, app, number, at: now)
        case .command(let command, let call, let client): commanded(command, call, from: client, at: now)
        case .ringFailed(let id): ringFailed(id, at: now)
        }
        return finish()
    }

    /// Time has passed until `now`: says what is to be done for it.
    public mutating func timePassed(at now: Instant) -> [CallEffect] {
        letPass(until: now)
        return finish()
    }

    /// The next instant at which something is due; nil if nothing is.
    public var deadline: Instant? {
        (pushes.compactMap(\.deadline) + actions.map(\.deadline) + calls.compactMap(\.connectedDue)).min()
    }

    /// How many calls live.
    public var liveCalls: Int { calls.count }

    /// The app whose push a worker has; nil if it has none.
    public func app(of worker: WorkerNumber) -> String? { pushes.first { $0.worker == worker }?.app }

    /// What is known of the apps, configured or running, for people; where they lie, their driver knows.
    public var listed: [ListedApp] {
        known.map { id in
            var app = ListedApp(id: id)
            if let running = apps[id] {
                app.name = running.hello?.name ?? ""
                app.pid = running.hello?.pid
                app.isRegistered = running.wantsVoIP
                app.problem = running.failure ?? ""
            }
            app.calls = Int64(calls.count { $0.app == id })
            return app
        }
    }

    /// The apps to which a push may go: the configured ones, and those that run.
    var known: [String] {
        configured + apps.filter { $0.value.isConnected && !configured.contains($0.key) }.keys.sorted()
    }

    private mutating func finish() -> [CallEffect] {
        showOngoing()
        pushes.removeAll { push in push.isForgotten && !calls.contains { $0.push == push.number } }
        defer { effects = [] }
        return effects
    }

    private mutating func letPass(until now: Instant) {
        // One by one, in the order of their instants: what one leads to may spare the next, or be due itself.
        while let due = deadline, due <= now {
            if let action = actions.first(where: { $0.deadline == due }) {
                actionDue(action, at: due)
            } else if let index = pushes.firstIndex(where: { $0.deadline == due }) {
                pushDue(pushes[index], at: due)
            } else if let index = calls.firstIndex(where: { $0.connectedDue == due }) {
                connectedDue(index)
            }
        }
    }

    private mutating func appSaid(_ message: AppMessage, _ app: String, _ number: NumberVerdict, at now: Instant) {
        guard apps[app]?.isConnected == true else { return }
        switch message {
        // Its driver has read it: it is `CallInput.appConnected`.
        case .hello: break
        case .provider(let settings): apps[app]?.provider = settings
        case .invalidated: providerInvalidated(app, at: now)
        // Its driver's: neither a tune nor the call directory's loads change anything about calls.
        case .tone, .directory: break
        case .registry(let types): registered(app, types, at: now)
        case .report(var report):
            report.update = report.update.shown
            reported(report, number, by: app, at: now)
        case .update(let uuid, let update): updated(uuid, update.shown, number, by: app, at: now)
        case .end(let uuid, let reason, _): endReported(uuid, reason, by: app, at: now)
        case .outgoing(let uuid, let step, _): outgoing(uuid, step, by: app, at: now)
        case .request(let number, let transaction, let actions):
            requested(AppRequest(number: number, transaction: transaction, actions: actions), by: app, at: now)
        case .performed(let action, let isImplemented):
            performed(action, isImplemented: isImplemented, by: app)
        case .outcome(let action, let isFulfilled, _): outcome(of: action, isFulfilled, by: app, at: now)
        case .returned(let push, let form): returned(push, form, by: app, at: now)
        case .completed(let push): completed(push, by: app)
        case .warning(let code, let detail): appWarned(code, detail, by: app)
        }
    }
}

/// What is known of an app.
struct KnownApp: Sendable {
    /// Who its process is; nil if none is connected.
    var hello: AppHello?
    /// When it connected.
    var connected = Instant(microseconds: 0)
    /// Whether its registry wants voip pushes.
    var wantsVoIP = false
    /// Its provider; nil if it has none.
    var provider: ProviderSettings?
    /// Whether its audio session is active.
    var isAudioActive = false
    /// Why it could not be started, or had no registry when it left; nil if it is fine.
    var failure: String?
    /// The calls of it that ended last, the newest last.
    var endedCalls: [(uuid: CallUUID, at: Instant)] = []
    /// The actions of it that were over last, the newest last.
    var closedActions: [ClosedAction] = []

    /// How many ended calls, and how many actions that are over, are remembered of each app.
    static let rememberedMax = 100

    var isConnected: Bool { hello != nil }
}
