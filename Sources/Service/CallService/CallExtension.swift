import BelfryEventLoop
import BelfryProtocol
import BelfryTerms
import CallChannel
import CallDirectory
import CallLedger
import GroupLedger
import Interception
import NotificationDelivery
import Ringing

/// The built-in extension for call requests: asks the ledger, rings or reports why not, and hands the content over with
/// the caller's picture, or in time without it.
final class CallExtension: ServiceExtension {
    /// What the ledger has decided.
    private enum Decision {
        /// The ledger was not asked yet.
        case none
        /// The caller is blocked: the ledger is not asked (R24).
        case blocked
        /// As many calls as may ring at once ring already.
        case refused(Rejection)
        /// The call rings, in this window and mode.
        case ring(RingRequest, RingWindow, RingMode)
        /// The call does not ring; `isFlagUnowned` if that is due to a flag which no process owns.
        case silent(SilenceReason, missed: Bool, isFlagUnowned: Bool)
        /// The call had to wait for its ring, and will not ring any more.
        case unrung(missed: Bool)
    }

    weak var delegate: (any ServiceExtensionDelegate)?
    private var call: CallRequest
    private let expiration: WallTime?
    private let isVoIP: Bool
    private let world: CallWorld
    private let settings: RingSettings
    /// When the push came, which may wait for its ring.
    private let cameAt: Instant
    /// Whether an app has reported the call.
    private var isReported = false
    /// The UUID by which that app knows it.
    private var uuid = ""
    /// Whether the app has named the number: then `belfry-calls` has looked it up.
    private var isNumberReported = false
    /// Who has the caller's number; nil if no source says.
    private var label: NumberLabel?
    /// What is wrong with sources of the call directory.
    private var damages: [String] = []

    private var decision = Decision.none
    /// Whether the request's `sentAt` was not believed (R9).
    private var isClockBad = false
    /// Whether the caller has called just before (R21).
    private var isRepeated = false
    private var request: NotificationRequest?
    /// The ring, from `didReceive` until it is over.
    private var ring: Ring?
    /// Whether a missed call waits for its picture.
    private var isReportingMissed = false
    /// Whether the ledger was asked to list a call that never rang.
    private var isMissing = false
    /// Whether nothing of the notification is shown.
    private var isWithheld = false
    private var isStopped = false
    /// Whether the notification was delivered.
    private var isEnded = false
    /// Whether the ledger was asked to name the picture.
    private var isIllustrated = false
    private let picture: PictureWait

    /// An extension for `call`; `expiration` is when the push becomes stale, as its envelope says.
    ///
    /// - Parameter isVoIP: whether no budget cuts its ring, since it came for an app (R7).
    init(_ call: CallRequest, expiration: WallTime?, isVoIP: Bool, world: CallWorld, settings: RingSettings) {
        self.call = call
        self.expiration = expiration
        self.isVoIP = isVoIP
        self.world = world
        cameAt = world.timers.now
        self.settings = settings
        picture = PictureWait(source: world.pictures, report: world.report)
    }

    /// Whether the call rings, or a missed call waits for its picture.
    var isBusy: Bool { ring != nil || isReportingMissed || isMissing }

    /// No budget cuts the ring of a voip push (R7).
    var ringMax: TimeSpan { isVoIP ? settings.duration : .zero }

    /// Whether the call rings.
    var isRinging: Bool { ring != nil }

    // MARK: Before anything is reported

    /// Asks the ledger, which decides for all processes, whether and how the call rings (R5, R8, R9, R10). A blocked
    /// caller is none of its concern (R24).
    func admit(within budget: Budget, _ decided: @escaping (ExtensionVerdict) -> Void) {
        if isBlocked() {
            decision = .blocked
            return decided(.admitted)
        }
        let wanted = wanted
        // Before the admission, so that every process that finds the ring in the ledger finds its ear.
        world.ledger.listen { [weak self] key, ask, answer in
            if let ring = self?.ring { ring.asked(key, ask, answer) } else { answer(nil) }
        }
        world.ledger.transact { [self] ledger in
            decide(wanted, within: budget, in: &ledger)
        } done: { [self] answer, _ in
            (decision, isClockBad, isRepeated) = (answer.decision, answer.isClockBad, answer.isRepeated)
            if case .ring = decision {} else { world.ledger.stopListening() }
            if case .refused(let rejection) = decision { decided(.refused(rejection)) } else { decided(.admitted) }
        }
    }

    /// Asks if there is a place for the call, and decides nothing else: the ledger stays as it is.
    func findPlace(within budget: Budget, _ decided: @escaping (ExtensionVerdict) -> Void) {
        let wanted = wanted
        world.ledger.transact { [self] ledger in
            var copy = ledger
            return decide(wanted, within: budget, in: &copy).decision
        } done: { decision, _ in
            if case .refused(let rejection) = decision { decided(.refused(rejection)) } else { decided(.admitted) }
        }
    }

    /// Looks the caller's number up, and returns if it is blocked (R24).
    private func isBlocked() -> Bool {
        guard !isNumberReported, !isReported || settings.looksUpAppCalls, let handle = call.handle else { return false }
        let verdict = world.lookUp(handle) { damages.append($0) }
        label = verdict.known
        return verdict.isBlocked
    }

    private var wanted: RingRequest {
        var request = RingRequest(key: CallKey(call.callID))
        request.name = call.callerName ?? ""
        request.handle = call.handle ?? ""
        request.hasVideo = call.hasVideo
        (request.isReported, request.uuid, request.label) = (isReported, uuid, label)
        return request
    }

    /// When its ring would begin and end, with `sentAt` as far as that is believed; nil for a stale request.
    private func window(sentAt: WallTime?, within budget: Budget?) -> RingWindow? {
        let now = world.timers.now
        return RingWindow.of(
            duration: min(call.duration ?? settings.duration, settings.duration), sentAt: sentAt,
            expiration: expiration, start: now, wall: world.wall(), deadline: budget?.end,
            waited: isVoIP ? now - cameAt : .zero)
    }

    /// The last instant at which the ring of a voip push would still be on.
    var lastInstant: Instant {
        let sentAt = call.sentAt.flatMap { $0.isBelievable(at: world.wall()) ? $0 : nil }
        return window(sentAt: sentAt, within: nil)?.end ?? world.timers.now
    }

    private struct Answer {
        let decision: Decision
        let isClockBad: Bool
        let isRepeated: Bool
    }

    private func decide(_ request: RingRequest, within budget: Budget, in ledger: inout Ledger) -> Answer {
        var request = request
        request.sentAt = ledger.believed(call.sentAt)
        let window = window(sentAt: request.sentAt, within: isVoIP ? nil : budget)
        let isFlagUnowned = ledger.foreground == .unowned
        let isRepeated = ledger.hasCalled(request.handle, within: settings.repeatedWithin)
        let admission = ledger.admit(
            request, until: window?.end, secondCall: settings.secondCall, callsMax: settings.callsMax,
            owner: world.ledger.owner)
        let decision: Decision
        switch (admission, window) {
        case (.ring(let mode), let window?):
            request.since = ledger.call(request.key)?.since
            decision = .ring(request, window, mode)
        // A stale request has no window, so the ledger got no end for it, and admits no ring without one.
        case (.ring, nil): preconditionFailure("a stale request was admitted")
        case (.silent(let why, let missed), _):
            decision = .silent(why, missed: missed, isFlagUnowned: isFlagUnowned && why == .foreground)
        case (.busy(let ringing), _):
            let detail = "\(ringing) calls ring already: [Ring] MaxCalls= allows no more"
            decision = .refused(Rejection(.busy, detail: detail))
        }
        return Answer(
            decision: decision, isClockBad: call.sentAt != nil && request.sentAt == nil, isRepeated: isRepeated)
    }

    // MARK: The notification

    /// Rings, or reports why not (R4, R5). The content follows once there is no picture to wait for.
    func didReceive(_ request: NotificationRequest, within budget: Budget) {
        self.request = request
        for damage in damages { world.report(.warning(code: .directoryDamaged, detail: damage)) }
        if isClockBad {
            let detail = "sentAt is over \(WallTime.clockSkewMax.seconds) s in the future, and counts as absent"
            world.report(.warning(code: .badClock, detail: detail))
        }
        switch decision {
        // The delivery calls this only after the verdict that it is admitted.
        case .none, .refused, .unrung: preconditionFailure("a call request that nobody admitted")
        case .blocked:
            isWithheld = true
            world.report(.silent(call: call.callID, why: .blocked, label: label))
            picture.skip(call.callerAvatar, .ended, "the caller is blocked")
        case .ring(let ringRequest, let window, let mode):
            let ring = Ring(
                world: world, settings: settings, request: ringRequest, window: window,
                passesMutes: isRepeated || request.content.breaksThrough,
                ending: { [weak self] in self?.picture.deliverNow(.ended, "the ring was over before it came") },
                over: { [weak self] in self?.ringIsOver($0) })
            self.ring = ring
            if isQuiet { ring.mute(.quietHours, true) }
            // The ring comes first: no picture delays it (R4).
            ring.begin(mode: mode)
            picture.begin(call.callerAvatar, until: budget.willExpire)
        case .silent(let why, let missed, let isFlagUnowned):
            world.report(.silent(call: call.callID, why: why, label: label))
            beSilent(why, missed: missed, until: budget.willExpire)
            if isFlagUnowned { world.report(.foregroundUnowned) }
        }
        picture.beforeDelivery { [weak self] in self?.handOver() }
    }

    /// Whether these are the operator's quiet hours (R21).
    private var isQuiet: Bool {
        !settings.quietHours.isEmpty && settings.quietHours.contains(minute: world.minuteOfDay())
    }

    /// Fetches the picture if the person will see the notification or the missed call. Otherwise the call rings, or was
    /// settled, elsewhere, and no server is asked.
    private func beSilent(_ why: SilenceReason, missed: Bool, until deadline: Instant) {
        guard missed || why == .foreground else {
            return picture.skip(call.callerAvatar, .ended, "the call does not ring here: \(why.rawValue)")
        }
        picture.begin(call.callerAvatar, until: deadline)
        if why == .hungUp { picture.deliverNow(.ended, "it was hung up before it came") }
    }

    /// Hands the content over without waiting for the picture any longer.
    func serviceExtensionTimeWillExpire() {
        picture.deliverNow(.timeout, "the budget is nearly over")
    }

    /// Hands the content over without waiting for the picture, and ends the ring (R17).
    func stop() {
        isStopped = true
        picture.cancel()
        ring?.end(.stopped)
    }

    /// Reports a request that did not ring as missed, since `missed` comes after the delivery (R11).
    func end() {
        isEnded = true
        picture.forgetDelivery()
        switch decision {
        case .silent(_, missed: true, _), .unrung(missed: true): reportMissed()
        case .none, .blocked, .refused, .ring, .silent, .unrung: break
        }
    }

    private func handOver() {
        guard !isWithheld else { return delegate?.extensionWithheld(content) ?? () }
        delegate?.extensionHandedOver(content)
        if ring != nil, let picture = picture.attachment {
            isIllustrated = true
            world.ledger.illustrate(CallKey(call.callID), with: picture.path) {}
        }
    }

    /// What is delivered: the content of a ring is time-sensitive (R4), and the caller's name replaces a missing title.
    private var content: NotificationContent {
        guard var content = request?.content else { preconditionFailure("content of a request that never came") }
        // An app knows better who calls than the push of its server.
        if content.title.isEmpty || isReported { content.title = call.callerName ?? content.title }
        if content.title.isEmpty { content.title = label?.title ?? "" }
        if case .ring = decision, content.interruptionLevel < .timeSensitive {
            content.interruptionLevel = .timeSensitive
        }
        if let attachment = picture.attachment { content.attachments.append(attachment) }
        return content
    }

    // MARK: As an app says

    /// Takes who calls from an app's report: for the ring to come, or for the one that is on.
    func describe(_ caller: ReportedCaller) {
        let (before, wasReported) = (Event.Caller(of: call, label), isReported)
        isReported = true
        if let handle = caller.handle {
            isNumberReported = true
            if handle != call.handle || caller.label != nil { label = caller.label }
        }
        call.take(caller)
        let isNamed = caller.uuid.map { $0.text != uuid } ?? false
        if let known = caller.uuid { uuid = known.text }
        let event = Event.Caller(of: call, label)
        if event != before {
            world.report(.caller(event))
        } else if wasReported, !isNamed {
            return
        }
        ring?.describe(wanted)
    }

    /// Ends the ring as the app asks for. Does nothing if it does not ring.
    func end(_ end: RingEnd) {
        guard let ring else { return }
        let key = CallKey(call.callID)
        switch end {
        case .answer: ring.asked(key, .answer()) { _ in }
        case .decline: ring.asked(key, .decline) { _ in }
        case .hangUp(let reason): ring.asked(key, .hangUp(reason, sentAt: nil)) { _ in }
        case .timeOut: ring.end(.timeout)
        }
    }

    /// Ends the ring, since nobody is left who could take an answer.
    func stopRing() { ring?.end(.stopped) }

    /// Takes the notification of a call that will not ring any more, which waited for that: reports it as silent,
    /// unless `why` is nil, and as missed for `reason` if there is one. `known` says who has the number that an app has
    /// reported, if that is why.
    func didNotRing(
        _ request: NotificationRequest, why: SilenceReason?, missed reason: MissedReason?, until deadline: Instant,
        known: NumberLabel? = nil
    ) {
        self.request = request
        isMissing = true
        isWithheld = why == .blocked
        label = known ?? label
        let (wanted, owner, sentAt) = (wanted, world.ledger.owner, call.sentAt)
        world.ledger.transact { ledger in
            var request = wanted
            request.sentAt = sentAt
            return reason.map { ledger.miss(request, for: $0, owner: owner) } ?? false
        } done: { [self] isMissed, _ in
            isMissing = false
            decision = .unrung(missed: isMissed)
            if let why { world.report(.silent(call: call.callID, why: why, label: label)) }
            guard !isEnded else { return end() }
            if isMissed, why != nil, !isStopped {
                picture.begin(call.callerAvatar, until: deadline)
            } else {
                picture.skip(call.callerAvatar, .ended, "the call does not ring here")
            }
            picture.beforeDelivery { [weak self] in self?.handOver() }
        }
    }

    // MARK: After the ring

    private func ringIsOver(_ settlement: Settlement) {
        ring = nil
        world.ledger.stopListening()
        if settlement.isMissed { reportMissed() } else { picture.cancel() }
        delegate?.extensionIsIdle()
    }

    /// Reports the missed call, once its picture is here or cannot be had in time.
    private func reportMissed() {
        isReportingMissed = true
        picture.beforeMissed { [weak self] in
            guard let self else { return }
            world.report(
                .missed(call: call.callID, content: MissedCall.content(of: call, from: content), label: label))
            // A picture that came after the ring is not in the ledger yet.
            guard !isIllustrated, let picture = picture.attachment else { return recordReport() }
            world.ledger.illustrate(CallKey(call.callID), with: picture.path) { [self] in recordReport() }
        }
    }

    /// Records that the missed call was reported. If this process is killed before, others report the call (R12).
    private func recordReport() {
        let (key, owner) = (CallKey(call.callID), world.ledger.owner)
        world.ledger.transactOnOwnRing {
            $0.reported(key, owner: owner)
        } done: { [self] _, _ in
            isReportingMissed = false
            delegate?.extensionIsIdle()
        }
    }
}

extension CallRequest {
    /// The most bytes of a name or a handle that an app reports: as many as a push may have.
    private static let reportedBytesMax = 4_096

    /// Takes what an app says of the caller; of what it does not say, the push's counts.
    fileprivate mutating func take(_ caller: ReportedCaller) {
        if let name = caller.name { callerName = Self.cut(name) }
        if let handle = caller.handle { self.handle = Self.cut(handle) }
        if let hasVideo = caller.hasVideo { self.hasVideo = hasVideo }
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > reportedBytesMax else { return text }
        return String(decoding: text.utf8.prefix(reportedBytesMax), as: UTF8.self)
    }
}

extension Event.Caller {
    fileprivate init(of call: CallRequest, _ label: NumberLabel?) {
        self.init(
            call: call.callID, name: call.callerName ?? "", handle: call.handle ?? "", hasVideo: call.hasVideo)
        self.label = label
    }
}

extension Event.Body {
    /// Reported for every call that is silenced by a flag which no process owns: an app that crashed may have left it.
    static let foregroundUnowned = Event.Body.warning(
        code: .foregroundUnowned,
        detail: "no process owns the word that the app is in front: belfry app background takes it back")
}

/// What a missed call shows instead of its notification.
public enum MissedCall {
    /// The content of `shown`, the call's notification, turned into that of the missed call.
    static func content(of call: CallRequest, from shown: NotificationContent) -> NotificationContent {
        var content = shown
        if content.title.isEmpty { content.title = call.handle ?? "" }
        content.body = body(hasVideo: call.hasVideo)
        content.sound = nil
        content.interruptionLevel = .active
        return content
    }

    /// The text of a missed call.
    public static func body(hasVideo: Bool) -> String {
        hasVideo ? "Missed video call" : "Missed call"
    }
}
