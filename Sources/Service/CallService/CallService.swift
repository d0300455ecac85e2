import BelfryPictures
public import BelfryProtocol
public import BelfryTerms
import CallLedger
public import Interception
import Ringing
public import ServiceHost

/// The built-in extension: rings for a call request, hangs up for a hangup, and lets all else pass as it is.
public final class CallService: ServiceExtension {
    /// What becomes of a notification before anything of it is told.
    public enum Verdict: Sendable {
        /// It goes its way.
        case proceed
        /// So many calls ring that this one is refused.
        case busy(ringing: Int)
    }

    private enum Outcome {
        case nothing
        case ring(RingRequest, RingWindow, RingMode)
        case silent(SilenceReason, missed: Bool, isFlagUnowned: Bool)
    }

    private let push: Push
    private let world: any CallWorld
    private let settings: RingSettings
    private let budget: Budget
    private let finished: () -> Void

    private var outcome = Outcome.nothing
    private var isClockBad = false
    private var ring: RingDriver?
    private var isHangingUp = false
    private var isTellingMissed = false
    private let picture: PictureWait

    /// - Parameters:
    ///   - budget: by whose end a ring is over, and before whose last second a picture has to be there.
    ///   - finished: called whenever ``isBusy`` has become false.
    public init(
        push: Push, world: any CallWorld, settings: RingSettings, budget: Budget, finished: @escaping () -> Void
    ) {
        self.push = push
        self.world = world
        self.settings = settings
        self.budget = budget
        self.finished = finished
        picture = PictureWait(world: world)
    }

    /// Whether it rings, a hangup is on its way into the group file, or a missed call waits for its picture.
    public var isBusy: Bool { ring != nil || isHangingUp || isTellingMissed }

    /// Decides what becomes of a call request that may ring, once for all processes; of all else nothing.
    public func admit(_ decided: @escaping (Verdict) -> Void) {
        guard case .request(let call)? = push.call else { return decided(.proceed) }
        isClockBad = !RingWindow.isBelievable(sentAt: call.sentAt, at: world.wall)
        var request = RingRequest(key: CallKey(call.callID))
        request.name = call.callerName ?? ""
        request.handle = call.handle ?? ""
        request.hasVideo = call.hasVideo
        request.sentAt = isClockBad ? nil : call.sentAt
        let wanted = request
        world.transact { [self] ledger in
            decide(wanted, asked: call.duration, in: &ledger)
        } done: { [self] verdict, outcome in
            self.outcome = outcome
            decided(verdict)
        }
    }

    private func decide(_ request: RingRequest, asked: TimeSpan?, in ledger: inout Ledger) -> (Verdict, Outcome) {
        let window = RingWindow.of(
            duration: min(asked ?? settings.duration, settings.duration), sentAt: request.sentAt,
            expiration: push.envelope.expirationThatCounts, start: world.now, wall: world.wall, deadline: budget.end)
        let isFlagUnowned = ledger.foreground == .unowned
        let admission = ledger.admit(
            request, until: window?.end, secondCall: settings.secondCall, callsMax: settings.callsMax,
            owner: world.owner)
        switch (admission, window) {
        case (.ring(let mode, _), let window?): return (.proceed, .ring(request, window, mode))
        case (.ring, nil): preconditionFailure("a stale request was admitted")
        case (.silent(let why, let missed), _):
            return (.proceed, .silent(why, missed: missed, isFlagUnowned: isFlagUnowned && why == .foreground))
        case (.busy(let ringing), _): return (.busy(ringing: ringing), .nothing)
        }
    }

    /// Rings, or says why not (R5): after `received`, before the delivery.
    public func begin() {
        if isClockBad {
            let detail = "sentAt is over \(RingWindow.clockSkewMax.seconds) s in the future, and counts as absent"
            world.report(.warning(code: .badClock, detail: detail))
        }
        switch outcome {
        case .nothing: break
        case .ring(let request, let window, let mode):
            let ring = RingDriver(
                world: world, settings: settings, request: request, window: window,
                ending: { [weak self] in self?.picture.deliverNow(.ended, "the ring was over before it came") },
                over: { [weak self] in self?.ringIsOver($0) })
            self.ring = ring
            ring.begin(mode: mode)
            fetchPicture()
        case .silent(let why, let missed, let isFlagUnowned):
            world.report(.silent(call: push.call?.callID ?? "", why: why))
            beSilent(why, missed: missed)
            if isFlagUnowned { world.report(.foregroundUnowned) }
        }
    }

    /// Hangs up, whether or not the push was intercepted (R1); then calls `done`.
    public func hangUp(_ hangup: Hangup, done: @escaping () -> Void) {
        isHangingUp = true
        world.transact { ledger in
            _ = ledger.hangUp(CallKey(hangup.callID), reason: hangup.reason, sentAt: hangup.sentAt)
        } done: { [self] in
            isHangingUp = false
            done()
            finished()
        }
    }

    /// Calls `ready` with what is shown, once there is nothing to wait for any more (R4).
    public func prepareContent(_ ready: @escaping (NotificationContent) -> Void) {
        picture.beforeDelivery { [self] in ready(content) }
    }

    /// Tells `missed` for a request that did not ring, after its delivery.
    public func tellMissedIfSilent() {
        guard case .silent(_, missed: true, _) = outcome else { return }
        tellMissed()
    }

    /// Ends the wait for the picture because the worker has to go: before the host delivers its best attempt, unless
    /// the content was prepared for somebody else, who gets it now.
    public func forgetPicture(isDeliveredByHost: Bool) {
        picture.cancel(deliversAtOnce: !isDeliveredByHost)
    }

    /// Ends the ring because the worker has to go (R17).
    public func stop() {
        ring?.end(.stopped)
    }

    /// Hangs up where that is what it says; a call's content is handed over with its picture, or without it in time.
    public func didReceive(
        _ request: NotificationRequest, deadline: Instant,
        withContentHandler contentHandler: @escaping (NotificationContent) -> Void
    ) {
        switch push.call {
        case .hangup(let hangup)?: hangUp(hangup) { contentHandler(request.content) }
        case .request?, nil: prepareContent(contentHandler)
        }
    }

    /// Waits for the picture no longer.
    public func serviceExtensionTimeWillExpire() {
        picture.deliverNow(.timeout, "the budget is nearly over")
    }

    /// What the handler is called with.
    public var bestAttempt: NotificationContent? { content }

    /// What is shown: a ring's content is time-sensitive (R4), and the caller's name stands in for a missing title.
    public var content: NotificationContent {
        var content = push.request.content
        guard case .request(let call)? = push.call else { return content }
        if content.title.isEmpty { content.title = call.callerName ?? "" }
        if case .ring = outcome, content.interruptionLevel < .timeSensitive {
            content.interruptionLevel = .timeSensitive
        }
        if let attachment = picture.attachment { content.attachments.append(attachment) }
        return content
    }

    /// Who sees the notification sees the picture; nobody is asked for one of a call that was settled elsewhere.
    private func beSilent(_ why: SilenceReason, missed: Bool) {
        guard case .request(let call)? = push.call else { return }
        guard missed || why == .foreground else {
            return picture.forgo(call.callerAvatar, .ended, "the call does not ring here: \(why.rawValue)")
        }
        fetchPicture()
        if why == .hungUp { picture.deliverNow(.ended, "it was hung up before it came") }
    }

    private func fetchPicture() {
        guard case .request(let call)? = push.call else { return }
        picture.begin(call.callerAvatar, deadline: budget.willExpire)
    }

    private func ringIsOver(_ settlement: Settlement) {
        ring = nil
        if settlement.isMissed { tellMissed() }
        finished()
    }

    /// The picture may still come, within its own time: a missed call is shown with it.
    private func tellMissed() {
        guard case .request(let call)? = push.call else { return }
        isTellingMissed = true
        picture.beforeMissed { [self] in
            world.report(.missed(call: call.callID, content: MissedCall.content(of: call, from: content)))
            isTellingMissed = false
            finished()
        }
    }
}

/// What a missed call shows in place of its notification.
public enum MissedCall {
    /// The content of the notification `shown`, turned into that of a call that was missed.
    public static func content(of call: CallRequest, from shown: NotificationContent) -> NotificationContent {
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

extension Event.Body {
    /// What every call is told with that a flag silences which no process owns: an app that crashed may have left it.
    static let foregroundUnowned = Event.Body.warning(
        code: .foregroundUnowned,
        detail: "no process owns the word that the app is in front: belfry app background takes it back")
}

extension Envelope {
    /// When the push is past: 0 is "try once", which is not past (R9).
    var expirationThatCounts: WallTime? {
        guard let expiration, expiration.microseconds != 0 else { return nil }
        return expiration
    }
}
