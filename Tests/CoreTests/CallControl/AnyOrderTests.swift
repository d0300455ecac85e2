import BelfryProtocol
import BelfryTerms
import CallChannel
@testable import CallControl
import Testing

/// Whatever comes, in whatever order: what workers, apps and time do is drawn at random, seed by seed.
@Suite struct AnyOrderTests {
    @Test(
        "C1 C4 C9 C10 C11 C16 rung once, completed once, one end, nobody waits for ever, and nothing is kept",
        arguments: 0..<8)
    func anyOrder(part: UInt64) {
        for seed in part * 25..<(part + 1) * 25 {
            var story = Story(seed: seed)
            for _ in 0..<80 { story.step() }
            story.finish()
            #expect(story.faults.isEmpty, "seed \(seed)")
        }
    }

    @Test(
        "C16 button, bus, command, the app and the other side end a call at once: one action, one end, all told the same",
        arguments: 0..<10)
    func oneOutcome(part: UInt64) {
        for seed in part * 1_000..<(part + 1) * 1_000 {
            var story = Story(seed: seed)
            story.endAtOnce()
            #expect(story.faults.isEmpty, "seed \(seed)")
        }
    }
}

/// One story, and what must hold in it.
private struct Story {
    private static let apps = ["org.belfry.a", "org.belfry.b"]
    private var control: CallStateMachine
    private var random: Draw
    private var now = Instant(microseconds: 1_000_000_000)
    private var nextWorker: Int64 = 0
    private var workers: [Int64] = []
    private var ownRings: [OwnRing] = []
    private var nextReport: Int64 = 0
    private(set) var faults: [String] = []

    /// Reports without a completion, by app.
    private var open: [String: Set<Int64>] = [:]
    /// How often each worker was ordered to ring or to be silent, or said that nobody takes it.
    private var decided: [Int64: Int] = [:]
    private var pushes: [Int64] = []
    private var performed: [(app: String, uuid: CallUUID)] = []
    /// The commands that were not answered yet, and how often calls ended.
    private var asked: Set<Int64> = []
    private var lastClient: Int64 = 0
    private var told: [CommandOutcome] = []
    private var ends: [CallActor?] = []
    private var endActions = 0
    private var shown: Set<String> = []

    init(seed: UInt64) {
        random = Draw(state: seed)
        control = CallStateMachine(settings: CallControlSettings(), apps: Story.apps)
    }

    mutating func step() {
        let app = random.pick(Story.apps)
        switch random.below(20) {
        case 16: command()
        case 17: requestTalk(app)
        case 18: take(.app(app, .outgoing(uuid(), random.pick(OutgoingStep.allCases), at: nil)))
        case 19: outcomeOfAny()
        case 0, 1: push(app, random.pick([.hangup, .other, .callRequest, .callRequest, .callRequest]))
        case 2: take(.appConnected(AppHello(id: app, pid: 1)))
        case 3: take(.app(app, .registry(["voip"])))
        case 4: take(.app(app, .provider(ProviderSettings())))
        case 5, 6, 7: report(app)
        case 8: workerSays()
        case 9: workerGoes()
        case 10: ownRing()
        case 11: outcome()
        case 12: request(app)
        case 13: take(.app(app, .end(uuid(), .remoteEnded, at: nil)))
        case 14: rarely(app)
        default: pass(.milliseconds(Int64(random.below(4_000))))
        }
    }

    private mutating func rarely(_ app: String) {
        switch random.below(6) {
        case 0: take(.appGone(app))
        case 1: take(.appFailed(app, why: "x"))
        case 2: take(.app(app, .invalidated))
        case 3: take(.app(app, .registry([])))
        case 4: take(.app(app, .returned(push: pushes.last ?? 1, form: .completion)))
        default: if let ring = ownRings.first { take(.ringFailed(ring.id)) }
        }
    }

    private mutating func push(_ app: String, _ kind: VoIPPush.Kind) {
        nextWorker += 1
        workers.append(nextWorker)
        guard let group = GroupName("group.a") else { return faults.append("no group") }
        var push = VoIPPush(
            id: "p\(nextWorker)", group: group, kind: kind, payload: "{}",
            until: now + .seconds(Int64(random.below(40))))
        push.topic = app + ".voip"
        take(.push(WorkerNumber(nextWorker), push))
    }

    private mutating func ownRing() {
        guard !ownRings.isEmpty, let group = GroupName("group.a") else { return }
        let ring = ownRings.removeFirst()
        nextWorker += 1
        workers.append(nextWorker)
        let push = VoIPPush(id: ring.id, group: group, kind: .callRequest, payload: "{}", until: now + .seconds(30))
        take(.push(WorkerNumber(nextWorker), push))
    }

    private mutating func report(_ app: String) {
        nextReport += 1
        if control.apps[app]?.isConnected == true { open[app, default: []].insert(nextReport) }
        let push = random.below(2) == 0 ? pushes.last : nil
        take(.app(app, .report(CallReport(nextReport, of: uuid(), CallUpdate(), push: push))))
    }

    private mutating func workerSays() {
        guard let worker = workers.isEmpty ? nil : random.pick(workers) else { return }
        let reason = random.pick(EndReason.allCases)
        let event: Event.Body =
            switch random.below(4) {
            case 0, 1:
                .ringing(Event.Ringing(call: "", mode: .loud, duration: 1, interval: 1, sound: "", vibrate: true))
            case 2: .ended(Event.Ended(call: "", reason: reason, hangupReason: nil, rang: 1, ticks: 1))
            default: .silent(call: "", why: random.pick(SilenceReason.allCases))
            }
        take(.worker(WorkerNumber(worker), event))
    }

    private mutating func workerGoes() {
        guard !workers.isEmpty else { return }
        take(.workerGone(WorkerNumber(workers.remove(at: random.below(workers.count)))))
    }

    private mutating func outcome() {
        guard let action = performed.last else { return }
        take(.app(action.app, .outcome(action.uuid, isFulfilled: random.below(4) > 0, at: nil)))
    }

    private mutating func request(_ app: String) {
        let kind: CallAction.Kind = random.below(2) == 0 ? .answer : .end
        take(.app(app, .request(1, transaction: .random(), [CallAction(kind, of: uuid(), uuid: .random())])))
    }

    private mutating func requestTalk(_ app: String) {
        let kind = random.pick([
            CallAction.Kind.start(CallStart(CallHandle(.generic, "x"))), .hold(true), .hold(false), .mute(true),
            .mute(false), .group(with: uuid()), .group(with: nil), .dtmf(CallDigits("1", type: 1)),
        ])
        take(.app(app, .request(1, transaction: .random(), [CallAction(kind, of: uuid(), uuid: .random())])))
    }

    private mutating func outcomeOfAny() {
        guard !performed.isEmpty else { return }
        let action = random.pick(performed)
        take(.app(action.app, .outcome(action.uuid, isFulfilled: random.below(4) > 0, at: nil)))
    }

    private mutating func command() {
        let command = random.pick([
            CallCommand.end, .hold(true), .hold(false), .mute(true), .keypad("1,2"), .merge, .split,
            .giveWay(to: uuid().text, holds: true), .giveWay(to: "", holds: false),
        ])
        ask(command, random.below(2) == 0 ? nil : uuid().text)
    }

    private mutating func ask(_ command: CallCommand, _ call: String?) {
        lastClient += 1
        asked.insert(lastClient)
        take(.command(command, call: call, from: lastClient))
    }

    /// A call goes on, and everybody ends it in the same instant, in an order that the seed decides.
    mutating func endAtOnce() {
        let (app, call) = (Story.apps[0], Centre.uuid("A"))
        take(.appConnected(AppHello(id: app, pid: 1)))
        take(.app(app, .provider(ProviderSettings())))
        let start = CallAction(.start(CallStart(CallHandle(.generic, "x"))), of: call, uuid: .random())
        take(.app(app, .request(1, transaction: .random(), [start])))
        outcome()
        take(.app(app, .outgoing(call, .connected, at: nil)))
        var wishes = [0, 1, 2, 3, 4, 5]
        while !wishes.isEmpty {
            switch wishes.remove(at: random.below(wishes.count)) {
            case 0: take(.command(.end, call: call.text, from: nil))
            case 1, 2: ask(.end, call.text)
            case 3:
                let end = CallAction(.end, of: call, uuid: .random())
                take(.app(app, .request(2, transaction: .random(), [end])))
            case 4: if random.below(2) == 0 { take(.app(app, .end(call, .remoteEnded, at: nil))) }
            default: if endActions > 0 { outcome() }
            }
        }
        outcome()
        if ends.count != 1 { faults.append("ended \(ends.count) times") }
        if endActions > 1 { faults.append("\(endActions) actions end it") }
        if !shown.isEmpty || !asked.isEmpty || !control.calls.isEmpty { faults.append("something is left") }
        let isOver = told.allSatisfy { outcome in
            switch outcome {
            case .done: true
            case .noCall(let why): why.hasPrefix("no call that goes on is named")
            case .refused: false
            }
        }
        if !isOver { faults.append("told \(told)") }
    }

    private mutating func uuid() -> CallUUID { Centre.uuid(random.pick(["A", "B", "C", "D"])) }

    private mutating func pass(_ span: TimeSpan) {
        let end = now + span
        while let due = control.deadline, due <= end {
            now = max(now, due)
            check(control.timePassed(at: now))
            if let next = control.deadline, next <= now { return faults.append("a deadline does not pass") }
        }
        now = end
    }

    /// Everybody leaves, and all time passes.
    mutating func finish() {
        while !workers.isEmpty { workerGoes() }
        pass(.seconds(300))
        for app in Story.apps where open[app]?.isEmpty == false { faults.append("\(app) waits for completions") }
        for app in Story.apps { take(.appGone(app)) }
        pass(.seconds(300))
        let isKept = !control.calls.isEmpty || !control.actions.isEmpty || !control.pushes.isEmpty
        if isKept || control.deadline != nil { faults.append("something is kept") }
        if !asked.isEmpty { faults.append("commands wait") }
        if !shown.isEmpty { faults.append("something is shown") }
    }

    private mutating func take(_ input: CallInput) {
        if case .appGone(let app) = input { open[app] = [] }
        if case .appConnected(let hello) = input { open[hello.id] = [] }
        check(control.take(input, at: now))
    }

    private mutating func check(_ effects: [CallEffect]) {
        for effect in effects {
            switch effect {
            case .worker(let worker, let order): check(order, worker.value)
            case .app(let app, .reported(let number, _)):
                if open[app]?.remove(number) == nil { faults.append("\(app): completed twice") }
            case .app(_, .push(let number, _, _)): pushes.append(number)
            case .app(let app, .perform(let action, _, _)):
                if !control.calls.contains(where: { $0.uuid == action.call && $0.app == app }) {
                    faults.append("performs for no call")
                }
                if performed.contains(where: { $0.uuid == action.uuid }) { faults.append("performed twice") }
                performed.append((app, action.uuid))
                if action.kind == .end { endActions += 1 }
            case .app(let app, _): if control.apps[app]?.isConnected != true { faults.append("nobody is there") }
            case .ring(let ring): ownRings.append(ring)
            case .answer(let client, let outcome):
                if asked.remove(client) == nil { faults.append("answered twice") }
                told.append(outcome)
            case .goesOn(let call, _): shown.insert(call.uuid)
            case .goesOnNoLonger(let call): shown.remove(call.uuid)
            case .tell(.call(let call), _, _): if call.state == .ended { ends.append(call.by?.known) }
            case .start, .collectAnswer, .tell: break
            }
        }
        if shown != Set(control.ongoing.map(\.uuid)) { faults.append("another call is shown than goes on") }
        let uuids = control.calls.map(\.uuid)
        if Set(uuids).count != uuids.count { faults.append("two calls with one UUID") }
        let rings = control.calls.compactMap(\.push)
        if Set(rings).count != rings.count { faults.append("two calls with one ring") }
    }

    private mutating func check(_ order: WorkerOrder, _ worker: Int64) {
        switch order {
        case .none, .ring, .silent:
            decided[worker, default: 0] += 1
            if decided[worker] != 1 { faults.append("worker \(worker) is ordered twice") }
        case .wait, .tone, .caller, .handed, .end, .warning: break
        }
    }
}

/// Numbers that a seed decides.
///
/// Source: the generator splitmix64 of Vigna, prng.di.unimi.it.
private struct Draw {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
