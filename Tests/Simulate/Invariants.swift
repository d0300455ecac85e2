import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import CallChannel
import CallLedger
import GroupLedger
import NotificationDelivery
import Support

/// What holds in every run, whoever is killed or stands still, whatever is full or broken, whatever strangers write.
extension Oracle {
    /// Whether `worker` cannot be blamed for what it did not do since `instant`, in the simulation's time: it is gone,
    /// stands still or has since shortly before, or has no descriptor.
    private func isExcused(_ worker: PlayedWorker, since instant: Int64) -> Bool {
        let process = worker.process
        return !process.isAlive || process.isStopped || process.descriptorsMax != nil
            || [process.wentOn, stillAt].contains { $0.map { $0 >= instant - 2_000_000 } ?? false }
    }

    /// Whether what was recorded in `group` is there still.
    private func isKept(_ group: Int) -> Bool { !isTampered && !mayComeBack[group] }

    /// Each tells its story in order, and each part of it once: received, perhaps rings, delivered, ended, missed.
    func reported(_ event: Event, by worker: PlayedWorker) {
        world.story.tell("worker \(worker.number): \(Story.words(of: event.body))")
        let at = Instant(microseconds: Int64((event.boot * 1e6).rounded()))
        let isWarning: Bool = if case .warning = event.body { true } else { false }
        goesOn(worker)
        demand(!worker.account.hasLeft, worker, "reports after its end")
        let isOver = worker.account.isRejected || worker.account.missed > 0
        demand(isWarning || !isOver, worker, "reports after its rejection, or after missed")
        switch event.body {
        case .received:
            demand(!worker.account.isReceived, worker, "received twice")
            worker.account.isReceived = true
        case .rejected(let reason, _):
            demand(!worker.account.isReceived && reason == .busy, worker, "is rejected as \(reason)")
            worker.account.isRejected = true
        case .ringing(let ringing): rings(worker, ringing, at: at)
        case .tick(let n, let late): ticks(worker, n, late: late, at: at)
        case .silent(_, let why, _):
            demand(why != .foreground || isFrontClaimed[worker.push.group], worker, "is silent for no app in front")
        case .sound: demand(worker.account.ends == 0, worker, "sounds after its end")
        case .delivered:
            worker.account.deliveries += 1
            demand(worker.account.deliveries == 1 && worker.account.ends == 0, worker, "delivers again, or late")
        case .ended(let ended): ends(worker, ended)
        case .missed:
            note("missed")
            worker.account.missed += 1
            let isDue = worker.account.missed == 1 && worker.account.deliveries == 1
            demand(isDue && worker.account.endsAsMissed ?? true, worker, "misses again, too early, or what was not")
        case .warning(let code, let detail): warns(worker, code.known, detail)
        case .attachment: break
        case .caller:
            demand(worker.push.app != nil && worker.account.ends == 0, worker, "names a caller, and no app does")
        case .notification, .vibration, .extensionProcess, .asked, .app, .call, .action, .unknown:
            demand(false, worker, "an event that is none of ours")
        }
        demand(worker.account.isReceived || worker.account.isRejected, worker, "reports before it received")
        if isUndisturbed { isToReport(event.body, worker) }
    }

    private func rings(_ worker: PlayedWorker, _ ringing: Event.Ringing, at instant: Instant) {
        guard let mode = ringing.mode.known, let window = worker.account.window else {
            return demand(false, worker, "rings without a window")
        }
        note("ringing \(mode)")
        if worker.push.isOther { isReported(worker) }
        demand(worker.account.ends == 0 && worker.account.mode != mode, worker, "rings \(mode) again, or late")
        demand(ringing.duration == (window.end - window.start).seconds, worker, "rings for \(ringing.duration) s")
        demand(ringing.interval == interval.seconds, worker, "ticks each \(ringing.interval) s")
        if worker.account.mode == nil {
            judgeMemory(of: worker)
            let end = world.machine.simulated(window.end)
            world.machine.time.at(end + Self.slack) { [self] in
                demand(!worker.account.isHeard || isExcused(worker, since: end), worker, "rings past its end")
            }
        }
        worker.account.beganAt = worker.account.beganAt ?? instant
        worker.account.modeToldAt = instant
        worker.account.mode = mode
        worker.account.pulsesDue += 1
    }

    /// C6: what is no call rings for its app's report alone.
    private func isReported(_ worker: PlayedWorker) {
        note("no call rings")
        let isReported = worker.push.app?.contains { if case .ring(.some)? = $0.says { true } else { false } } ?? false
        demand(isReported, worker, "is no call, rings, and no app reported one")
    }

    /// R6: in order, none before it is due or once the next one is, and none of those that were due before it rang.
    private func ticks(_ worker: PlayedWorker, _ n: Int64, late: Double, at instant: Instant) {
        guard let window = worker.account.window, let beganAt = worker.account.beganAt else {
            return demand(false, worker, "ticks without a ring")
        }
        let due = window.start + interval * n
        demand(worker.account.isRinging && n > worker.account.lastTick, worker, "makes tick \(n) out of turn")
        demand(due > beganAt && due < window.end && now >= due, worker, "makes tick \(n) at a wrong time")
        // It may have stood still since it made the tick.
        let hasJustGoneOn = worker.process.wentOn == world.machine.time.now
        demand(due + interval > instant || hasJustGoneOn, worker, "makes tick \(n), and the next one is due")
        demand(late <= (now - due).seconds + 1e-6, worker, "calls tick \(n) \(late) s late")
        worker.account.lastTick = n
        worker.account.ticks += 1
        worker.account.pulsesDue += 1
        demand(worker.account.pulses == worker.account.pulsesDue, worker, "makes tick \(n) without a sound")
        judgeNotes(worker, since: window.start)
        // R7, R10: whoever wants the ring to end finds its ear.
        let hasEar = world.machine.ear(of: worker.process) != nil
        demand(hasEar || world.plan.has(\.isShortage), worker, "rings without an ear")
    }

    /// R12: whoever decides that another one rings takes along what those have left who were dead by then.
    private func judgeNotes(_ worker: PlayedWorker, since start: Instant) {
        let plan = world.plan
        guard !isTampered, !plan.hasFreezes, !plan.has(\.isLock), !plan.has(\.isShortage) else { return }
        let dead = world.workers.filter {
            $0.push.group == worker.push.group && $0.account.mode != nil && ($0.account.diedAt ?? now) < start
        }
        let notes = world.besideTheFiles
        let left = dead.first { other in
            let owner = other.process.owner
            return notes.contains { $0.contains("-\(owner.pid)-\(owner.start).") }
        }
        demand(left == nil, worker, "rings, and a note of worker \(left?.number ?? 0), which is dead, is left")
    }

    /// R7: it is silent before it ends, and not before its time.
    private func ends(_ worker: PlayedWorker, _ ended: Event.Ended) {
        worker.account.ends += 1
        demand(worker.account.ends == 1 && worker.account.deliveries == 1, worker, "ends twice, or too early")
        guard let silentAt = worker.account.silentAt, let window = worker.account.window,
            let reason = ended.reason.known
        else { return demand(false, worker, "ends and was not silent") }
        note("ended \(reason)")
        worker.account.endedAs = reason
        switch reason {
        case .timeout, .expired:
            worker.account.endsAsMissed = true
            let isDue = window.endsAs.state.rawValue == reason.rawValue && silentAt >= window.end
            demand(isDue, worker, "ends as \(reason), which is not due")
        case .stopped: worker.account.endsAsMissed = true
        case .hangup:
            worker.account.endsAsMissed = Model.End(state: .hangup, reason: ended.hangupReason?.known).isMissed
        case .answered, .declined, .foreground: worker.account.endsAsMissed = false
        }
        demand(isClaimed(reason, of: worker) || isMemoryFull, worker, "ends as \(reason), and nobody wanted that")
        // R7: an end that is known as it settles its own counts.
        let isOfItself = [.timeout, .expired, .stopped].contains(reason)
        let isHungUp = worker.account.isHungUp && worker.process.descriptorsMax == nil
        demand(!isHungUp || !isOfItself, worker, "ends as \(reason), and was hung up before")
        demand(ended.ticks == worker.account.ticks, worker, "counts \(ended.ticks) ticks")
        demand(ended.rang >= (silentAt - window.start).seconds - 1e-6, worker, "rang \(ended.rang) s")
    }

    /// Whether the ring of `worker` may end so: somebody has wanted that by now.
    private func isClaimed(_ reason: EndReason, of worker: PlayedWorker) -> Bool {
        if reason == .timeout || reason == .expired { return true }
        let (id, group) = (worker.push.id, worker.push.group)
        // Where the same call rings anew its earlier ring is over: it was hung up, as far as can be known.
        let isAnew = world.workers.contains { other in
            guard other !== worker, other.account.mode != nil, other.push.id == id, other.push.group == group,
                let start = other.account.window?.start, let mine = worker.account.window?.start
            else { return false }
            return start >= mine
        }
        if reason == .hangup, isAnew { return true }
        // Its app ends its ring, and so does who hands it the push, and leaves.
        let isOfApp = worker.push.app?.contains { word in
            if case .end? = word.says { reason != .stopped } else { word.says == nil && reason == .stopped }
        }
        if isOfApp ?? false { return true }
        func isOfIt(_ named: String?) -> Bool { named == nil || named == "" || named == id }
        return world.plan.happenings.contains { happening in
            guard happening.at <= world.machine.time.now, happening.what.group == group || reason == .stopped
            else { return false }
            return switch happening.what {
            case .push(let push): reason == .hangup && push.isHangup && isOfIt(push.id)
            case .command(.answer(let named), _), .chosen(.answer, let named, _): reason == .answered && isOfIt(named)
            case .command(.decline(let named), _), .chosen(.decline, let named, _): reason == .declined && isOfIt(named)
            case .stranger(.setsState(let state), _): reason.rawValue == state
            case .stranger(.removesStart, _): reason == .hangup
            case .terminated: reason == .stopped
            default: reason == .foreground && isFrontClaimed[group]
            }
        }
    }

    /// What the hangup `worker` has decided lies where everybody finds it, before who rings that call settles its end.
    func hasHungUp(_ worker: PlayedWorker) {
        let (push, group) = (worker.push, worker.push.group)
        let ring = world.workers.last { $0.push.group == group && $0.push.id == push.id && $0.account.window != nil }
        guard push.isHangup, isKept(group), !push.id.isEmpty, let ring, ring.account.laidAt != nil,
            ring.account.silentAt == nil
        else { return }
        ring.account.isHungUp = push.sentAt == nil || ring.push.sentAt == nil
    }

    /// R14: a fault of the group file is told only if there is one, and each once.
    private func warns(_ worker: PlayedWorker, _ code: WarningCode?, _ detail: String) {
        guard let code else { return demand(false, worker, "gives a warning that is none of ours") }
        let isAgain = worker.account.warnings.updateValue(now, forKey: code) != nil
        demand(!isAgain || [.handlerCalledAgain, .callsUnavailable].contains(code), worker, "warns of \(code) twice")
        let plan = world.plan
        let mayBeAtWork =
            plan.hasFreezes || plan.has { if case .lockHeld(_, _, .atWork) = $0 { true } else { $0.isShortage } }
        let isDue: Bool =
            switch code {
            case .handlerCalledAgain, .noAlertText: worker.push.code != nil
            case .timeWillExpire: now >= worker.noticeAt && worker.account.deliveries == 0
            case .hangupNotIntercepted: worker.push.isHangup
            case .callsUnavailable: worker.push.app != nil
            case .noCallID: worker.isUnnamed
            case .fieldIgnored: worker.push.isOther
            case .badClock: worker.push.sentAt != nil
            case .foregroundUnowned: isFrontClaimed[worker.push.group]
            case .groupCorrupt: isTampered
            case .groupUnwritable: isTampered || plan.has(\.isShortage)
            case .groupLocked:
                // What cannot be written is not written without its lock, and nobody waits for himself.
                worker.account.warnings[.groupUnwritable] != now && (mayBeAtWork || !detail.contains("is at work"))
                    && (plan.hasFreezes || plan.has(\.isLock)
                        || plan.has(\.isShortage) && detail.hasPrefix("written without a lock"))
            default: false
            }
        demand(isDue, worker, "warns of \(code): \(detail)")
    }

    /// `worker` sounds in `mode`, as it has decided at `instant`: never after its end, and two of a group are not loud
    /// for long (R7, R10). An end that a stranger wrote may be lost with the file before its ring has read it (R13).
    func sounds(_ worker: PlayedWorker, _ mode: RingMode, at instant: Instant) {
        worker.account.isHeard = true
        worker.account.pulses += 1
        demand(worker.account.mode == mode && worker.account.silentAt == nil, worker, "sounds \(mode) out of turn")
        if let window = worker.account.window, let modeToldAt = worker.account.modeToldAt {
            // The sound of a ring that begins, or goes on in another mode, follows the word of that.
            let decided = worker.account.pulses <= worker.account.pulsesDue ? modeToldAt : instant
            demand(decided < window.end, worker, "sounds past its end")
        }
        let isEndedByStranger = world.plan.has { if case .stranger(.setsState, _) = $0 { true } else { false } }
        guard mode == .loud, world.plan.surroundings.secondCall != .loud, !isMemoryFull, !isEndedByStranger
        else { return }
        let since = world.machine.time.now
        for other in world.workers where other !== worker && areBothLoud(worker, other) {
            world.machine.time.after(interval.microseconds + 2 * Self.slack) { [self] in
                let isExcused = isExcused(worker, since: since) || isExcused(other, since: since)
                demand(isExcused || !areBothLoud(worker, other), worker, "and \(other.number) are loud for long")
            }
        }
    }

    private func areBothLoud(_ one: PlayedWorker, _ other: PlayedWorker) -> Bool {
        [one, other].allSatisfy { $0.isAlive && $0.account.isHeard && $0.account.mode == .loud }
            && one.push.group == other.push.group
    }

    func silenced(_ worker: PlayedWorker) {
        demand(worker.account.silentAt == nil, worker, "falls silent twice")
        worker.account.silentAt = now
        worker.account.isHeard = false
        if isUndisturbed { isSilenced(worker) }
    }

    func closes(_ worker: PlayedWorker, as end: Delivery.End) {
        goesOn(worker)
        demand(!worker.account.hasClosed, worker, "ends its connection twice")
        worker.account.hasClosed = true
        demand(!worker.isAlive || (end == .refused) == worker.account.isRejected, worker, "ends as \(end)")
    }

    /// Delivered once, missed once, and no ring, sound or timer left.
    func left(_ worker: PlayedWorker) {
        worker.account.hasLeft = true
        let account = worker.account
        if account.isRejected { return }
        guard account.isReceived else { return demand(account.stoppedAt != nil, worker, "leaves without a word") }
        demand(account.deliveries == 1, worker, "leaves without delivering")
        demand((account.mode == nil || account.ends == 1) && !account.isHeard, worker, "leaves a ring behind")
        if let isMissed = account.endsAsMissed {
            demand(account.missed == (isMissed ? 1 : 0), worker, "told \(account.missed) missed calls")
        }
        if isUndisturbed { isToLeave(worker) }
    }

    // MARK: What is recorded

    /// The ledger agrees with the events: only who lives rings in it, nothing is of the future, and nothing twice.
    func witness(_ ledger: Ledger, group: Int) {
        for ring in ledger.rings {
            let owner = world.workers.first { $0.process.owner == ring.owner && $0.isAlive && $0.push.group == group }
            demand(owner?.push.id == ring.key.text, "“\(ring.key.text)” rings, and is nobody's")
            // Another boot's clock may have been ahead.
            let isPast = ring.since <= now + .milliseconds(1) || world.machine.boots > 1
            demand(isPast, "“\(ring.key.text)” rings since a time to come")
        }
        demand((ledger.root["keyStartCallTime"] != nil) == !ledger.rings.isEmpty, "keyStartCallTime is wrong")
        for call in ledger.calls {
            let times = [call.sentAt, call.hangupSentAt]
            demand(times.map(believed) == times, "“\(call.key.text)” was sent or hung up in time to come")
        }
        demand(Set(ledger.answers).count == ledger.answers.count, "an answer waits twice")
        let missed = (ledger.root["missedCalls"]?.arrayValue ?? []).compactMap(\.dictionaryValue)
        let names = missed.map { [$0["callId"], $0["since"]] }
        demand(Set(names).count == names.count && names.count <= Ledger.missedMax, "a call is listed as missed twice")
        if isUndisturbed { compare(ledger, missed, group: group) }
    }

    /// Somebody who wanted a call to end is told how it has.
    func isTold(_ ended: EndedCall?, group: Int) {
        demand(ended?.state != .ringing, "somebody is told that a call has ended, which rings")
        let worker = world.workers.first { $0.push.group == group && $0.process.owner == ended?.call.owner }
        // R7: of a ring that is over for so long nobody waits for its worker, which may have stood still.
        guard let ended, ended.state != .missed, let worker else { return }
        told.append((worker, ended.state))
        note("told \(ended.state)")
        let since = world.machine.time.now
        world.machine.time.after(interval.microseconds + Self.slack) { [self] in
            let isOver = !worker.account.isHeard || isExcused(worker, since: since) || !isKept(group)
            demand(isOver, worker, "rings on, and somebody was told that it is \(ended.state)")
        }
    }

    /// R11, R12: a tidier tells a missed call, of a dead worker that has not told it, and that nobody has taken.
    func told(of call: Call, group: Int) {
        note("missed of a dead worker")
        world.story.tell("the tidier tells that “\(call.key.text)” was missed")
        let worker = world.workers.first { $0.push.group == group && $0.process.owner == call.owner }
        guard isKept(group), let worker else { return }
        demand(!worker.isAlive, worker, "lives, and the tidier tells its missed call")
        let isAgain = worker.account.isMarked && worker.process.descriptorsMax == nil
        demand(!isAgain, worker, "told its missed call, and the tidier tells it again")
        let isKnown = told.contains { $0.worker === worker && ($0.state == .answered || $0.state == .declined) }
        demand(!isKnown, worker, "is told as missed, and a person has ended its call")
    }

    /// R8: a call whose hangup everybody could know of before its request came does not ring.
    private func judgeMemory(of worker: PlayedWorker) {
        let (id, group) = (worker.push.id, worker.push.group)
        let same = world.workers.filter { $0.push.id == id && $0.push.group == group }
        let isTimed = same.contains { $0.push.sentAt != nil || $0.process.descriptorsMax != nil }
        guard !id.isEmpty, isKept(group), !isTimed else { return }
        // Whoever stood still over a decision about the call did not know of the hangup.
        let wentOn = same.compactMap(\.process.wentOn).max() ?? 0
        let hungUp = same.first { other in
            guard other.push.isHangup, let laidAt = other.account.laidAt else { return false }
            let laid = world.machine.simulated(laidAt)
            return laid > wentOn && laid < worker.arrivedAt && now - laidAt < Model.memory
        }
        demand(hungUp == nil, worker, "rings, and its call was hung up before it came")
    }

    /// `name` in `directory` is about to get another file: nobody breaks the lock of who is at work.
    func isRenamed(to name: String, in directory: PlayedNode) {
        let holder = directory.names["\(name).lock"]?.lock?.process
        demand(!(holder?.isAtWork ?? false), "the lock of \(holder?.pid ?? 0) is broken, who is at work")
    }

    /// R13: only what cannot be used is set aside.
    func isSetAside(_ file: PlayedNode) {
        note("set aside")
        let isOld = world.machine.kernelTime - file.modified > 100_000
        let hasJustGoneOn = world.machine.current?.wentOn == world.machine.time.now
        guard file.kind == .file, isOld, !hasJustGoneOn, file.bytes.count <= 1 << 20 else { return }
        demand((try? PropertyListDictionary.parse(file.bytes)) == nil, "a good file is set aside")
    }

    /// R8, R11: the answers that wait and the missed calls outlive a power cut, if nothing else goes wrong: `cut` cuts.
    func judgePowerCut(_ cut: () -> Void) {
        note("reboot")
        func durable(_ group: Int) -> Set<String> {
            let root = world.fileOnDisk(of: group)
            return Set(
                ["pendingAccept", "missedCalls"].flatMap { key in
                    (root?[key]?.arrayValue ?? []).map { "\(key) \($0.dictionaryValue?["callId"]?.stringValue ?? "")" }
                })
        }
        let isAlone = world.plan.happenings.allSatisfy {
            if case .rebooted = $0.what { true } else { $0.isOrdinary }
        }
        let kept = world.usedGroups.map(durable)
        cut()
        let lost = zip(world.usedGroups, kept).map { $1.subtracting(durable($0)) }
        demand(!isAlone || lost.allSatisfy(\.isEmpty), "a power cut takes \(lost)")
    }

    /// Nothing is stuck: everybody has left, nobody rings, the dead are told of, and nothing lies beside the file.
    func judgeRest() {
        for worker in world.workers { demand(!worker.isAlive, worker, "never leaves") }
        // One outcome for everyone: for who rang, unless it can hear and read nothing, and for all who asked.
        for (worker, state) in told where isKept(worker.push.group) && worker.process.descriptorsMax == nil {
            let isSame = worker.account.endedAs.map { $0.rawValue == state.rawValue } ?? true
            demand(isSame, worker, "ended otherwise, and somebody was told \(state)")
        }
        for group in world.usedGroups {
            guard let ledger = world.ledger(of: group) else { continue }
            let isQuiet = ledger.rings.isEmpty && ledger.root["keyStartCallTime"] == nil && !ledger.hasDeadRing
            demand(isQuiet, "a ring is stuck, and nobody lives")
        }
        let left = world.besideTheFiles
        demand(left.isEmpty, "\(left.sorted()) are left in memory")
    }

    /// All that ended is forgotten.
    func judgeOblivion() {
        let calls = world.usedGroups.flatMap { world.ledger(of: $0)?.calls ?? [] }
        demand(calls.isEmpty, "\(calls.map(\.key.text)) are never forgotten")
    }
}

extension Happening.What {
    fileprivate var isLock: Bool { if case .lockHeld = self { true } else { false } }

    /// Whether the disk, memory or descriptors run out.
    fileprivate var isShortage: Bool {
        switch self {
        case .shortage(.earsFull, _): false
        case .shortage, .shortOfDescriptors: true
        default: false
        }
    }
}
