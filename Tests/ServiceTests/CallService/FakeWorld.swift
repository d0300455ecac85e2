import BelfryEventLoop
import BelfryPictures
import BelfryPropertyList
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallDirectory
import CallLedger
import CallService
import GroupLedger
import PictureFetcher
import Support
import SystemSound
import Testing

/// The group file that several fake worlds share, in memory; each change wakes all who watch.
final class FakeGroupFile {
    let loop: HandLoop
    /// The wall clock runs with the loop, plus this.
    var minuteOfDay = 12 * 60
    var wallOffset = TimeSpan(microseconds: 1_800_000_000_000_000)
    var root = PropertyListDictionary() {
        didSet { if root != oldValue { wakeAll() } }
    }
    /// Whether it can be read and written; if not, each change is made on nothing and is lost.
    var isUsable = true
    /// Whether it can be written; if not, what changes lies beside it.
    var isWritable = true
    private(set) var notes: [LedgerNote] = []
    /// The ears of those who ring.
    fileprivate var ears: [Int64: (CallKey, RingAsk, @escaping (RingAnswer?) -> Void) -> Void] = [:]
    /// Processes that stand still, and so hear nothing.
    var stoppedProcesses: Set<Int64> = []
    /// Whether wake-ups get lost.
    var losesWakeUps = false
    /// How long a transaction waits for the lock.
    var lockDelay = TimeSpan.zero
    /// How long the file takes to have what was decided.
    var followingDelay = TimeSpan.zero
    /// How long the process stands still between a change and what follows from it, as one that was stopped.
    var stallAfterChange = TimeSpan.zero
    /// Processes that were killed; who waits for the death of one is woken.
    private(set) var deadProcesses: Set<Int64> = []
    private var watchers: [ObjectIdentifier: () -> Void] = [:]
    private var deathWatchers: [ObjectIdentifier: (pid: Int64, action: () -> Void)] = [:]

    init(loop: HandLoop) { self.loop = loop }

    var wall: WallTime { WallTime(microseconds: (loop.now + wallOffset).microseconds) }

    func moment() -> Moment {
        Moment(now: loop.now, wall: wall, bootID: "boot", fileModified: loop.now) { [self] in
            !deadProcesses.contains($0.pid)
        }
    }

    func read() -> Ledger { Ledger(reading: root, with: notes, at: moment()) }

    @discardableResult
    func change<Answer>(_ change: (inout Ledger) -> Answer) -> Answer {
        let before = Ledger(reading: isUsable ? root : PropertyListDictionary(), with: notes, at: moment())
        var ledger = before.opened
        let answer = change(&ledger)
        guard isUsable else { return answer }
        if let note = LedgerNote(from: before, to: ledger) { notes.append(note) }
        if isWritable { record(ledger) }
        return answer
    }

    /// What lies beside the file is written, if it can be.
    func recordWhatIsOwed() {
        guard isUsable, isWritable, notes.contains(where: { $0.fileState == .owed }) else { return }
        record(read().opened)
    }

    private func record(_ ledger: Ledger) {
        notes.removeAll { $0.isDone(in: ledger) }
        for index in notes.indices { notes[index].fileState = .recorded }
        root = ledger.root
    }

    /// All that lies beside the file is gone, as if somebody had removed its folder.
    func removeNotes() { notes = [] }

    /// What becomes of a change.
    var outcome: LedgerOutcome {
        guard isUsable && isWritable else {
            return .unwritable(SystemError(errno: 28, call: "write"), kept: isUsable, [])
        }
        return .recorded([])
    }

    /// Says `ask` of `key` to the ear of the process `pid`, whatever that rings.
    func say(_ ask: RingAsk, of key: CallKey, toEarOf pid: Int64, _ answered: @escaping (RingAnswer?) -> Void) {
        ears[pid]?(key, ask, answered)
    }

    func watch(_ watcher: AnyObject, _ action: @escaping () -> Void) { watchers[ObjectIdentifier(watcher)] = action }

    func watchDeath(of pid: Int64?, _ watcher: AnyObject, _ action: @escaping () -> Void) {
        deathWatchers[ObjectIdentifier(watcher)] = pid.map { ($0, action) }
    }

    func stopWatching(_ watcher: AnyObject) {
        watchers[ObjectIdentifier(watcher)] = nil
        deathWatchers[ObjectIdentifier(watcher)] = nil
    }

    /// Kills a process, which writes nothing.
    func kill(_ pid: Int64) {
        deadProcesses.insert(pid)
        for watcher in deathWatchers.values where watcher.pid == pid {
            _ = loop.schedule(at: loop.now, description: "death of \(pid)", watcher.action)
        }
    }

    private func wakeAll() {
        guard !losesWakeUps else { return }
        _ = loop.schedule(at: loop.now, description: "group changed") { [self] in
            for action in Array(watchers.values) { action() }
        }
    }
}

/// One worker's world: what it does is written down, and an order that no world allows is an issue.
final class FakeWorld: SharedLedger, RingOutput {
    let loop: HandLoop
    let file: FakeGroupFile
    let owner: Owner
    /// How long the sound server takes to be silent.
    var silenceDelay = TimeSpan.zero
    /// How long the process takes to stop watching the file.
    var stopWatchingDelay = TimeSpan.zero
    private(set) var events: [(at: TimeSpan, body: Event.Body)] = []
    private(set) var isSounding = false
    private(set) var pulses: [RingMode] = []
    /// What the loud ones play, if that is an app's.
    private(set) var tune: ResolvedSound?
    let wakefulness = FakeWakefulness()
    let start: Instant
    /// The way to apps; nil if there is none.
    var appCalls: AppCallsDoor?
    /// Who has a number, and which are blocked; nil if there is no call directory.
    var lookUp: NumberLookUp?
    private var changed: ((Ledger) -> Void)?
    private var shownRoot = PropertyListDictionary()
    private var end: (any ScheduledTimer)?
    private var isDelivered = false
    private var isMissed = false
    private var isOver = false

    init(file: FakeGroupFile, pid: Int64) {
        self.file = file
        loop = file.loop
        start = file.loop.now
        owner = Owner(bootID: "boot", pid: pid, start: pid)
    }

    /// What a call is given of it.
    var world: CallWorld {
        var world = CallWorld(
            timers: loop, wall: { [file] in file.wall }, minuteOfDay: { [file] in file.minuteOfDay }, ledger: self,
            ringer: self, pictures: self,
            report: { [self] in report($0) })
        world.wakefulness = wakefulness
        world.appCalls = appCalls
        if let lookUp { world.lookUp = lookUp }
        return world
    }

    func transact<Answer>(
        _ change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        guard file.lockDelay > .zero else { return done(make(change), file.outcome) }
        _ = loop.schedule(at: loop.now + file.lockDelay, description: "lock \(owner.pid)") { [self] in
            done(make(change), file.outcome)
        }
    }

    func transactOnOwnRing<Answer>(
        _ change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        done(make(change), file.outcome)
    }

    func illustrate(_ key: CallKey, with picture: String, done: @escaping () -> Void) {
        let owner = owner
        transact {
            $0.illustrate(key, owner: owner, with: picture)
        } done: { _, _ in
            done()
        }
    }

    func listen(_ heard: @escaping (CallKey, RingAsk, @escaping (RingAnswer?) -> Void) -> Void) {
        file.ears[owner.pid] = heard
    }

    func stopListening() { file.ears[owner.pid] = nil }

    func carryOut<Answer>(
        _ ask: RingAsk, of key: CallKey?, heard: @escaping ([RingAnswer], Bool) -> Answer?,
        else change: @escaping (inout Ledger) -> Answer, done: @escaping (Answer, LedgerOutcome) -> Void
    ) {
        self.ask(ask, of: key) { [self] answers, all in
            if let answer = heard(answers, all) { return done(answer, .recorded([])) }
            transact(change, done: done)
        }
    }

    func ask(_ ask: RingAsk, of key: CallKey?, done: @escaping ([RingAnswer], Bool) -> Void) {
        let rings = file.read().rings.filter { key == nil || $0.key == key }
        let pids = rings.compactMap(\.owner?.pid)
        guard !pids.isEmpty else { return done([], true) }
        var answers: [RingAnswer] = []
        var isOver = false
        func finish() {
            if !isOver { done(answers, answers.count == rings.count) }
            isOver = true
        }
        var left = rings.count
        for ring in rings {
            guard let pid = ring.owner?.pid, !file.stoppedProcesses.contains(pid), let ear = file.ears[pid] else {
                continue
            }
            _ = loop.schedule(at: loop.now, description: "ear of \(pid)") {
                ear(ring.key, ask) { answer in
                    if let answer { answers.append(answer) }
                    left -= 1
                    if left == 0 { finish() }
                }
            }
        }
        _ = loop.schedule(at: loop.now + .milliseconds(100), description: "ears") { finish() }
    }

    private func wake(_ rings: [Call]) {
        for pid in rings.compactMap(\.owner?.pid) where pid != owner.pid && !file.stoppedProcesses.contains(pid) {
            _ = loop.schedule(at: loop.now, description: "wake \(pid)") { [file] in
                file.ears[pid]?(CallKey(""), .look) { _ in }
            }
        }
    }

    private func make<Answer>(_ change: (inout Ledger) -> Answer) -> Answer {
        let rings = file.read().rings
        let answer = file.change(change)
        loop.stall(for: file.stallAfterChange)
        if file.outcome != .recorded([]) { wake(rings) }
        return answer
    }

    func watch(_ changed: @escaping (Ledger) -> Void) {
        #expect(!isOver, "watches after the end")
        self.changed = changed
        file.watch(self) { [weak self] in self?.lookAgain() }
        _ = loop.schedule(at: loop.now, description: "first look") { [weak self] in self?.show() }
    }

    func lookAgain() {
        file.recordWhatIsOwed()
        if file.root != shownRoot || !file.isWritable { show() }
    }

    private func show() {
        guard file.isUsable else { return }
        shownRoot = file.root
        changed?(file.read())
    }

    func expectEnd(of call: Call?) {
        #expect(changed != nil || call == nil, "waits for another's end after its own")
        file.watchDeath(of: call?.owners.last?.pid, self) { [weak self] in self?.show() }
        end?.cancel()
        end = nil
        guard let call, call.state == .ringing else { return }
        end = loop.schedule(at: call.until, description: "end") { [weak self] in self?.show() }
    }

    func stopWatching() {
        loop.stall(for: stopWatchingDelay)
        changed = nil
        end?.cancel()
        file.stopWatching(self)
    }

    func finish(_ done: @escaping () -> Void) {
        guard file.followingDelay > .zero else { return done() }
        _ = loop.schedule(at: loop.now + file.followingDelay, description: "finish \(owner.pid)", done)
    }

    func soundName(of mode: RingMode) -> String { "sound of \(mode)" }

    func ring(with tune: ResolvedSound) { self.tune = tune }

    func pulse(_ mode: RingMode) {
        #expect(!isOver, "a sound after the end")
        pulses.append(mode)
        isSounding = mode != .silent
    }

    func silence(_ silent: @escaping () -> Void) {
        guard silenceDelay > .zero else {
            isSounding = false
            return silent()
        }
        _ = loop.schedule(at: loop.now + silenceDelay, description: "silence \(owner.pid)") { [self] in
            isSounding = false
            silent()
        }
    }

    /// How long a picture takes, and what comes of it; nil never comes.
    var picture: (after: TimeSpan, outcome: PictureDownload.Outcome)?
    fileprivate(set) var isFetching = false
    /// Whether what fetches heeds the deadline that it is given.
    var heedsDeadline = true
    /// That deadline, as a time of the story.
    fileprivate(set) var deadline: TimeSpan?

    func report(_ body: Event.Body) {
        switch body {
        case .tick: #expect(!isOver, "a tick after the end")
        case .delivered:
            #expect(!isDelivered && !isOver && !isMissed, "delivered twice, or late")
            isDelivered = true
        case .missed:
            #expect(isDelivered && !isMissed, "R11: missed before it was delivered, or twice")
            isMissed = true
        case .ended:
            #expect(isDelivered && !isMissed, "ended before it was delivered")
            #expect(!isSounding, "R7: ended while it sounds")
            #expect(!isOver, "ended twice")
            #expect(changed == nil, "watches the file after its end")
            isOver = true
        default: break
        }
        events.append((loop.now - start, body))
    }

    /// What was told, in short: `ringing loud`, `tick 3`, `ended hangup`.
    var story: [String] { fullStory.filter { !$0.hasPrefix("received") } }

    /// ``story`` with how the notification was received.
    var fullStory: [String] { events.map { Self.words($0.body) } }

    /// ``story`` without its ticks.
    var storyWithoutTicks: [String] { story.filter { !$0.hasPrefix("tick") } }

    static func words(_ body: Event.Body) -> String {
        switch body {
        case .ringing(let ringing): "ringing \(ringing.mode.rawValue)"
        case .silent(_, let why, _): "silent \(why.rawValue)"
        case .tick(let n, _): "tick \(n)"
        case .ended(let ended):
            "ended \(ended.reason.rawValue)" + (ended.hangupReason.map { " \($0.rawValue)" } ?? "")
        case .missed: "missed"
        case .warning(let code, _): "warning \(code.rawValue)"
        case .delivered(let by, _, let isShown): "delivered \(by.rawValue)\(isShown ? "" : " unseen")"
        case .notification(let state, _): "notification \(state.rawValue)"
        case .vibration(let state, _): "vibration \(state.rawValue)"
        case .attachment(let attachment):
            switch attachment.outcome {
            case .attached: "attached"
            case .skipped(let reason, _): "skipped \(reason)"
            }
        case .received(let received): "received \(received.why?.rawValue ?? received.type.rawValue)"
        case .rejected(let reason, _): "rejected \(reason.rawValue)"
        case .extensionProcess, .asked: "nothing of ours"
        case .caller(let caller): "caller \(caller.name) \(caller.handle)"
        case .app(let app): "app \(app.state.rawValue)"
        case .call(let call): "call \(call.state.rawValue)" + (call.by.map { " \($0.rawValue)" } ?? "")
        case .action(let action): "action \(action.kind.rawValue) \(action.state.rawValue)"
        case .sound, .unknown: "\(body)"
        }
    }
}

extension FakeWorld: PictureSource {
    func fetch(_ url: String, deadline: Instant, finished: @escaping (PictureDownload.Outcome) -> Void) {
        #expect(!isFetching, "two fetches for one call")
        isFetching = true
        self.deadline = deadline - start
        guard heedsDeadline else { return }
        let timeout = PictureDownload.Outcome.skipped(Skip(.timeout, "too late"))
        let arrival = picture.map { (loop.now + $0.after, $0.outcome) } ?? (deadline, timeout)
        let end = arrival.0 <= deadline ? arrival : (deadline, timeout)
        _ = loop.schedule(at: end.0, description: "picture \(owner.pid)") { [self] in
            guard isFetching else { return }
            isFetching = false
            finished(end.1)
        }
    }

    func cancel() { isFetching = false }
}
