public import BelfryEventLoop
public import BelfryProtocol
import BelfryTerms
public import Interception
import ServiceHost

/// One notification's walk, from the push to its last event: who acts when, and nothing else.
public final class NotificationWalk {
    /// How a walk ended.
    public enum End: Hashable, Sendable {
        /// It went all its way.
        case handled
        /// It was refused, and nothing else happened.
        case refused
    }

    private let push: Push
    private let report: (Event.Body) -> Void
    private let ended: (End) -> Void
    private let passthrough: PassthroughReason?
    private let service: CallService
    private var host: HostedNotification?
    private var hasBegun = false
    private var isStopping = false
    private var hasEnded = false

    /// - Parameters:
    ///   - budget: the time there is, from the start of the process.
    ///   - report: takes the events, `received` or `rejected` first.
    ///   - ended: called once, after the last event.
    public init(
        push: Push, timers: any TimerSource, world: any CallWorld, settings: RingSettings, budget: Budget,
        report: @escaping (Event.Body) -> Void, ended: @escaping (End) -> Void
    ) {
        self.push = push
        self.report = report
        self.ended = ended
        passthrough = InterceptionRule(push).passthrough
        final class Back { weak var walk: NotificationWalk? }
        let back = Back()
        service = CallService(push: push, world: world, settings: settings, budget: budget) {
            back.walk?.endIfDone()
        }
        host = HostedNotification(
            timers: timers, budget: budget, service: service, report: report, delivered: { back.walk?.delivered() })
        back.walk = self
    }

    /// Starts; `notes` are warnings of the worker's own, told after `received`.
    public func start(notes: [Event.Body]) {
        guard mayRing else { return begin(notes) }
        service.admit { [self] verdict in
            switch verdict {
            case .proceed: begin(notes)
            case .busy(let ringing):
                report(
                    .rejected(
                        reason: .busy,
                        detail: "\(ringing) calls ring already: [Ring] MaxCalls= allows no more"))
                end(.refused)
            }
        }
    }

    /// Silences, delivers the best attempt and ends (R17); a walk that waits for the group file does so as it begins.
    public func stop() {
        isStopping = true
        guard hasBegun else { return }
        service.forgetPicture(isDeliveredByHost: passthrough == nil)
        host?.stop()
        service.stop()
        endIfDone()
    }

    /// Whether this is a call request that an extension may ring for, or a voip push, for which the service rings.
    private var mayRing: Bool {
        guard case .request? = push.call else { return false }
        return passthrough == nil || passthrough == .voip
    }

    private func begin(_ notes: [Event.Body]) {
        hasBegun = true
        report(.received(Event.Received(type: push.notificationType, call: push.call?.callID, why: passthrough)))
        for note in notes { report(note) }
        for note in push.notes { report(.warning(code: .fieldIgnored, detail: note)) }
        service.begin()
        if passthrough != nil { passThrough() }
        if passthrough == .voip {
            service.prepareContent { [self] in receive($0) }
        } else {
            receive(push.request.content)
        }
        if isStopping { stop() }
    }

    /// What is not intercepted reaches no extension; a hangup takes effect all the same (R1).
    private func passThrough() {
        switch push.call {
        case .request(let call)? where passthrough != .voip:
            report(.silent(call: call.callID, why: .notIntercepted))
        case .hangup(let hangup)?:
            service.hangUp(hangup) {}
            guard passthrough != .voip else { return }
            let detail = "iOS would have rung on: a hangup needs mutable-content and an alert with text"
            report(.warning(code: .hangupNotIntercepted, detail: detail))
        case .request?, nil: break
        }
    }

    /// A voip push shows nothing of its own: what the service makes of it stands for the app's call screen.
    private func receive(_ content: NotificationContent) {
        host?.receive(NotificationRequest(id: push.request.id, content: content), passthrough: passthrough)
    }

    private func delivered() {
        service.tellMissedIfSilent()
        endIfDone()
    }

    private func endIfDone() {
        guard hasBegun, host?.isDelivered == true, !service.isBusy else { return }
        end(.handled)
    }

    private func end(_ how: End) {
        guard !hasEnded else { return }
        hasEnded = true
        ended(how)
    }
}

extension InterceptionRule {
    init(_ push: Push) {
        self.init()
        isVoIP = push.pushType == .voip
        isBackground = push.pushType == .background
        isMutable = push.isMutableContent
        alertHasText = push.alertHasText
    }
}

extension Push {
    /// What it is: `received.type`.
    var notificationType: NotificationType {
        switch call {
        case .request?: .callRequest
        case .hangup?: .hangup
        case nil: pushType == .background ? .background : .alert
        }
    }
}
