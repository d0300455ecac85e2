public import BelfryEventLoop
public import BelfryProtocol
public import BelfryTerms
import CBelfryLinux
import Glibc
public import Interception

/// A notification as it was sorted on arrival: what is reported about it, and who acts on it.
public struct SortedNotification {
    /// The notification.
    public let request: NotificationRequest
    /// What `received` says of it.
    public let received: Event.Received
    /// Why the notification is not intercepted; nil if it is (R1).
    public let passthrough: PassthroughReason?
    /// Events that are reported right after `received`, in order.
    public let remarks: [Event.Body]
    /// The extension that acts on the notification; nil if none does. Never nil if the notification is intercepted.
    public let service: (any ServiceExtension)?
    /// Whether the extension may have nothing of it shown (R2).
    public let mayBeFiltered: Bool
    /// From when the budget runs: that of the extension that acts on it (R3).
    public var budgetStart: BudgetStart { service?.budgetStart ?? .acceptance }

    /// How long its worker may need, for a budget of that length: its wait, and the longer of budget and ring.
    public func lifetime(budget: TimeSpan) -> TimeSpan { budgetStart.waitMax + max(budget, service?.ringMax ?? .zero) }

    /// A sorted notification.
    public init(
        request: NotificationRequest, received: Event.Received, passthrough: PassthroughReason?,
        remarks: [Event.Body], service: (any ServiceExtension)?, mayBeFiltered: Bool = false
    ) {
        precondition(passthrough != nil || service != nil, "nobody intercepts what is intercepted")
        self.request = request
        self.received = received
        self.passthrough = passthrough
        self.remarks = remarks
        self.service = service
        self.mayBeFiltered = mayBeFiltered
    }
}

/// Takes one notification from its arrival to its last event: asks the extension to admit it, intercepts it, delivers
/// it once, and stays until the extension is no longer busy.
///
/// It drives any ``ServiceExtension``, and knows nothing about kinds of push.
public final class Delivery {
    /// How the delivery ended.
    public enum End: Hashable, Sendable {
        /// The notification was delivered, and its extension is done.
        case handled
        /// The notification was refused, and nothing else happened.
        case refused
    }

    private enum Input {
        case arrived
        case admitted
        case refused(Rejection)
        case handedOver(NotificationContent)
        case withheld(NotificationContent)
        case timerFired
        case began(Budget)
        case withApp
        case died
        case stop(Instant)
        case idle
    }

    private let notification: SortedNotification
    private let timers: any TimerSource
    private let budget: Budget
    private let report: (Event.Body) -> Void
    private let ended: (End) -> Void

    private var machine = InterceptionStateMachine()
    private var queue = EffectQueue<Input>()
    private var timer: (any ScheduledTimer)?
    /// When the worker was asked to stop, perhaps before the notification was admitted.
    private var stoppedAt: Instant?
    /// Whether `ended` was called, which happens once.
    private var hasEnded = false

    /// A delivery of `notification`.
    ///
    /// - Parameters:
    ///   - budget: the time that the extension has (R3).
    ///   - report: takes the events, of which `received` or `rejected` comes first.
    ///   - ended: called once, after the last event.
    public init(
        _ notification: SortedNotification, timers: any TimerSource, budget: Budget,
        report: @escaping (Event.Body) -> Void,
        ended: @escaping (End) -> Void
    ) {
        self.notification = notification
        self.timers = timers
        self.budget = budget
        self.report = report
        self.ended = ended
        notification.service?.delegate = self
    }

    /// Has the extension admit the notification, and goes on from there. Called once.
    public func start() {
        feed(.arrived)
        notification.service?.admit(within: budget) { [self] in heard($0) }
    }

    /// Silences, delivers the best attempt and ends (R17).
    public func stop() {
        guard !hasEnded else { return }
        let stoppedAt = stoppedAt ?? timers.now
        self.stoppedAt = stoppedAt
        feed(.stop(stoppedAt))
        // Not as an effect: what it hands over is delivered before its ring ends.
        if machine.hasReceived { notification.service?.stop() }
    }

    private func feed(_ input: Input) {
        guard queue.enter(input) else { return }
        while let input = queue.next() {
            for effect in step(input) { perform(effect) }
        }
        if machine.isDelivered, !(notification.service?.isBusy ?? false) { end(.handled) }
    }

    private func step(_ input: Input) -> [InterceptionStateMachine.Effect] {
        switch input {
        case .arrived:
            machine.arrived(
                notification.request.content, passthrough: notification.passthrough, budget: budget,
                hasExtension: notification.service != nil, mayBeFiltered: notification.mayBeFiltered)
        case .admitted: machine.admitted()
        case .refused(let rejection): machine.refused(rejection)
        case .handedOver(let content): machine.handlerCalled(with: content)
        case .withheld(let content): machine.withheld(content)
        case .timerFired: machine.timerFired(at: timers.now)
        case .began(let budget): machine.extensionBegan(within: budget)
        case .withApp: handedToApp()
        case .died: machine.extensionDied()
        case .stop(let instant): machine.stop(at: instant)
        case .idle: []
        }
    }

    private func handedToApp() -> [InterceptionStateMachine.Effect] {
        machine.handedToApp()
        return []
    }

    private func perform(_ effect: InterceptionStateMachine.Effect) {
        switch effect {
        case .report:
            report(.received(notification.received))
            for remark in notification.remarks { report(remark) }
        case .reject(let rejection):
            cancelTimer()
            report(.rejected(reason: rejection.reason, detail: rejection.detail))
            end(.refused)
        case .runExtension(let budget): notification.service?.didReceive(notification.request, within: budget)
        case .wake(let instant): wake(at: instant)
        case .timeWillExpire:
            report(.warning(code: .timeWillExpire, detail: "the extension has \(Budget.notice.seconds) s left at most"))
            notification.service?.serviceExtensionTimeWillExpire()
        case .deliver(let deliverer, let content): deliver(content, by: deliverer)
        case .filter(let deliverer, let content): deliver(content, by: deliverer, isShown: false)
        case .warnNoAlertText:
            report(.warning(code: .noAlertText, detail: "the changed content has no alert text: the original is shown"))
        case .warnHandlerCalledAgain:
            report(.warning(code: .handlerCalledAgain, detail: "the content handler counts once, and in time"))
        case .endExtension: notification.service?.end()
        }
    }

    private func deliver(_ content: NotificationContent, by deliverer: Deliverer, isShown: Bool = true) {
        cancelTimer()
        var content = content
        var details: [String] = []
        content.attachments = content.attachments.filter { attachment in
            guard let error = AttachmentRule.error(in: attachment, facts: attachment.facts) else { return true }
            details.append("\(error.rawValue) \(error.localizedDescription): \(attachment.id)")
            return false
        }
        if let picture = content.picture, let error = AttachmentRule.error(inPicture: picture, facts: picture.facts) {
            details.append("\(error.rawValue) \(error.localizedDescription): the picture of an intent")
            content.picture = nil
        }
        for detail in DroppedAttachments.told(details) { report(.warning(code: .attachmentDropped, detail: detail)) }
        report(.delivered(by: deliverer, content: content, isShown: isShown))
    }

    private func heard(_ verdict: ExtensionVerdict) {
        // A verdict may come too late, after the notification was delivered.
        guard !machine.hasReceived else { return }
        switch verdict {
        case .admitted:
            feed(.admitted)
            if stoppedAt != nil { stop() }
        case .refused(let rejection): feed(.refused(rejection))
        }
    }

    private func wake(at instant: Instant) {
        timer?.cancel()
        timer = timers.schedule(at: instant, description: "budget") { [weak self] in self?.feed(.timerFired) }
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

extension Delivery: ServiceExtensionDelegate {
    /// Delivers `content`, if nothing was delivered before; otherwise warns (R2).
    public func extensionHandedOver(_ content: NotificationContent) {
        feed(.handedOver(content))
    }

    /// Delivers `content`, if nothing was delivered before, and has nothing of it shown.
    public func extensionWithheld(_ content: NotificationContent) {
        feed(.withheld(content))
    }

    /// Counts the budget anew.
    public func extensionBegan(within budget: Budget) {
        feed(.began(budget))
    }

    /// Delivers it as handed to an app.
    public func extensionHandedToApp() {
        feed(.withApp)
    }

    /// Delivers the original, if nothing was delivered before.
    public func extensionDied() {
        feed(.died)
    }

    /// Ends, if the content was delivered.
    public func extensionIsIdle() {
        feed(.idle)
    }
}

extension NotificationAttachment {
    /// What is at the path now: whether it is a regular file that can be read, and its size.
    fileprivate var facts: AttachmentFacts {
        var status = stat()
        let isReadable = unsafe path.hasPrefix("/") && stat(path, &status) == 0 && access(path, R_OK) == 0
        guard isReadable, status.st_mode & S_IFMT == S_IFREG else { return AttachmentFacts(bytes: nil) }
        return AttachmentFacts(bytes: Int64(status.st_size))
    }
}
