import BelfryEventLoop
import BelfryProtocol
import BelfryTerms
import CallLedger
import Interception
import Ringing
import ServiceHost

/// The built-in extension for call requests: asks the ledger, rings or says why not, and hands the content over with
/// the caller's picture, or without it in time.
final class CallExtension: ServiceExtension {
    /// What the ledger has decided.
    private enum Decision {
        /// Nothing yet.
        case none
        /// As many calls ring as may.
        case refused(Rejection)
        case ring(RingRequest, RingWindow, RingMode)
        case silent(SilenceReason, missed: Bool, isFlagUnowned: Bool)
    }

    weak var host: (any ServiceExtensionHost)?
    private let call: CallRequest
    private let expiration: WallTime?
    private let world: CallWorld
    private let settings: RingSettings

    private var decision = Decision.none
    private var isClockBad = false
    private var request: NotificationRequest?
    private var ring: Ring?
    private var isReportingMissed = false
    private let picture: PictureWait

    /// - Parameter expiration: when the push was to be dropped, as its envelope says.
    init(_ call: CallRequest, expiration: WallTime?, world: CallWorld, settings: RingSettings) {
        self.call = call
        self.expiration = expiration
        self.world = world
        self.settings = settings
        picture = PictureWait(source: world.pictures, report: world.report)
    }

    /// Whether it rings, or a missed call waits for its picture.
    var isBusy: Bool { ring != nil || isReportingMissed }

    // MARK: Asked before anything is told

    /// Asks the ledger, once for all processes, whether and how the call rings (R5, R8, R9, R10).
    func admit(within budget: Budget, _ decided: @escaping (ExtensionVerdict) -> Void) {
        var request = RingRequest(key: CallKey(call.callID))
        request.name = call.callerName ?? ""
        request.handle = call.handle ?? ""
        request.hasVideo = call.hasVideo
        let wanted = request
        world.ledger.transact { [self] ledger in
            decide(wanted, deadline: budget.end, in: &ledger)
        } done: { [self] answer in
            (decision, isClockBad) = (answer.decision, answer.isClockBad)
            if case .refused(let rejection) = decision { decided(.refused(rejection)) } else { decided(.admitted) }
        }
    }

    private struct Answer {
        let decision: Decision
        let isClockBad: Bool
    }

    private func decide(_ request: RingRequest, deadline: Instant, in ledger: inout Ledger) -> Answer {
        var request = request
        request.sentAt = ledger.believed(call.sentAt)
        let window = RingWindow.of(
            duration: min(call.duration ?? settings.duration, settings.duration), sentAt: request.sentAt,
            expiration: expiration, start: world.timers.now, wall: world.wall(), deadline: deadline)
        let isFlagUnowned = ledger.foreground == .unowned
        let admission = ledger.admit(
            request, until: window?.end, secondCall: settings.secondCall, callsMax: settings.callsMax,
            owner: world.ledger.owner)
        let decision: Decision
        switch (admission, window) {
        case (.ring(let mode), let window?): decision = .ring(request, window, mode)
        // The ledger is told of a stale request by the missing end.
        case (.ring, nil): preconditionFailure("a stale request was admitted")
        case (.silent(let why, let missed), _):
            decision = .silent(why, missed: missed, isFlagUnowned: isFlagUnowned && why == .foreground)
        case (.busy(let ringing), _):
            let detail = "\(ringing) calls ring already: [Ring] MaxCalls= allows no more"
            decision = .refused(Rejection(.busy, detail: detail))
        }
        return Answer(decision: decision, isClockBad: call.sentAt != nil && request.sentAt == nil)
    }

    // MARK: The notification

    /// Rings, or says why not (R4, R5); the content follows once there is no picture to wait for.
    func didReceive(_ request: NotificationRequest, within budget: Budget) {
        self.request = request
        if isClockBad {
            let detail = "sentAt is over \(WallTime.clockSkewMax.seconds) s in the future, and counts as absent"
            world.report(.warning(code: .badClock, detail: detail))
        }
        switch decision {
        // The host calls this only after the verdict that it is admitted.
        case .none, .refused: preconditionFailure("a call request that nobody admitted")
        case .ring(let request, let window, let mode):
            let ring = Ring(
                world: world, settings: settings, request: request, window: window,
                ending: { [weak self] in self?.picture.deliverNow(.ended, "the ring was over before it came") },
                over: { [weak self] in self?.ringIsOver($0) })
            self.ring = ring
            ring.begin(mode: mode)
            picture.begin(call.callerAvatar, until: budget.willExpire)
        case .silent(let why, let missed, let isFlagUnowned):
            world.report(.silent(call: call.callID, why: why))
            beSilent(why, missed: missed, until: budget.willExpire)
            if isFlagUnowned { world.report(.foregroundUnowned) }
        }
        picture.beforeDelivery { [weak self] in self?.handOver() }
    }

    /// Who sees the notification sees the picture; nobody is asked for one of a call that was settled elsewhere.
    private func beSilent(_ why: SilenceReason, missed: Bool, until deadline: Instant) {
        guard missed || why == .foreground else {
            return picture.skip(call.callerAvatar, .ended, "the call does not ring here: \(why.rawValue)")
        }
        picture.begin(call.callerAvatar, until: deadline)
        if why == .hungUp { picture.deliverNow(.ended, "it was hung up before it came") }
    }

    /// Waits for the picture no longer.
    func serviceExtensionTimeWillExpire() {
        picture.deliverNow(.timeout, "the budget is nearly over")
    }

    func stop() {
        picture.cancel()
        ring?.end(.stopped)
    }

    /// A request that did not ring is told as missed after its delivery (R11).
    func end() {
        picture.forgetDelivery()
        if case .silent(_, missed: true, _) = decision { reportMissed() }
    }

    private func handOver() {
        host?.extensionHandedOver(content)
    }

    /// What is shown: a ring's content is time-sensitive (R4), and the caller's name stands in for a missing title.
    private var content: NotificationContent {
        guard var content = request?.content else { preconditionFailure("content of a request that never came") }
        if content.title.isEmpty { content.title = call.callerName ?? "" }
        if case .ring = decision, content.interruptionLevel < .timeSensitive {
            content.interruptionLevel = .timeSensitive
        }
        if let attachment = picture.attachment { content.attachments.append(attachment) }
        return content
    }

    // MARK: After the ring

    private func ringIsOver(_ settlement: Settlement) {
        ring = nil
        if settlement.isMissed { reportMissed() } else { picture.cancel() }
        host?.extensionIsIdle()
    }

    /// The picture may still come, within its own time: a missed call is shown with it.
    private func reportMissed() {
        isReportingMissed = true
        picture.beforeMissed { [weak self] in
            guard let self else { return }
            world.report(.missed(call: call.callID, content: MissedCall.content(of: call, from: content)))
            isReportingMissed = false
            host?.extensionIsIdle()
        }
    }
}

extension Event.Body {
    /// Every call that is silenced by a flag which no process owns says so: an app that crashed may have left it.
    static let foregroundUnowned = Event.Body.warning(
        code: .foregroundUnowned,
        detail: "no process owns the word that the app is in front: belfry app background takes it back")
}

/// What a missed call shows in place of its notification.
public enum MissedCall {
    /// The content of the notification `shown`, turned into that of a call that was missed.
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
