import BelfryProtocol
import BelfryTerms
import CallChannel
@testable import CallControl
import CallDirectory
import Synchronization

/// A centre in virtual time, and what it wanted done, in short.
struct Centre {
    var control: CallStateMachine
    /// What time it is, from the start of the test on.
    private(set) var now = Instant(microseconds: 1_000_000_000)
    /// The numbers of the pushes that apps were handed, in order: what is said here as 1 is the first.
    private(set) var pushes: [Int64] = []
    /// The ids of the rings that were asked for, in order.
    private(set) var rings: [OwnRing] = []
    /// What the delegate was asked to perform, in order: what is said here as #1 is the first.
    private(set) var performed: [CallAction] = []
    /// The transaction of each of them.
    private(set) var transactions: [CallUUID] = []
    /// The calls that observers were shown, each time to each app.
    private(set) var observed: [[ObservedCall]] = []
    /// The calls that go on, as they are shown.
    private(set) var shown: [OngoingCall] = []
    /// Each warning that was told, with its text.
    private(set) var warnings: [(code: String, detail: String)] = []

    static let app = "org.belfry.phone"
    static let other = "org.belfry.other"

    init(apps: [String] = [app], settings: CallControlSettings = CallControlSettings()) {
        let made = Made()
        control = CallStateMachine(settings: settings, apps: apps) { made.next() }
    }

    /// One whose app runs and has registry and provider.
    static func running(apps: [String] = [app]) -> Centre {
        var centre = Centre(apps: apps)
        for app in apps { centre.starts(app) }
        return centre
    }

    mutating func starts(_ id: String = app, types: [String] = ["voip"], hasVoIPMode: Bool = true) {
        var hello = AppHello(id: id, pid: 7)
        hello.hasVoIPMode = hasVoIPMode
        take(.appConnected(hello))
        take(.app(id, .provider(ProviderSettings())))
        if !types.isEmpty { take(.app(id, .registry(types))) }
    }

    // MARK: What is heard

    @discardableResult
    mutating func take(_ input: CallInput) -> [String] { said(control.take(input, at: now)) }

    /// Lets `milliseconds` pass, deadline by deadline, as a driver does.
    @discardableResult
    mutating func wait(_ milliseconds: Int64) -> [String] {
        let end = now + .milliseconds(milliseconds)
        var all: [String] = []
        while let due = control.deadline, due <= end {
            now = max(now, due)
            all += said(control.timePassed(at: now))
        }
        now = end
        return all
    }

    /// Time passes, and its driver does not look.
    mutating func stall(_ milliseconds: Int64) { now = now + .milliseconds(milliseconds) }

    @discardableResult
    mutating func push(
        _ worker: Int64, id: String? = nil, call: String = "c", topic: String? = app + ".voip", bundle: String? = nil,
        kind: VoIPPush.Kind = .callRequest, seconds: Int64 = 30
    ) -> [String] {
        var push = VoIPPush(
            id: id ?? "p\(worker)", group: Self.group, kind: kind, payload: "{}", until: now + .seconds(seconds))
        (push.topic, push.bundle, push.call) = (topic, bundle, call)
        return take(.push(WorkerNumber(worker), push))
    }

    /// The worker of a ring that was asked for comes.
    @discardableResult
    mutating func ringComes(_ ring: Int, worker: Int64) -> [String] {
        push(worker, id: rings[ring - 1].id, call: rings[ring - 1].call)
    }

    @discardableResult
    mutating func worker(_ worker: Int64, _ event: Event.Body) -> [String] {
        take(.worker(WorkerNumber(worker), event))
    }

    @discardableResult
    mutating func rings(_ number: Int64) -> [String] {
        let ringing = Event.Ringing(call: "c", mode: .loud, duration: 30, interval: 1, sound: "", vibrate: true)
        return worker(number, .ringing(ringing))
    }

    @discardableResult
    mutating func ends(_ number: Int64, _ reason: EndReason) -> [String] {
        worker(number, .ended(Event.Ended(call: "c", reason: reason, hangupReason: nil, rang: 1, ticks: 1)))
    }

    @discardableResult
    mutating func app(_ message: AppMessage, _ id: String = app) -> [String] { take(.app(id, message)) }

    /// The app reports the call `uuid`, as number 1, for the push that it was handed as that of `push`.
    @discardableResult
    mutating func reports(
        _ uuid: CallUUID, push: Int? = nil, n: Int64 = 1, _ update: CallUpdate = ada, by id: String = app
    ) -> [String] {
        app(.report(CallReport(n, of: uuid, update, push: push.map { pushes[$0 - 1] })), id)
    }

    /// The app says so, and this is known of the number that it names.
    @discardableResult
    mutating func app(_ message: AppMessage, number: NumberVerdict) -> [String] {
        take(.app(Self.app, message, number: number))
    }

    @discardableResult
    mutating func requests(_ actions: [CallAction], _ id: String = app) -> [String] {
        app(.request(9, transaction: Self.uuid("F"), actions), id)
    }

    /// The outcome of what was performed as that number.
    @discardableResult
    mutating func outcome(_ action: Int, _ isFulfilled: Bool = true) -> [String] {
        app(.outcome(performed[action - 1].uuid, isFulfilled: isFulfilled, at: nil))
    }

    /// Whether nothing is kept that somebody could still refer to.
    var isEmpty: Bool { control.calls.isEmpty && control.pushes.isEmpty && control.actions.isEmpty }

    // MARK: What stands in for what

    static let group = GroupName("group.a") ?? { preconditionFailure("no group") }()

    static var ada: CallUpdate {
        var update = CallUpdate()
        update.name = "Ada"
        update.handle = CallHandle(.phoneNumber, "+49")
        return update
    }

    /// The UUID all of whose digits are `digit`.
    static func uuid(_ digit: Character) -> CallUUID {
        let groups = [8, 4, 4, 4, 12].map { String(repeating: digit, count: $0) }
        return CallUUID(groups.joined(separator: "-")) ?? { preconditionFailure("\(digit) is no digit") }()
    }

    private final class Made: Sendable {
        private let count = Atomic(0)

        func next() -> CallUUID {
            let number = count.wrappingAdd(1, ordering: .relaxed).newValue
            let digits = String(number)
            let text = "0000000A-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
            return CallUUID(text) ?? { preconditionFailure("\(text) is no UUID") }()
        }
    }

    // MARK: What is to be done, in short

    private mutating func said(_ effects: [CallEffect]) -> [String] { effects.compactMap { said($0) } }

    private mutating func said(_ effect: CallEffect) -> String? {
        switch effect {
        case .worker(let worker, let order): "worker \(worker.value) \(said(order))"
        case .app(let id, let word): said(word).map { (id == Self.app ? "app " : "\(id) ") + $0 }
        case .start(let id): "start \(id)"
        case .ring(let ring): said(ring)
        case .collectAnswer(let group, let call): "collect \(call) of \(group.text)"
        case .tell(let body, _, let worker): said(body, worker)
        case .answer(let client, let outcome): "client \(client) \(Self.said(outcome))"
        case .goesOn(let call, _): show(call)
        case .goesOnNoLonger(let call): hide(call)
        }
    }

    private static func said(_ outcome: CommandOutcome) -> String {
        switch outcome {
        case .done: "done"
        case .noCall(let why): "no call: \(why)"
        case .refused(let why): "refused: \(why)"
        }
    }

    private mutating func show(_ call: OngoingCall) -> String? {
        if let index = shown.firstIndex(where: { $0.uuid == call.uuid }) {
            shown[index] = call
        } else {
            shown.append(call)
        }
        return nil
    }

    private mutating func hide(_ call: OngoingCall) -> String? {
        shown.removeAll { $0.uuid == call.uuid }
        return nil
    }

    private mutating func said(_ ring: OwnRing) -> String {
        rings.append(ring)
        let left = ring.left.map { " for \($0.seconds) s" } ?? ""
        return "ring \(ring.call) \(Self.said(ring.caller))\(left)"
    }

    private func said(_ order: WorkerOrder) -> String {
        switch order {
        case .none: "none"
        case .wait: "wait"
        case .ring(let caller): "ring" + (caller.map { " " + Self.said($0) } ?? "")
        case .caller(let caller): "caller \(Self.said(caller))"
        case .tone(let name): "tone \(name)"
        case .silent(let why, let label): "silent \(why)" + Self.said(label)
        case .handed: "handed"
        case .end(.answer): "end answer"
        case .end(.decline): "end decline"
        case .end(.timeOut): "end timeout"
        case .end(.hangUp(let reason)): "end hangup \(reason.rawValue)"
        case .warning(let code, _): "warning \(code)"
        }
    }

    private static func said(_ caller: ReportedCaller) -> String {
        "\(caller.name ?? "-") \(caller.handle ?? "-")\(said(caller.label))"
    }

    private static func said(_ label: NumberLabel?) -> String { label.map { " [\($0.title)]" } ?? "" }

    private mutating func said(_ word: AppWord) -> String? {
        switch word {
        case .push(let number, _, let mustReport):
            pushes.append(number)
            return "push \(pushes.count)\(mustReport ? " must" : "")"
        case .reported(let number, let error): return "reported \(number)" + (error.map { ": \($0)" } ?? "")
        case .requested(let number, let error): return "requested \(number)" + (error.map { ": \($0)" } ?? "")
        case .perform(let action, let transaction, let timeout):
            performed.append(action)
            transactions.append(transaction)
            return "perform \(action.kind.word) #\(performed.count) \(timeout.seconds) s"
        case .timedOut(let uuid): return "timed-out \(number(of: uuid))"
        case .audio(let isActive): return "audio \(isActive ? "on" : "off")"
        case .reset: return "reset"
        // Each change of a call has one.
        case .calls(let calls):
            observed.append(calls)
            return nil
        case .welcome, .refused, .token, .tokenInvalid, .directory, .stop: return "\(word)"
        }
    }

    private func number(of action: CallUUID) -> String {
        performed.firstIndex { $0.uuid == action }.map { "#\($0 + 1)" } ?? action.text
    }

    private mutating func said(_ body: Event.Body, _ worker: WorkerNumber?) -> String {
        switch body {
        case .app(let app): return "= \(app.state)"
        case .call(let call):
            return "= \(call.state)" + (call.by.map { " by \($0)" } ?? "") + (call.error.map { " \($0)" } ?? "")
        case .action(let action): return "= \(action.kind) \(action.state)"
        case .warning(let code, let detail):
            warnings.append((code.rawValue, detail))
            return "! \(code)" + (worker.map { " at \($0.value)" } ?? "")
        default: return "\(body)"
        }
    }
}
