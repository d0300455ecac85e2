public import BelfryEventLoop
public import BelfryProtocol
public import BelfryTerms
import CBelfryLinux
import Glibc
public import Interception

/// A notification as it was sorted at the door: what is told of it, and who acts on it.
public struct Visit {
    /// The notification.
    public let request: NotificationRequest
    /// What it is.
    public let type: NotificationType
    /// The id of the call it is about; nil if it is about none.
    public let call: String?
    /// Why it is not intercepted; nil if it is (R1).
    public let passthrough: PassthroughReason?
    /// What is told right after `received`, in order.
    public let remarks: [Event.Body]
    /// The extension that acts on it; nil if nobody does, which only what is not intercepted allows.
    public let service: (any ServiceExtension)?

    /// A visit.
    public init(
        request: NotificationRequest, type: NotificationType, call: String?, passthrough: PassthroughReason?,
        remarks: [Event.Body], service: (any ServiceExtension)?
    ) {
        precondition(passthrough != nil || service != nil, "nobody intercepts what is intercepted")
        self.request = request
        self.type = type
        self.call = call
        self.passthrough = passthrough
        self.remarks = remarks
        self.service = service
    }
}

/// One notification's walk from the door to its last event: has its extension admit it, intercepts it, delivers it
/// once, and stays until the extension is done.
///
/// Drives any ``ServiceExtension``, and knows no kind of push.
public final class NotificationHost {
    /// How a walk ended.
    public enum End: Hashable, Sendable {
        /// It went all its way.
        case handled
        /// It was refused, and nothing else happened.
        case refused
    }

    private enum Input {
        case receive
        case notAdmitted
        case handedOver(NotificationContent)
        case timerFired
        case died
        case stop
        case idle
    }

    private let visit: Visit
    private let timers: any TimerSource
    private let budget: Budget
    private let report: (Event.Body) -> Void
    private let ended: (End) -> Void

    private var machine = InterceptionStateMachine()
    private var queue = EffectQueue<Input>()
    private var timer: (any ScheduledTimer)?
    private var hasBegun = false
    private var isStopping = false
    private var hasEnded = false

    /// - Parameters:
    ///   - budget: the time there is, from when the connection was accepted.
    ///   - report: takes the events, `received` or `rejected` first.
    ///   - ended: called once, after the last event.
    public init(
        _ visit: Visit, timers: any TimerSource, budget: Budget, report: @escaping (Event.Body) -> Void,
        ended: @escaping (End) -> Void
    ) {
        self.visit = visit
        self.timers = timers
        self.budget = budget
        self.report = report
        self.ended = ended
        visit.service?.host = self
    }

    /// Starts the walk. Called once.
    public func start() {
        guard let service = visit.service else { return begin(.receive) }
        // Not even an extension that never says whether it takes the notification can keep it (R3).
        wake(at: budget.end) { [weak self] in self?.begin(.notAdmitted) }
        service.admit(within: budget) { [self] verdict in
            switch verdict {
            case .admitted: begin(.receive)
            case .refused(let rejection): refuse(rejection)
            }
        }
    }

    /// Silences, delivers the best attempt and ends (R17). A walk that waits to be admitted does so as it begins, and
    /// waits no longer than an extension may to hand over its best attempt.
    public func stop() {
        guard hasBegun else {
            guard !isStopping else { return }
            isStopping = true
            let patience = InterceptionStateMachine.stopPatience
            return wake(at: min(timers.now + patience, budget.end)) { [weak self] in self?.begin(.notAdmitted) }
        }
        isStopping = true
        feed(.stop)
        visit.service?.stop()
    }

    private func begin(_ input: Input) {
        // Whoever says after all that it takes the notification finds it delivered.
        guard !hasBegun else { return }
        hasBegun = true
        report(.received(Event.Received(type: visit.type, call: visit.call, why: visit.passthrough)))
        for remark in visit.remarks { report(remark) }
        feed(input)
        if isStopping { stop() }
    }

    private func refuse(_ rejection: Rejection) {
        guard !hasBegun else { return }
        cancelTimer()
        report(.rejected(reason: rejection.reason, detail: rejection.detail))
        end(.refused)
    }

    private func feed(_ input: Input) {
        guard queue.enter(input) else { return }
        while let input = queue.next() {
            for effect in step(input) { perform(effect) }
        }
        if machine.isDelivered, !(visit.service?.isBusy ?? false) { end(.handled) }
    }

    private func step(_ input: Input) -> [InterceptionStateMachine.Effect] {
        switch input {
        case .receive:
            machine.receive(
                visit.request.content, passthrough: visit.passthrough, budget: budget,
                isAccompanied: visit.service != nil)
        case .notAdmitted:
            machine.receiveUnadmitted(
                visit.request.content, by: visit.passthrough != nil ? .passthrough : isStopping ? .stopped : .expiry)
        case .handedOver(let content): machine.handlerCalled(with: content)
        case .timerFired: machine.timerFired(at: timers.now)
        case .died: machine.extensionDied()
        case .stop: machine.stop(at: timers.now)
        case .idle: []
        }
    }

    private func perform(_ effect: InterceptionStateMachine.Effect) {
        switch effect {
        case .runExtension(let budget): visit.service?.didReceive(visit.request, within: budget)
        case .wake(let instant): wake(at: instant) { [weak self] in self?.feed(.timerFired) }
        case .timeWillExpire:
            report(.warning(code: .timeWillExpire, detail: "the extension has \(Budget.notice.seconds) s left at most"))
            visit.service?.serviceExtensionTimeWillExpire()
        case .deliver(let deliverer, let content): deliver(content, by: deliverer)
        case .warnNoAlertText:
            report(.warning(code: .noAlertText, detail: "the changed content has no alert text: the original is shown"))
        case .warnHandlerCalledAgain:
            report(.warning(code: .handlerCalledAgain, detail: "the content handler counts once, and in time"))
        case .endExtension: visit.service?.end()
        }
    }

    private func deliver(_ content: NotificationContent, by deliverer: Deliverer) {
        cancelTimer()
        var content = content
        content.attachments = content.attachments.filter { attachment in
            guard let error = AttachmentRule.error(in: attachment, facts: attachment.facts) else { return true }
            report(
                .warning(
                    code: .attachmentDropped,
                    detail: "\(error.rawValue) \(error.localizedDescription): \(attachment.id)"))
            return false
        }
        report(.delivered(by: deliverer, content: content))
    }

    private func wake(at instant: Instant, _ action: @escaping () -> Void) {
        timer?.cancel()
        timer = timers.schedule(at: instant, description: "budget", action)
    }

    private func cancelTimer() {
        timer?.cancel()
        timer = nil
    }

    private func end(_ how: End) {
        guard !hasEnded else { return }
        hasEnded = true
        ended(how)
    }
}

extension NotificationHost: ServiceExtensionHost {
    /// Delivers `content`, if nothing was delivered before.
    public func extensionHandedOver(_ content: NotificationContent) {
        feed(.handedOver(content))
    }

    /// Delivers the original, if nothing was delivered before.
    public func extensionDied() {
        feed(.died)
    }

    /// Ends the walk, if the content was delivered.
    public func extensionIsIdle() {
        feed(.idle)
    }
}

extension NotificationAttachment {
    /// What the file is now: a regular file that can be read, and how large.
    fileprivate var facts: AttachmentFacts {
        var status = stat()
        let isReadable = unsafe path.hasPrefix("/") && stat(path, &status) == 0 && access(path, R_OK) == 0
        guard isReadable, status.st_mode & S_IFMT == S_IFREG else { return AttachmentFacts(bytes: nil) }
        return AttachmentFacts(bytes: Int64(status.st_size))
    }
}
