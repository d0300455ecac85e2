import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import CallLedger
import Interception
import Support

/// What a worker is to do in a run that nothing disturbs.
struct Expectation {
    /// R1: why its push is not intercepted.
    var passthrough: PassthroughReason?
    /// What becomes of its request; nil before that is decided.
    var verdict: Model.Verdict?
    /// What ended its ring, if it was told, and what it was asked; a hangup that is too late to end its ring; what is
    /// known of its end by others; and what it comes to.
    var cause: Model.End?
    var ask: RingAsk?
    var lateHangup: RingAsk?
    var known: Model.End?
    var settled: Model.End?
    /// Whether it does not ring, or no longer, because of a flag that nobody owns.
    var isFlagUnowned = false
    var hasPicture = false
    var isPictureTold = false
    /// What its code has done first: handed over content with or without text, or died.
    var handedOver: Bool??
}

/// What every worker does in a run that nothing disturbs, event by event.
extension Oracle {
    /// `worker` has admitted its request, or hung up.
    func decides(_ worker: PlayedWorker) {
        let (push, group, sentAt) = (worker.push, worker.push.group, believed(worker.sentAt))
        if case .hangup(let reason) = push.kind {
            note("hangup in the ledger")
            expectSilence(of: push.id, in: group)
            return models[group].hangUp(push.id, reason, sentAt: sentAt, now: now)
        }
        let request = Model.Request(worker: worker, sentAt: sentAt, until: worker.account.window?.end)
        let verdict = models[group].admit(request, now: now)
        note("\(verdict)")
        world.story.tell("worker \(worker.number) decides: \(verdict)")
        worker.expected.verdict = verdict
        worker.expected.isFlagUnowned =
            verdict == .silent(.foreground, missed: false) && models[group].isFlagUnowned
    }

    func hangsUpLate(_ worker: PlayedWorker) {
        worker.expected.lateHangup.map { models[worker.push.group].carryOut($0, of: worker, now: now) }
        worker.expected.lateHangup = nil
    }

    func isAsked(_ worker: PlayedWorker, _ key: String, _ ask: RingAsk) {
        let model = models[worker.push.group]
        let entry = model.entries[worker.push.id]
        guard worker.account.isRinging, worker.expected.cause == nil, key == worker.push.id,
            let window = worker.account.window
        else { return }
        guard now < window.end else { return worker.expected.cause = window.endsAs }
        var (ask, end) = (ask, CallState.foreground)
        var why: HangupReason?
        switch ask {
        case .look, .silence: return
        case .foreground: break
        case .answer: end = .answered
        case .decline: end = .declined
        case .hangUp(let reason, let sentAt):
            // Before it judges when that was sent, it reads what the ledger says.
            if sentAt != nil, entry?.end != nil || model.isInFront { return }
            (end, why, ask) = (.hangup, reason, .hangUp(reason, sentAt: believed(sentAt)))
            guard !Model.isLate(believed(sentAt), for: entry?.sentAt) else {
                return worker.expected.lateHangup = ask
            }
        }
        worker.expected.cause = Model.End(state: end, reason: why)
        worker.expected.ask = ask
    }

    func isSilenced(_ worker: PlayedWorker) {
        guard worker.expected.cause == nil, let window = worker.account.window else { return }
        if now >= window.end { return worker.expected.cause = window.endsAs }
        if models[worker.push.group].isInFront { worker.expected.cause = Model.End(state: .foreground) }
    }

    func settles(_ worker: PlayedWorker) {
        let group = worker.push.group
        if let ask = worker.expected.ask { models[group].carryOut(ask, of: worker, now: now, hasEnded: true) }
        guard let cause = worker.expected.known ?? worker.expected.cause else {
            return demand(false, worker, "ends its ring for no reason")
        }
        let settled = models[group].settle(worker, as: cause, now: now)
        worker.expected.settled = settled
        worker.expected.isFlagUnowned = settled.state == .foreground && models[group].isFlagUnowned
    }

    func compare(_ ledger: Ledger, _ missed: [PropertyListDictionary], group: Int) {
        models[group].open(now: now)
        let model = models[group]
        for key in Set(ledger.calls.map(\.key.text)).union(model.entries.keys) {
            let call = ledger.call(CallKey(key))
            compare(call, of: key, group: group)
            let isListed = missed.contains {
                $0["callId"] == .string(key) && $0["since"] == call.map { .integer($0.since.microseconds) }
            }
            let isDue = model.entries[key]?.isListed ?? false
            demand(isListed == isDue || missed.count == Ledger.missedMax, "“\(key)” is listed as missed: \(isListed)")
        }
        // R9: nothing is remembered with a time that cannot be, of which nobody would hear until that has come.
        let latest = world.machine.wall.unixSeconds + 61
        let calls = ledger.root["calls"]?.dictionaryValue ?? [:]
        let isAhead = calls.keys.contains { key in
            guard case .real(let seconds)? = calls[key]?.dictionaryValue?["hangupSentAt"] else { return false }
            return seconds > latest
        }
        demand(!isAhead, "a hangup is remembered with a time to come")
        let (waiting, expected) = (ledger.answers.map(\.key.text), model.answers.filter { $0.until > now }.map(\.key))
        demand(waiting == expected, "answers to \(waiting) wait instead of \(expected)")
        demand((ledger.foreground != .background) == model.isInFront, "the app is \(ledger.foreground)")
        let (rings, order) = (ledger.rings.map(\.key.text), model.rings(now: now).compactMap(\.worker?.push.id))
        demand(rings == order, "\(rings) ring instead of \(order)")
    }

    func compare(_ call: Call?, of key: String, group: Int) {
        func text(_ end: Model.End, _ until: Instant, _ sent: [WallTime?], _ owner: Owner?) -> String {
            let sent = sent.map { $0.map { "\($0.microseconds - Machine.wallAtStart)" } ?? "?" }
            return "\(end) until \(until.microseconds) of \(owner?.pid ?? 0), sent \(sent[0]), hung up \(sent[1])"
        }
        let found = call.map {
            let end = Model.End(state: $0.state, reason: $0.state == .hangup ? $0.hangupReason : nil)
            return text(end, $0.until, [$0.sentAt, $0.hangupSentAt], $0.owner)
        }
        let expected = models[group].entries[key].map {
            let end = $0.end ?? Model.End(state: .ringing)
            return text(end, $0.until, [$0.sentAt, $0.hangupSentAt], $0.worker?.process.owner)
        }
        demand(found == expected, "of “\(key)” the ledger says \(found ?? "nothing"), not \(expected ?? "nothing")")
    }

    /// R7: the rings of `key`, all if that is empty, end by what has just been decided, or because the app is in front
    /// and stays there: each is silent at once, or at its next tick if nobody asks it and no notice comes.
    func expectSilence(of key: String, in group: Int, byFront: Bool = false, isTold: Bool = true) {
        let since = now
        for ring in models[group].rings(now: now) where key.isEmpty || ring.worker?.push.id == key {
            guard let worker = ring.worker else { continue }
            // Who began to ring while others were asked at their ears, which takes a tenth of a second, was not.
            let isFresh = now - (worker.account.window?.start ?? now) <= .milliseconds(200)
            let delay = isTold && !isFresh ? 0 : interval.microseconds
            world.machine.time.after(delay + Self.slack) { [self] in
                let isDue =
                    byFront
                    ? models[group].isInFront && models[group].frontSince == since
                    : models[group].entries[worker.push.id]?.endedAt == since
                demand(!isDue || !worker.account.isHeard, worker, "rings on after its end")
            }
        }
    }

    /// R10: a ring of `group` has ended: the oldest that is left is loud as soon as it hears of that.
    private func expectLoudness(in group: Int) {
        guard let worker = models[group].rings(now: now).first?.worker, worker.account.mode != nil else { return }
        let delay = world.plan.surroundings.noticesLost == 0 ? 0 : interval.microseconds
        world.machine.time.after(delay + Self.slack) { [self] in
            guard worker.account.isHeard, let window = worker.account.window, now - window.start > .milliseconds(200),
                models[group].rings(now: now).first?.worker === worker
            else { return }
            demand(worker.account.mode == .loud, worker, "is the oldest, and not loud")
        }
    }

    func isToReport(_ body: Event.Body, _ worker: PlayedWorker) {
        let expected = worker.expected
        switch body {
        case .received(let received):
            demand(received.why?.known == expected.passthrough, worker, "is intercepted, or not, out of turn")
        case .rejected: demand(expected.verdict == .busy, worker, "is busy")
        case .ringing(let ringing): isToRing(worker, ringing)
        case .silent(_, let why, _):
            if why == .notIntercepted { return demand(!isIntercepted(worker), worker, "is not intercepted") }
            guard case .silent(let due, _)? = expected.verdict, why.known == due else {
                return demand(false, worker, "is silent, \(why), instead of \(String(describing: expected.verdict))")
            }
        case .tick(let n, let late): demand(late < 0.01, worker, "makes tick \(n) \(late) s late")
        case .delivered(let by, let content, _):
            if case .alert = worker.push.kind { return isToDeliverAlert(worker, by.known, content) }
            isToDeliver(worker, by.known, content)
        case .ended(let ended): isToEnd(worker, ended)
        case .missed(_, let content, _):
            demand(content.body == "Missed call" && content.title == worker.push.caller, worker, "misses \(content)")
            demand(content.sound == nil && content.interruptionLevel == .active, worker, "misses a call that sounds")
        case .attachment(let attachment):
            demand(worker.push.picture != nil && !expected.isPictureTold, worker, "tells of a picture")
            worker.expected.isPictureTold = true
            if case .attached = attachment.outcome { worker.expected.hasPicture = true }
        default: break
        }
    }

    /// Whether an extension of ours gets it: a call in a voip push rings although it is not intercepted.
    private func isIntercepted(_ worker: PlayedWorker) -> Bool {
        [nil, .voip].contains(worker.expected.passthrough)
    }

    /// R4: a call rings at once, as the rules say or, if it is the oldest by then, loud.
    private func isToRing(_ worker: PlayedWorker, _ ringing: Event.Ringing) {
        let mode = ringing.mode.known
        demand(ringing.sound == "\(ringing.mode) sound", worker, "names the sound \(ringing.sound)")
        guard worker.account.pulses == 0, let window = worker.account.window else { return }
        guard case .ring(let due)? = worker.expected.verdict else {
            return demand(false, worker, "rings, and is to be silent")
        }
        let isOldest = models[worker.push.group].rings(now: now).first?.worker === worker
        demand(mode == due || mode == .loud && isOldest, worker, "rings \(ringing.mode) instead of \(due)")
        demand(now - window.start <= TimeSpan(microseconds: Self.slack), worker, "does not ring at once")
    }

    private func isToDeliver(_ worker: PlayedWorker, _ by: Deliverer?, _ content: NotificationContent) {
        let (expected, push) = (worker.expected, worker.push)
        demand((by == .passthrough) == (expected.passthrough != nil), worker, "delivers by \(String(describing: by))")
        demand(by != .stopped || worker.account.stoppedAt != nil, worker, "delivers as if it was stopped")
        demand(by != .expiry || now >= worker.deadline, worker, "delivers by expiry before its time")
        demand(by != .crash && now - worker.noticeAt <= .milliseconds(10), worker, "delivers late")
        guard case .request = push.kind, by != .expiry, by != .stopped || worker.account.mode != nil,
            by != .passthrough || push.isVoIP && worker.account.decidedAt != nil && now < worker.deadline
        else { return }
        demand(content.title == push.title, worker, "delivers the title \(content.title)")
        let isToRing: Bool = if case .ring? = expected.verdict { true } else { false }
        let level = max(push.level ?? .active, isToRing ? .timeSensitive : .passive)
        demand(content.interruptionLevel == level, worker, "comes as \(content.interruptionLevel)")
        demand(content.attachments.isEmpty != expected.hasPicture, worker, "delivers without its picture")
    }

    private func isToEnd(_ worker: PlayedWorker, _ ended: Event.Ended) {
        expectLoudness(in: worker.push.group)
        guard let settled = worker.expected.settled, let silentAt = worker.account.silentAt,
            let start = worker.account.window?.start
        else { return demand(false, worker, "ends and has not settled that") }
        let isSettled = ended.reason.known?.rawValue == settled.state.rawValue
        demand(isSettled && ended.hangupReason?.known == settled.reason, worker, "ends otherwise than \(settled)")
        demand(ended.rang < (silentAt - start).seconds + 0.102, worker, "rang \(ended.rang) s")
        let rang = (silentAt - start).microseconds - 10_000
        demand(worker.account.ticks >= rang / interval.microseconds, worker, "left out ticks")
    }

    func isToLeave(_ worker: PlayedWorker) {
        let (expected, account) = (worker.expected, worker.account)
        // What is played of a fetcher and of an app's code is not its own.
        let sources = worker.process.sources.filter { $0.value > 0 && !["picture", "code"].contains($0.key) }
        demand(sources.isEmpty, worker, "leaves \(sources) behind")
        var isMissed = expected.settled?.isMissed ?? false
        if case .silent(_, missed: true)? = expected.verdict { isMissed = true }
        demand(account.missed == (isMissed ? 1 : 0), worker, "told \(account.missed) missed calls")
        let isClockBad = worker.push.sentAt != nil && believed(worker.sentAt) == nil && expected.verdict != nil
        let isUnasked = worker.push.isHangup && !isIntercepted(worker)
        let isDue: [WarningCode: Bool] = [
            .hangupNotIntercepted: isUnasked, .badClock: isClockBad, .foregroundUnowned: expected.isFlagUnowned,
            .noCallID: worker.isUnnamed,
        ]
        let isWrong = isDue.contains { (account.warnings[$0] != nil) != $1 }
        demand(!isWrong, worker, "warns of \(account.warnings.keys) instead of \(isDue)")
        let isPictureDue = worker.push.picture != nil && isIntercepted(worker)
        demand(!isPictureDue || expected.isPictureTold, worker, "tells nothing of its picture")
    }

    /// R1: the first condition that fails; nil if an extension runs.
    func passthrough(of push: PlayedPush, arrivedAt wall: WallTime) -> PassthroughReason? {
        let isStale = push.expiration.map { $0 != 0 && world.wallTime($0) < wall } ?? false
        if case .alert = push.kind, isStale { return .expired }
        if push.isVoIP { return .voip }
        if push.isBackground { return .background }
        if !push.isMutable { return .noMutableContent }
        return push.hasText ? nil : .noAlertText
    }

    /// R2: the first call counts; nil if the code dies.
    func codeHandsOver(_ hasText: Bool?, _ worker: PlayedWorker) {
        note(hasText == nil ? "own code dies" : "own code replies")
        if worker.expected.handedOver == nil { worker.expected.handedOver = .some(hasText) }
    }

    /// R3: one second before the end, or half-way through a budget under two seconds, and only if it has not replied.
    func codeIsWarned(_ worker: PlayedWorker) {
        note("own code is warned")
        let isDue = worker.account.deliveries == 0 && worker.account.stoppedAt == nil && now >= worker.noticeAt
        demand(isDue, worker, "warns its code in vain, or too early")
    }

    /// R2, R3, R17: what its code handed over, or the original if that has no text, if it died, or at the end of the
    /// budget or of the second after a stop.
    private func isToDeliverAlert(_ worker: PlayedWorker, _ by: Deliverer?, _ content: NotificationContent) {
        let (handedOver, stoppedAt) = (worker.expected.handedOver, worker.account.stoppedAt)
        var due = worker.expected.passthrough == nil ? Deliverer.extension : .passthrough
        if due == .extension, worker.push.code != nil {
            let until = stoppedAt.map { min($0 + .seconds(1), worker.deadline) } ?? worker.deadline
            let isOnTime = now >= until && now <= until + .milliseconds(10)
            demand(handedOver != nil || isOnTime, worker, "delivers too early, or late")
            let unstopped = handedOver == nil ? Deliverer.expiry : handedOver == .some(nil) ? .crash : .extension
            due = stoppedAt == nil ? unstopped : .stopped
        }
        note("alert delivered by \(due)")
        demand(by == due, worker, "delivers by \(String(describing: by)) instead of \(due)")
        let texts = [handedOver == true ? "changed" : "", worker.push.hasText ? "mail" : ""]
        demand([content.title, content.body] == texts, worker, "delivers \(content)")
    }
}
