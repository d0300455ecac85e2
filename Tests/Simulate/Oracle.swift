import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import CallLedger
import GroupLedger
import Interception

/// Holds what happens against the rules, and keeps the first thing that does not agree.
final class Oracle {
    private(set) var mistake: String?
    /// How often each thing was seen, so that a run in which nothing happens is not taken for a good one.
    private(set) var seen: [String: Int] = [:]
    unowned let world: World
    /// What the rules say of each group's calls.
    var rules: [Rules]
    /// Whether the order of decisions is known in each group: not once programs that know no rules have written its
    /// file, and while decisions overlap.
    var isSure = [true, true]
    /// Whether an old version of each group's file may have come back.
    var mayComeBack = [false, false]
    /// When each folder's file was replaced last, in the simulation's time.
    var replacedAt: [ObjectIdentifier: Int64] = [:]
    /// How often a stranger has come.
    var visitsCount = 0
    /// What commands have decided and may not have laid yet.
    var pending: [ObjectIdentifier: (notes: Int, rules: Rules)] = [:]
    /// When somebody last died over a decision in each group, in the simulation's time.
    private(set) var diedDeciding: [Int64?] = [nil, nil]
    /// The missed calls that were listed before all began anew, when the clocks told other times.
    private(set) var listedBefore: Set<PropertyListDictionary> = []
    /// When everybody stood still last.
    private var stillAt: Int64?
    /// What those were told who wanted a worker's ring to end.
    private(set) var told: [(worker: PlayedWorker, state: CallState)] = []
    /// The calls that tidiers, by their processes, are to tell.
    private var toTell: [ObjectIdentifier: (group: Int, calls: [String])] = [:]

    /// What a look, a timer and a silence may take together, in microseconds.
    static let slack: Int64 = 60_000

    /// How long who ends in a crowd lets others go first, at most.
    private static let crowdDelay = TimeSpan.milliseconds(20)

    /// Whether whoever asks at an ear is heard.
    let earsHear: Bool
    /// Whether each ring can have an ear.
    private(set) lazy var mayHaveEars = world.plan.mayHaveEars
    /// Whether the file says at once whatever was decided.
    let isFileSound: Bool
    /// Whether the file may be one that cannot be used.
    private(set) lazy var mayBreakFile = world.plan.mayBreakFile
    /// What was asked at ears of calls that do not ring there.
    var heardAtEars: Set<String> = []

    init(world: World) {
        self.world = world
        earsHear = !world.plan.happenings.contains {
            switch $0.what {
            case .earsFull: true
            case .incident(let incident, _): incident.isCrowd
            default: false
            }
        }
        isFileSound = !world.plan.happenings.contains {
            switch $0.what {
            case .disk, .memoryFull, .lockHeld, .shortOfDescriptors: true
            case .incident(let incident, _): incident.holdsLock || incident.isShortage
            default: false
            }
        }
        rules = [Rules](repeating: Rules(surroundings: world.plan.surroundings), count: 2)
    }

    var now: Instant { world.machine.bootTime }

    func demand(_ condition: Bool, _ what: @autoclosure () -> String) {
        guard !condition, mistake == nil else { return }
        mistake = what()
        world.story.tell("WRONG: \(what())")
    }

    func note(_ what: String) { seen[what, default: 0] += 1 }

    /// Whether `worker` cannot be blamed for what it did not do since `instant`, in the simulation's time.
    func isExcused(_ worker: PlayedWorker, since instant: Int64) -> Bool {
        worker.process.descriptorsMax != nil || hasStoodStill(worker, since: instant)
    }

    /// Whether `worker` stands still, or has since `instant` or shortly before, or is gone.
    func hasStoodStill(_ worker: PlayedWorker, since instant: Int64) -> Bool {
        let process = worker.process
        return !process.isAlive || process.isStopped
            || process.wentOn.map { $0 >= instant - 2_000_000 } ?? false
            || stillAt.map { $0 >= instant - 2_000_000 } ?? false
    }

    /// Whether `worker` has never stood still.
    func isPunctual(_ worker: PlayedWorker) -> Bool { isPunctual(worker.process) }

    /// Whether `process` has done at once whatever it had to do.
    func isPunctual(_ process: PlayedProcess) -> Bool {
        process.wentOn == nil && stillAt == nil && !process.isStopped && !process.isKilled
            && process.descriptorsMax == nil
    }

    // MARK: Decisions

    func begins(_ worker: PlayedWorker) {
        worker.process.onPark = { [self] call in parks(worker.push.group, call) }
    }

    /// A process stands still in the midst of what it does, about to make `call`.
    func parks(_ group: Int, _ call: String) {
        unsettle(group, "a process stands still before \(call)")
        // Between the last look at the file and its replacement nothing helps.
        if call == "the rename of the file" { mayComeBack[group] = true }
    }

    /// `worker` has changed the ledger: admitted its request, or hung up.
    func decided(by worker: PlayedWorker, _ ledger: Ledger) {
        let group = worker.push.group
        worker.account.pending = (worker.process.notesLaid, rules[group])
        switch worker.push.kind {
        case .request where !worker.account.isDecided: admitted(worker)
        case .request: worker.account.lateHangup.map { carryOut($0, of: worker) }
        case .hangup(let reason):
            let sentAt = believed(worker.push.sentAt.map(world.wallTime))
            expectSilence(of: worker.push.id, in: group, by: worker.process)
            rules[group].hangUp(worker.push.id, reason, sentAt: sentAt, now: now)
            hangsUp(worker, ledger)
            note("hangup in the ledger")
        case .alert: demand(false, "an alert changes the ledger")
        }
        if !worker.account.isDecided || worker.push.kind.isHangup { worker.account.decidedAt = now }
        worker.account.isDecided = true
        compare(ledger, group: group)
    }

    private func admitted(_ worker: PlayedWorker) {
        let push = worker.push
        let sentAt = believed(push.sentAt.map(world.wallTime))
        worker.account.window = window(of: worker, sentAt: sentAt)
        let request = Rules.Request(
            worker: worker, key: push.id, sentAt: sentAt, until: worker.account.window?.end)
        expectMuting(of: worker)
        let verdict = rules[push.group].admit(request, now: now)
        if sentAt != nil { forgetsHangups(of: worker) }
        worker.account.verdict = isSure[push.group] ? verdict : nil
        worker.account.isClockBad = push.sentAt != nil && sentAt == nil
        if verdict == .silent(.foreground, missed: false) {
            worker.account.isFlagUnowned = rules[push.group].isFlagUnowned
        }
        if !isSure[push.group] { worker.account.isFlagUnowned = nil }
        world.story.tell("worker \(worker.number) decides: \(verdict)\(isSure[push.group] ? "" : ", perhaps")")
        switch verdict {
        case .ring: note("ring")
        case .silent(let why, let missed): note("silent \(why)\(missed ? ", missed" : "")")
        case .busy: note("busy")
        }
    }

    /// R7, R9: how long a request rings; nil if it is stale.
    private func window(of worker: PlayedWorker, sentAt: WallTime?) -> Account.Window? {
        let (push, wall) = (worker.push, world.machine.wall)
        if let expiration = push.expiration, expiration != 0, world.wallTime(expiration) < wall { return nil }
        let setting = world.plan.surroundings.duration
        let duration = min(push.duration.flatMap { TimeSpan(seconds: $0) } ?? setting, setting)
        // Whole seconds are as late as they may be.
        let latest = sentAt.map { $0.microseconds % 1_000_000 == 0 ? $0 + TimeSpan(microseconds: 999_999) : $0 }
        let elapsed = latest.map { max(wall - $0, .zero) } ?? .zero
        guard elapsed < duration else { return nil }
        let wished = now + (duration - elapsed)
        let end = max(now, min(wished, worker.deadline))
        return Account.Window(
            start: now, end: end, endsAs: wished - worker.deadline > .seconds(1) ? .expired : .timeout)
    }

    /// R9: a time over a minute ahead counts as absent.
    func believed(_ sentAt: WallTime?) -> WallTime? {
        sentAt.flatMap { $0 - world.machine.wall <= .seconds(60) ? $0 : nil }
    }

    /// `worker` has changed what the ledger says of its own ring: settled its end, or told that it was missed.
    func decidedOfItsOwn(by worker: PlayedWorker, _ ledger: Ledger) {
        let (group, key) = (worker.push.group, worker.push.id)
        worker.account.pending = (worker.process.notesLaid, rules[group])
        let isLatest = rules[group].entries[key]?.worker === worker
        if worker.account.silentAt != nil, !worker.account.isSettled {
            settles(worker)
        } else {
            rules[group].reported(key, worker)
            worker.account.isMarking = true
        }
        // Of the next ring of its id it need not know yet.
        guard isLatest else { return }
        compare(ledger.call(CallKey(key)), with: rules[group].entries[key], key: key, group: group)
    }

    private func settles(_ worker: PlayedWorker) {
        let (group, key) = (worker.push.group, worker.push.id)
        worker.account.isSettled = true
        if let ask = worker.account.ask { carryOut(ask, of: worker, hasEnded: true) }
        worker.account.isFlagUnowned = nil
        guard isSure[group] else { return }
        let entry = rules[group].entries[key]
        let ended = entry?.worker === worker ? entry?.end : entry?.earlier.first { $0.worker === worker }?.end
        let known = ended == .missed ? nil : ended
        let byFront = worker.account.sawFront ? Rules.End.foreground : nil
        guard let cause = known ?? worker.account.cause ?? byFront else {
            return demand(false, "worker \(worker.number) ends its ring for no reason")
        }
        let settled = rules[group].settle(key, worker, as: cause, now: now)
        worker.account.settled = settled
        worker.account.isFlagUnowned = settled == .foreground && rules[group].isFlagUnowned
    }

    /// What `worker` was asked at its ear is in the ledger.
    private func carryOut(_ ask: RingAsk, of worker: PlayedWorker, hasEnded: Bool = false) {
        let (group, key) = (worker.push.group, worker.push.id)
        worker.account.lateHangup = nil
        guard let entry = rules[group].entries[key], entry.worker === worker else { return }
        switch ask {
        case .hangUp(let reason, let sentAt):
            rules[group].hangUpCall(key, reason, sentAt: believed(sentAt), now: now, hasEnded: hasEnded)
        case .answer where entry.end == nil: rules[group].leaveAnswer(to: key, now: now)
        case .answer, .decline, .foreground, .look: break
        }
    }

    func decisionIsLaid(by worker: PlayedWorker) {
        guard worker.isAlive else { return }
        worker.account.pending = nil
        hangupIsLaid(by: worker)
        if worker.account.isMarking { worker.account.isMarked = true }
    }

    /// `worker` is dead: what it decided and did not lay never happened.
    func isGone(_ worker: PlayedWorker) {
        worker.account.isHeard = false
        if let pending = worker.account.pending {
            diesDeciding(worker.process, worker.push.group, since: pending)
        }
        crossesStranger(worker)
        expectLoudness(in: worker.push.group)
        note("gone")
    }

    /// A process has died that had decided something: if it had not laid it yet, that never happened.
    private func diesDeciding(_ process: PlayedProcess, _ group: Int, since before: (notes: Int, rules: Rules)) {
        diedDeciding[group] = world.machine.time.now
        if process.notesLaid == before.notes { rules[group] = before.rules }
    }

    /// Whether anybody has decided what he may not have laid yet.
    var isAnyoneDeciding: Bool { !pending.isEmpty || world.workers.contains { $0.account.pending != nil } }

    /// The order of decisions is not known from here on.
    func unsettle(_ group: Int, _ why: String) {
        if isSure[group] {
            world.story.tell("from here on the oracle is unsure of \(world.groups[group].text): \(why)")
        }
        isSure[group] = false
    }

    // MARK: What the ledger says

    /// Holds the ledger, as it was decided, against the rules.
    func compare(_ ledger: Ledger, group: Int) {
        let rings = ledger.rings
        demand((ledger.root["keyStartCallTime"] != nil) == !rings.isEmpty, "keyStartCallTime and \(rings.count) rings")
        guard isSure[group] else { return }
        let entries = rules[group].entries
        for key in ledger.calls.map(\.key) where key.text != World.forgedKey {
            compare(ledger.call(key), with: entries[key.text], key: key.text, group: group)
        }
        for (key, entry) in entries where ledger.call(CallKey(key)) == nil {
            compare(nil, with: entry, key: key, group: group)
        }
        let answers = ledger.answers.map(\.key.text)
        demand(
            rules[group].answersAre(answers, now: now, slack: TimeSpan(microseconds: Self.slack)),
            "answers to \(answers) wait")
        compareMissed(ledger)
        judgeRecords(ledger, group: group)
        demand(
            (ledger.foreground != .background) == rules[group].isInFront,
            "the app is \(ledger.foreground), by the rules in front: \(rules[group].isInFront)")
        let order = rules[group].rings(now: now).map(\.key)
        demand(rings.elementsEqual(order) { $0.key.text == $1 }, "\(rings.map(\.key.text)) ring instead of \(order)")
    }

    /// Nothing is listed twice, nor what was answered or declined after all.
    private func compareMissed(_ ledger: Ledger) {
        let listed = listedCalls(ledger)
        demand(listed.count <= Ledger.missedMax, "\(listed.count) missed calls are listed")
        for (index, entry) in listed.enumerated() {
            let key = entry["callId"]?.stringValue ?? ""
            let isTwice = listed[..<index].contains { $0["callId"] == entry["callId"] && $0["since"] == entry["since"] }
            demand(!isTwice, "“\(key)” is listed as missed twice")
            let call = ledger.call(CallKey(key))
            guard let call, entry["since"] == .integer(call.since.microseconds) else { continue }
            let isKnown = call.state == .answered || call.state == .declined
            demand(!isKnown, "“\(key)” is \(call.state), and listed as missed")
        }
    }

    private func compare(_ call: Call?, with entry: Rules.Entry?, key: String, group: Int) {
        guard isSure[group] else { return }
        guard !agree(call, entry) else {
            if let call, entry?.isUnseen ?? false { rules[group].seeEndByStranger(key, until: call.until) }
            return
        }
        let found = call.map(Self.describe) ?? "nothing"
        let expected = entry.map(Self.describe) ?? "nothing"
        demand(false, "of call “\(key)” the ledger says \(found) instead of \(expected)")
    }

    private func agree(_ call: Call?, _ entry: Rules.Entry?) -> Bool {
        guard let call, let entry else { return call == nil && entry == nil }
        guard call.sentAt == entry.sentAt, call.hangupSentAt == entry.hangupSentAt,
            call.owner == entry.worker?.process.owner
        else { return false }
        // When a stranger ended it is written down as soon as somebody of ours sees it.
        if entry.isUnseen {
            // A tick, and a sound server that does not answer.
            let delayMax = world.plan.surroundings.interval + TimeSpan(microseconds: 3 * Self.slack)
            let delay = call.until - entry.until
            return call.state == entry.end?.state && delay >= .zero && delay <= delayMax
                && (call.state != .hangup || call.hangupReason == .cancelled)
        }
        // Whoever writes the file records what the dead left, at whatever moment.
        guard let end = entry.end, end != .missed else {
            let isDead =
                entry.end == .missed || !(entry.worker?.isAlive ?? false) || now - entry.until > Rules.grace
            return call.state == .ringing
                ? entry.end == nil && call.until == entry.until : isDead && call.state == .missed
        }
        if case .hangup(let reason) = end, call.hangupReason != reason { return false }
        // In a crowd a ring's owner may not have read what others have just decided, and decide the same once more.
        let difference = max(call.until - entry.until, entry.until - call.until)
        return call.state == end.state && difference <= Self.crowdDelay
    }

    private static func describe(_ call: Call) -> String {
        describe(
            call.state, call.state == .hangup ? call.hangupReason : nil, call.sentAt, call.owner.map { Int32($0.pid) })
            + " until \(call.until.microseconds)"
    }

    private static func describe(_ entry: Rules.Entry) -> String {
        var reason: HangupReason?
        if case .hangup(let why)? = entry.end { reason = why }
        return describe(entry.end?.state ?? .ringing, reason, entry.sentAt, entry.worker?.process.pid)
            + " until \(entry.until.microseconds)"
    }

    private static func describe(
        _ state: CallState, _ reason: HangupReason?, _ sentAt: WallTime?, _ owner: Int32?
    ) -> String {
        let sent = sentAt.map { " sent at \($0.microseconds - Machine.wallAtStart)" } ?? ""
        return "\(state)\(reason.map { " \($0)" } ?? "")\(sent)\(owner.map { " of \($0)" } ?? "")"
    }

    // MARK: Others

    /// A command or a tidier decides.
    func visits(_ process: PlayedProcess, _ group: Int) {
        pending[ObjectIdentifier(process)] = (process.notesLaid, rules[group])
        process.onEnd = { [self] in
            if process.isKilled { toTell[ObjectIdentifier(process)] = nil }
            guard let before = pending.removeValue(forKey: ObjectIdentifier(process)) else { return }
            diesDeciding(process, group, since: before)
        }
    }

    func visitIsOver(_ process: PlayedProcess, _ group: Int) { pending[ObjectIdentifier(process)] = nil }

    func ends(_ key: CallKey, as end: Rules.End, _ hasEnded: Bool, by process: PlayedProcess, group: Int) {
        expectSilence(of: key.text, in: group, by: process)
        let isExpected = rules[group].end(key.text, as: end, now: now)
        note("command ends a ring")
        guard isSure[group] else { return }
        demand(isExpected == hasEnded, "\(end) of “\(key.text)” \(hasEnded ? "ended" : "ended nothing")")
    }

    /// Somebody who wanted a call to end is told how it has.
    func isTold(_ ended: EndedCall?, group: Int) {
        demand(ended?.state != .ringing, "somebody is told that a call has ended, which rings")
        let worker = ended.flatMap { ended in
            world.workers.first { $0.push.group == group && $0.process.owner == ended.call.owner }
        }
        guard let ended, let worker else { return }
        // R7: of a ring that is over for so long nobody waits for its worker, which may have stood still.
        if ended.state == .missed, let window = worker.account.window, now - window.end > Rules.grace { return }
        told.append((worker, ended.state))
        note("told \(ended.state)")
    }

    func entersForeground(_ app: PlayedProcess?, by process: PlayedProcess, group: Int) {
        rules[group].enterForeground(app, now: now)
        let since = now
        // Whoever is in front only for a while may end no ring.
        expectSilence(of: "", in: group, by: process) { rules, _ in rules.isInFront && rules.frontSince == since }
        note("app in front")
    }

    func entersBackground(_ group: Int) { rules[group].enterBackground(now: now) }

    /// The app takes out the answers to `key`, all if that is nil.
    func collects(_ answers: [PendingAnswer], to key: String?, group: Int) {
        note("answers collected")
        let expected = rules[group].collectAnswers(to: key, now: now)
        guard isSure[group] else { return }
        demand(answers.map(\.key.text) == expected, "answers to \(answers.map(\.key.text)) are handed over")
    }

    /// The person has seen what was missed.
    func clearsMissed(_ cleared: [MissedRecord], group: Int) {
        note("missed calls seen")
        rules[group].seeMissed(now: now)
    }

    /// A tidier is to tell these calls, unless it is killed over it: then another one does.
    func findsDeadRings(_ process: PlayedProcess, _ group: Int) {
        rules[group].open(now: now)
        var found = rules[group]
        toTell[ObjectIdentifier(process)] = (group, found.takeDeadRings(of: nil, now: now))
    }

    /// A tidier has told the calls of these processes.
    func takesDeadRings(_ group: Int, owners: [Owner]) {
        _ = rules[group].takeDeadRings(of: owners, now: now)
    }

    func keepsNothing(_ group: Int) { unsettle(group, "what was taken over cannot be kept") }

    /// A tidier tells a missed call.
    func told(of call: Call, by process: PlayedProcess, group: Int) {
        note("missed of a dead worker")
        world.story.tell("the tidier tells that “\(call.key.text)” was missed")
        if call.key.text == World.forgedKey { return }
        let owner = world.workers.first { $0.push.group == group && $0.process.owner == call.owner }
        if !mayComeBack[group], let owner {
            demand(
                !owner.account.isMarked || owner.process.descriptorsMax != nil,
                "worker \(owner.number) told its missed call, and the tidier tells it again")
        }
        let isKnown = told.contains { $0.worker === owner && ($0.state == .answered || $0.state == .declined) }
        demand(!isKnown || mayComeBack[group], "“\(call.key.text)” is told as missed, and a person has ended it")
        guard isSure[group] else { return }
        guard let index = toTell[ObjectIdentifier(process)]?.calls.firstIndex(of: call.key.text) else {
            return demand(false, "“\(call.key.text)” is told as missed and was not, or was told before")
        }
        toTell[ObjectIdentifier(process)]?.calls.remove(at: index)
    }

    /// All that was is over, so that it is known again what must be.
    func beginsAnew() {
        for group in rules.indices {
            rules[group] = Rules(surroundings: world.plan.surroundings)
            listedBefore.formUnion(world.ledger(of: group).map(listedCalls) ?? [])
        }
        for worker in world.workers { worker.account.hangup = nil }
        (isSure, mayComeBack, stillAt, told, toTell) = ([true, true], [false, false], nil, [], [:])
        world.story.tell("the oracle is sure again")
    }

    func everybodyStoodStill() { stillAt = world.machine.time.now + 40_000_000 }

    func reboots() {
        note("reboot")
        stillAt = world.machine.time.now
        for group in rules.indices {
            unsettle(group, "the machine starts anew")
            mayComeBack[group] = true
        }
    }

    /// At the end, when nobody is left.
    func judgeToldByTidiers() {
        for (group, calls) in toTell.values where isSure[group] {
            demand(calls.isEmpty, "nobody was told that \(calls) were missed")
        }
    }
}
