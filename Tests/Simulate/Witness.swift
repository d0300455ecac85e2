import BelfryProtocol
import BelfryTerms
import CallLedger
import Interception
import ServiceHost

/// What one worker does: its events, its sound and its end, held against the rules.
extension Oracle {
    func reported(_ event: Event, by worker: PlayedWorker) {
        let body = event.body
        world.story.tell("worker \(worker.number): \(Self.words(of: body))")
        let name = "worker \(worker.number)"
        demand(!worker.account.hasLeft, "\(name) reports after its end")
        demand(!worker.account.isRejected || body.isWarning, "\(name) reports after its rejection")
        demand(worker.account.missed == 0 || body.isWarning, "\(name) reports after missed")
        switch body {
        case .received(let received):
            demand(
                received.why?.known == worker.account.passthrough,
                "\(name) lets pass, \(received.why.map { "\($0)" } ?? "nothing")")
            demand(!worker.account.isReceived, "\(name) received twice")
            worker.account.isReceived = true
        case .rejected(let reason, _):
            worker.account.isRejected = true
            demand(!worker.account.isReceived, "\(name) is rejected after it was received")
            demand(reason == .busy, "\(name) is rejected as \(reason)")
            if let verdict = worker.account.verdict {
                demand(verdict == .busy, "\(name) is busy instead of \(verdict)")
            }
        case .ringing(let ringing): rings(worker, ringing)
        case .silent(_, let why): isSilent(worker, why)
        case .tick(let n, let late): ticks(worker, n, late: late)
        case .sound: demand(worker.account.ends == 0, "\(name) sounds after its end")
        case .notification, .vibration: demand(false, "\(name): no desktop is played")
        case .attachment(let attachment): picture(attachment, of: worker)
        case .delivered(let by, let content): delivers(worker, by, content)
        case .ended(let ended): ends(worker, ended)
        case .missed(_, let content): misses(worker, content)
        case .warning(let code, let detail): warns(worker, code, detail)
        case .extensionProcess, .asked, .unknown: demand(false, "\(name): an event that is none of ours")
        }
        demand(worker.account.isReceived || worker.account.isRejected, "\(name) reports before it received")
        judgeTimes(event, of: worker)
    }

    private func rings(_ worker: PlayedWorker, _ ringing: Event.Ringing) {
        let name = "worker \(worker.number)"
        guard let mode = ringing.mode.known, let window = worker.account.window else {
            return demand(false, "\(name) rings without a window")
        }
        demand(worker.account.ends == 0, "\(name) rings after its end")
        judgeMuting(of: worker, ringing)
        if worker.account.mode == nil, ringing.why == nil, let verdict = worker.account.verdict {
            demand(verdict == .ring(mode), "\(name) rings \(mode) instead of \(verdict)")
        }
        demand(worker.account.mode != mode, "\(name) rings \(mode) again")
        demand(ringing.duration == (window.end - window.start).seconds, "\(name) rings for \(ringing.duration) s")
        demand(ringing.interval == world.plan.surroundings.interval.seconds, "\(name) ticks each \(ringing.interval) s")
        if worker.account.mode == nil {
            judgeMemory(of: worker)
            forgetsHangups(of: worker)
        }
        if worker.account.mode == nil { worker.account.isToldOfNews = world.directory(of: worker.push.group) != nil }
        if mode == .loud, worker.account.mode != nil { becomesLoud(worker) }
        worker.account.mode = mode
        worker.account.pulsesDue += 1
        note("ringing \(mode)")
        let (time, end) = (world.machine.time, world.machine.simulated(window.end))
        time.at(end + Self.slack) { [self] in
            demand(!worker.account.isHeard || isExcused(worker, since: end), "\(name) rings past its end")
        }
    }

    private func isSilent(_ worker: PlayedWorker, _ why: CodeWord<SilenceReason>) {
        guard why != .notIntercepted else {
            let isUnasked = worker.account.passthrough.map { $0 != .voip } ?? false
            return demand(isUnasked, "worker \(worker.number) is not intercepted")
        }
        guard let verdict = worker.account.verdict, let known = why.known else { return }
        if case .silent(known, _) = verdict { return }
        demand(false, "worker \(worker.number) is silent, \(known), instead of \(verdict)")
    }

    private func ticks(_ worker: PlayedWorker, _ n: Int64, late: Double) {
        let name = "worker \(worker.number)"
        guard let window = worker.account.window else { return demand(false, "\(name) ticks without a ring") }
        let due = window.start + world.plan.surroundings.interval * n
        demand(worker.account.isRinging, "\(name) ticks and does not ring")
        demand(n > worker.account.lastTick, "\(name) makes tick \(n) after \(worker.account.lastTick)")
        demand(
            due < window.end && now >= due && (now < window.end || hasJustGoneOn(worker)),
            "\(name) makes tick \(n) at a wrong time")
        // It may have stood still between the tick and telling it.
        demand(late <= (now - due).seconds + 1e-6, "\(name) calls tick \(n) \(late) s late")
        demand(!isPunctual(worker) || late < 0.01, "\(name) makes tick \(n) \(late) s late")
        judgeEar(of: worker)
        worker.account.lastTick = n
        worker.account.ticks += 1
        worker.account.pulsesDue += 1
        demand(worker.account.pulses == worker.account.pulsesDue, "\(name) makes tick \(n) without a sound")
    }

    private func delivers(_ worker: PlayedWorker, _ by: CodeWord<Deliverer>, _ content: NotificationContent) {
        let name = "worker \(worker.number)"
        worker.account.deliveries += 1
        demand(worker.account.deliveries == 1, "\(name) delivers twice")
        demand(worker.account.ends == 0, "\(name) delivers after its end")
        if case .alert = worker.push.kind {
            guard let by = by.known else { return demand(false, "\(name) delivers by \(by)") }
            return judgeAlert(worker, by, content)
        }
        let isIntercepted = worker.account.passthrough == nil
        let isStopped = worker.account.stoppedAt != nil
        demand((by == .passthrough) == !isIntercepted, "\(name) delivers by \(by)")
        demand(by != .stopped || isStopped, "\(name) delivers by \(by), and nobody stopped it")
        demand(by != .expiry || now >= worker.deadline, "\(name) delivers by expiry before its time")
        demand(by != .crash, "\(name) delivers by crash")
        if by == .expiry || by == .stopped && worker.account.mode == nil { return }
        if case .request = worker.push.kind {
            // What passes without its extension, be it at the end of its time, is as it came.
            let isOriginal =
                by == .passthrough && !(worker.push.isVoIP && worker.account.isDecided && now < worker.deadline)
            if !isOriginal {
                demand(content.title == worker.push.title, "\(name) delivers the title \(content.title)")
                let level = worker.push.level ?? .active
                let wanted = worker.account.isToRing ? max(level, .timeSensitive) : level
                demand(content.interruptionLevel == wanted, "\(name) comes as \(content.interruptionLevel)")
            }
            demand(content.attachments.isEmpty != worker.account.hasPicture, "\(name) delivers without its picture")
        }
        let isLate = world.machine.bootTime - worker.noticeAt > .milliseconds(10)
        demand(!isLate || !isPunctual(worker), "\(name) delivers late")
    }

    private func ends(_ worker: PlayedWorker, _ ended: Event.Ended) {
        let name = "worker \(worker.number)"
        worker.account.ends += 1
        demand(worker.account.ends == 1, "\(name) ends twice")
        demand(worker.account.deliveries == 1, "\(name) ends before it delivered")
        guard let silentAt = worker.account.silentAt, let window = worker.account.window else {
            return demand(false, "\(name) ends and was not silent")
        }
        let reason = ended.reason.known
        worker.account.endedAs = reason
        switch reason {
        case .timeout, .expired, .stopped: worker.account.endsAsMissed = true
        case .hangup:
            worker.account.endsAsMissed = ![.answeredElsewhere, .declinedElsewhere].contains(ended.hangupReason?.known)
        case .answered, .declined, .foreground, nil: worker.account.endsAsMissed = false
        }
        note("ended \(reason.map { "\($0)" } ?? "?")")
        demand(ended.ticks == worker.account.ticks, "\(name) counts \(ended.ticks) ticks")
        expectLoudness(in: worker.push.group)
        let rang = (silentAt - window.start).seconds
        demand(
            ended.rang >= rang - 1e-6 && (ended.rang < rang + 0.102 || !isPunctual(worker)),
            "\(name) rang \(ended.rang) s")
        if isPunctual(worker) {
            let interval = world.plan.surroundings.interval.microseconds
            let due = ((silentAt - window.start).microseconds - 10_000) / interval
            demand(
                worker.account.ticks >= min(due, (window.end - window.start).microseconds / interval),
                "\(name) left out ticks")
        }
        if reason == .timeout || reason == .expired {
            demand(silentAt >= window.end || hasTwin(worker), "\(name) ends as \(ended.reason) before its time")
            demand(window.endsAs == (reason == .timeout ? .timeout : .expired), "\(name) ends as \(ended.reason)")
        }
        if let settled = worker.account.settled {
            let expected = EndReason(settled)
            var why: HangupReason?
            if case .hangup(let reason) = settled { why = reason }
            demand(reason == expected, "\(name) ends as \(ended.reason) instead of \(settled)")
            demand(ended.hangupReason?.known == why, "\(name) is hung up as \(String(describing: ended.hangupReason))")
        }
    }

    /// Whether another ring of the id of `worker` began in the same microsecond: then the end of one is taken for that
    /// of the other. It takes two workers that hear nothing of each other.
    private func hasTwin(_ worker: PlayedWorker) -> Bool {
        world.workers.contains {
            $0 !== worker && $0.push.group == worker.push.group && $0.push.id == worker.push.id
                && $0.account.window?.start == worker.account.window?.start
        }
    }

    private func misses(_ worker: PlayedWorker, _ content: NotificationContent) {
        let name = "worker \(worker.number)"
        note("missed")
        worker.account.missed += 1
        demand(worker.account.deliveries == 1, "\(name) misses before it delivered")
        demand(
            content.body == "Missed call" && content.title == worker.push.caller,
            "\(name) misses “\(content.title)”, “\(content.body)”"
        )
        demand(content.sound == nil && content.interruptionLevel == .active, "\(name): a missed call that sounds")
        demand(isMissed(worker) ?? true, "\(name) misses what was not missed")
    }

    /// Whether `worker` has to tell a missed call; nil if that cannot be told.
    private func isMissed(_ worker: PlayedWorker) -> Bool? {
        if let settled = worker.account.settled { return settled.isMissed }
        if let endsAsMissed = worker.account.endsAsMissed { return endsAsMissed }
        guard !worker.account.isSettled else { return nil }
        switch worker.account.verdict {
        case .silent(_, let missed)?: return missed
        case .busy?: return false
        case .ring?, nil: return nil
        }
    }

    // MARK: Its ring

    /// `worker` sounds in `mode`, as it has decided at `instant`.
    func sounds(_ worker: PlayedWorker, _ mode: RingMode, at instant: Instant) {
        let name = "worker \(worker.number)"
        worker.account.isHeard = true
        worker.account.pulses += 1
        demand(worker.account.mode == mode, "\(name) sounds \(mode)")
        demand(worker.account.silentAt == nil, "\(name) sounds after silence")
        judgeSound(of: worker, at: instant)
        let group = worker.push.group
        guard isSure[group] else { return }
        let rings = rules[group].rings(now: now)
        guard let index = rings.firstIndex(where: { $0.entry.worker === worker }) else { return }
        let expected = index == 0 ? RingMode.loud : world.plan.surroundings.secondCall
        guard expected != mode, worker.account.muting.isMuted == false else { return }
        // R10: it may be loud, or not any more, since a tick at most.
        let since = world.machine.time.now
        world.machine.time.after(world.plan.surroundings.interval.microseconds + Self.slack) { [self] in
            let rings = rules[group].rings(now: now)
            guard worker.account.isHeard, isSure[group], !isExcused(worker, since: since),
                worker.account.muting.isMuted == false,
                let index = rings.firstIndex(where: { $0.entry.worker === worker })
            else { return }
            let expected = index == 0 ? RingMode.loud : world.plan.surroundings.secondCall
            demand(worker.account.mode == expected || index == 0 && expected != .loud, "\(name) rings \(mode) for long")
        }
    }

    /// Whether `worker` stood still in the midst of what it does.
    func hasJustGoneOn(_ worker: PlayedWorker) -> Bool { worker.process.wentOn == world.machine.time.now }

    func silenced(_ worker: PlayedWorker) {
        guard worker.account.silentAt == nil else {
            return demand(false, "worker \(worker.number) falls silent twice")
        }
        worker.account.silentAt = now
        worker.account.sawFront = rules[worker.push.group].isInFront
        worker.account.isHeard = false
        guard worker.account.cause == nil, let window = worker.account.window, now >= window.end else { return }
        worker.account.cause = window.endsAs
    }

    /// Somebody asks at the ear of `worker`.
    func asked(_ worker: PlayedWorker, _ key: CallKey, _ ask: RingAsk) {
        world.story.tell("worker \(worker.number) is asked: \(ask) “\(key.text)”")
        note("asked at an ear")
        worker.account.muting.isHurried = true
        heardAtEars.insert(key.text)
        guard worker.account.isRinging, worker.account.cause == nil, key.text == worker.push.id,
            let window = worker.account.window
        else { return }
        guard now < window.end else { return worker.account.cause = window.endsAs }
        if ask != .look { crossesStranger(worker) }
        switch ask {
        case .look: return
        case .answer: worker.account.cause = .answered
        case .decline: worker.account.cause = .declined
        case .foreground: worker.account.cause = .foreground
        case .hangUp(let reason, let sentAt):
            let entry = rules[worker.push.group].entries[worker.push.id]
            // Before it judges when that was sent, it reads what the ledger says.
            if sentAt != nil, entry?.end != nil || rules[worker.push.group].isInFront {
                if isAnyoneDeciding { unsettle(worker.push.group, "whether it reads what is decided is not known") }
                return
            }
            guard !Rules.isLate(believed(sentAt), for: entry?.sentAt) else {
                return worker.account.lateHangup = ask
            }
            worker.account.cause = .hangup(reason)
        }
        worker.account.ask = ask
    }

    func answered(_ worker: PlayedWorker, _ answer: RingAnswer) {
        demand(answer.state == .ringing || !worker.account.isHeard, "worker \(worker.number) answers and is heard")
    }

    func toldToStop(_ worker: PlayedWorker) {
        if worker.account.stoppedAt == nil { worker.account.stoppedAt = now }
        worker.account.muting.isHurried = true
        crossesStranger(worker)
        guard worker.account.isRinging, worker.account.cause == nil else { return }
        worker.account.cause = .stopped
    }

    func closes(_ worker: PlayedWorker, as end: NotificationHost.End) {
        demand(!worker.account.hasClosed, "worker \(worker.number) ends its connection twice")
        guard worker.isAlive else { return }
        demand((end == .refused) == worker.account.isRejected, "worker \(worker.number) ends as \(end)")
        closesHangup(worker)
    }

    func left(_ worker: PlayedWorker) {
        let name = "worker \(worker.number)"
        worker.account.hasLeft = true
        if worker.account.isRejected { return }
        guard worker.account.isReceived else {
            return demand(worker.account.stoppedAt != nil, "\(name) leaves without a word")
        }
        demand(worker.account.deliveries == 1, "\(name) leaves without delivering")
        demand(worker.account.mode == nil || worker.account.ends == 1, "\(name) leaves a ring behind")
        demand(!worker.account.isHeard, "\(name) leaves a sound behind")
        // What is played of a fetcher, of an app's code and of the desktop is not its own.
        let played = ["picture", "code", "played desktop"]
        let sources = worker.process.sources.filter { $0.value > 0 && !played.contains($0.key) }
        demand(sources.isEmpty || !isPunctual(worker), "\(name) leaves \(sources) behind")
        judgeWarnings(worker)
        judgePicture(worker)
        guard let isMissed = isMissed(worker) else { return }
        demand(worker.account.missed == (isMissed ? 1 : 0), "\(name) told \(worker.account.missed) missed calls")
    }

    private static func words(of body: Event.Body) -> String {
        switch body {
        case .received(let received): "received \(received.type)\(received.why.map { ", \($0)" } ?? "")"
        case .ringing(let ringing): "rings \(ringing.mode) for \(ringing.duration) s"
        case .silent(_, let why): "is silent: \(why)"
        case .tick(let n, let late): "tick \(n)\(late < 0.01 ? "" : ", \(late) s late")"
        case .sound(let state, _): "sound \(state)"
        case .notification(let state, _): "notification \(state)"
        case .vibration(let state, _): "vibration \(state)"
        case .attachment(let attachment): "picture \(attachment.outcome)"
        case .delivered(let by, _): "delivers by \(by)"
        case .ended(let ended): "ends: \(ended.reason)\(ended.hangupReason.map { " (\($0))" } ?? "")"
        case .missed: "missed"
        case .warning(let code, let detail): "warning \(code): \(detail)"
        case .rejected(let reason, _): "rejected: \(reason)"
        case .extensionProcess, .asked, .unknown: "?"
        }
    }
}

extension Event.Body {
    /// Whether it is for the operator, who may hear it at any time.
    fileprivate var isWarning: Bool {
        if case .warning = self { true } else { false }
    }
}

extension PlayedPush {
    /// What its notification is headed with: a number takes no missing title's place but that of a missed call's.
    fileprivate var title: String { hasTitle && text != .missing || isNamed ? caller : "" }
}

extension EndReason {
    fileprivate init?(_ end: Rules.End) {
        switch end {
        case .hangup: self = .hangup
        case .answered: self = .answered
        case .declined: self = .declined
        case .foreground: self = .foreground
        case .timeout: self = .timeout
        case .expired: self = .expired
        case .stopped: self = .stopped
        case .missed: return nil
        }
    }
}
