import BelfryPropertyList
import BelfryTerms
import CallLedger
import GroupLedger
import Support

/// One seeded run: calls whose pushes come doubled, late and in any order, workers that are killed and stopped, a
/// person who answers, an app that comes to the front, a clock that is set, and strangers.
final class Simulation {
    /// What may happen in a run besides the pushes.
    struct Troubles {
        var kills = false
        var stops = false
        var strangers = false
        var clockJumps = false
        var people = false
        /// The group file's lock is held by a stopped process, or its disk is full, for a while.
        var unwritable = false
    }

    /// More events than any run has; one that has more runs in circles.
    static let eventsMax = 20_000

    let time = SimulatedTime()
    let file: SimulatedFile
    private(set) lazy var checker = Checker(world: self)
    let troubles: Troubles
    private var random: SeededRandom
    private(set) var workers: [SimulatedWorker] = []
    private(set) var isOver = false

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        file = SimulatedFile(time: time, seed: seed &* 31 &+ 7)
        var troubles = Troubles()
        troubles.kills = random.oneIn(2)
        troubles.stops = random.oneIn(3)
        troubles.strangers = random.oneIn(4)
        troubles.clockJumps = random.oneIn(4)
        troubles.people = random.oneIn(2)
        troubles.unwritable = random.oneIn(2)
        self.troubles = troubles
        file.written = { [unowned self] in wakeWorkers() }
        file.changed = { [unowned self] in checker.judgeFile() }
    }

    /// Runs it to its end, and answers what went wrong first.
    func run() -> String? {
        for call in 0..<Int.random(in: 1...3, using: &random) { plan(call) }
        for _ in 0..<Int.random(in: 1...4, using: &random) { planTrouble() }
        let happened = time.run(eventsMax: Self.eventsMax)
        checker.demand(happened < Self.eventsMax, "runs in circles")
        isOver = true
        file.unwritableUntil = nil
        tidy()
        _ = time.run(eventsMax: Self.eventsMax)
        checker.judgeTheEnd()
        return checker.mistake
    }

    /// How late a timer fires, or a sound stops.
    func lateness() -> TimeSpan { TimeSpan(microseconds: .random(in: 0..<4000, using: &random)) }

    /// Whether the process that is about to go on is killed in place of it.
    func killsNow() -> Bool { troubles.kills && !isOver && random.oneIn(60) }

    func died(_ worker: SimulatedWorker) {
        file.living.remove(worker.owner)
        // Who waits for another's call watches its pidfd: that wake-up is never lost.
        for other in workers where other.isAlive && other.expectsDeath(of: worker) {
            time.after(TimeSpan(microseconds: .random(in: 100..<3000, using: &random))) { other.look() }
        }
        time.after(.milliseconds(.random(in: 5..<1500, using: &random))) { [self] in tidy() }
    }

    func left(_ worker: SimulatedWorker) {
        checker.left(worker)
        file.living.remove(worker.owner)
    }

    private func plan(_ call: Int) {
        let begins = TimeSpan.milliseconds(.random(in: 0..<5000, using: &random))
        let saysWhenSent = random.oneIn(2)
        let id = random.oneIn(8) ? "" : random.oneIn(5) ? "0" : "\(call)"
        let sent = WallTime(microseconds: 1_700_000_000_000_000) + begins
        send(SimulatedPush(id: id, kind: .request, sentAt: saysWhenSent ? sent : nil), after: begins)
        guard !random.oneIn(4) else { return }
        let lasts = TimeSpan.milliseconds(.random(in: 100..<8000, using: &random))
        let reason = random.pick(HangupReason.allCases + [.cancelled, .cancelled])
        let hangup = SimulatedPush(
            id: id, kind: .hangup(reason), sentAt: saysWhenSent ? sent + lasts : nil)
        send(hangup, after: begins + lasts)
    }

    private func send(_ push: SimulatedPush, after span: TimeSpan) {
        let copies = random.oneIn(3) ? 2 : 1
        for _ in 0..<copies {
            let delay = random.oneIn(3) ? TimeSpan.milliseconds(.random(in: 0..<6000, using: &random)) : .zero
            time.after(span + delay) { [self] in
                let worker = SimulatedWorker(pid: Int64(workers.count + 1), push: push, world: self)
                workers.append(worker)
                file.living.insert(worker.owner)
                worker.start()
            }
        }
    }

    private func planTrouble() {
        time.after(.milliseconds(.random(in: 100..<12_000, using: &random))) { [self] in
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where troubles.kills: someWorker()?.kill()
            case 1 where troubles.stops:
                someWorker()?.stop(for: .milliseconds(.random(in: 10..<15_000, using: &random)))
            case 2 where troubles.strangers: strangerWrites()
            case 3 where troubles.clockJumps:
                file.wallOffset = .seconds(.random(in: -100_000..<100_000, using: &random))
            case 4 where troubles.people: personActs()
            case 5 where troubles.unwritable:
                file.unwritableUntil = time.now + .milliseconds(.random(in: 10..<15_000, using: &random))
            default: someWorker()?.terminate()
            }
        }
    }

    private func someWorker() -> SimulatedWorker? {
        let living = workers.filter(\.isAlive)
        return living.isEmpty ? nil : random.pick(living)
    }

    private func personActs() {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: endLoudest(by: .answer) { $0.answer($1) }
        case 1: endLoudest(by: .decline) { $0.decline($1) }
        case 2:
            checker.appCame()
            change { $0.enterForeground(owner: nil) }
            ask(.foreground, of: nil) { _, _ in }
            time.after(.seconds(2)) { [self] in change { $0.enterBackground() } }
        default: change { $0.enterBackground() }
        }
    }

    /// As a command does: asks at the ear, and if nobody hears changes the ledger.
    private func endLoudest(by ask: RingAsk, _ change: @escaping (inout Ledger, CallKey) -> Call?) {
        guard let loud = file.ledger.loudest else { return }
        checker.personActs(on: loud)
        self.ask(ask, of: loud.key) { [self] answers, _ in
            guard answers.isEmpty else { return }
            self.change { _ = change(&$0, loud.key) }
        }
    }

    private func change(_ change: @escaping (inout Ledger) -> Void) {
        file.transact(isAlive: { true }, change) { [self] _, outcome in
            if !outcome.isShown { wake(file.ledger.rings) }
        }
    }

    /// Says `ask` to whoever rings `key`, or to all, and calls `done` with what they answered within 100 ms.
    func ask(_ ask: RingAsk, of key: CallKey?, done: @escaping ([RingAnswer], Bool) -> Void) {
        let rings = file.ledger.rings.filter { key == nil || $0.key == key }
        guard !rings.isEmpty else { return done([], true) }
        var answers: [RingAnswer] = []
        var isOver = false
        func finish() {
            if !isOver { done(answers, answers.count == rings.count) }
            isOver = true
        }
        var left = rings.count
        for ring in rings {
            worker(ringing: ring)?.hear(ring.key, ask) { answer in
                if let answer { answers.append(answer) }
                left -= 1
                if left == 0 { finish() }
            }
        }
        time.after(.milliseconds(100)) { finish() }
    }

    /// Has the workers of `rings` look again.
    func wake(_ rings: [Call]) {
        for ring in rings { worker(ringing: ring)?.hear(CallKey(""), .look) { _ in } }
    }

    private func worker(ringing ring: Call) -> SimulatedWorker? {
        workers.first { $0.isAlive && $0.owner == ring.owner }
    }

    /// A program that knows nothing of ours reads the file, thinks, and writes all of it back.
    private func strangerWrites() {
        checker.strangerCame()
        var root = file.root
        switch Int.random(in: 0..<3, using: &random) {
        case 0: root["theirs"] = .integer(.random(in: 0..<99, using: &random))
        case 1: root["keyStartCallTime"] = nil
        default: root["keyStartCallTime"] = .integer(0)
        }
        time.after(.milliseconds(.random(in: 0..<30, using: &random))) { [self] in file.overwrite(with: root) }
    }

    private func tidy() {
        file.transact(isAlive: { true }, { $0.takeDeadRings() }) { [self] calls, _ in checker.toldOfDead(calls) }
    }

    private func wakeWorkers() {
        for worker in workers where worker.isAlive && !random.oneIn(20) {
            time.after(TimeSpan(microseconds: .random(in: 100..<3000, using: &random))) { worker.look() }
        }
    }
}
