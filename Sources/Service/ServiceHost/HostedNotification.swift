public import BelfryEventLoop
public import BelfryProtocol
public import BelfryTerms
import CBelfryLinux
import Glibc
public import Interception

/// Drives the interception of one notification: feeds the state machine, and performs what it answers.
public final class HostedNotification {
    private enum Input {
        case receive(NotificationContent, PassthroughReason?)
        case handlerCalled(NotificationContent)
        case timerFired
        case extensionDied
        case stop(NotificationContent?)
    }

    private let timers: any TimerSource
    private let budget: Budget
    private let service: any ServiceExtension
    private let report: (Event.Body) -> Void
    private let delivered: () -> Void

    private var machine = InterceptionStateMachine()
    private var inputs: [Input] = []
    private var isPerforming = false
    private var timer: (any ScheduledTimer)?
    private var request: NotificationRequest?

    /// - Parameters:
    ///   - budget: the time the extension has, from the start of the process.
    ///   - service: the extension.
    ///   - report: takes `delivered` and warnings.
    ///   - delivered: called once, after `delivered` was reported.
    public init(
        timers: any TimerSource, budget: Budget, service: any ServiceExtension,
        report: @escaping (Event.Body) -> Void, delivered: @escaping () -> Void
    ) {
        self.timers = timers
        self.budget = budget
        self.service = service
        self.report = report
        self.delivered = delivered
    }

    /// Whether the content was handed over.
    public var isDelivered: Bool { machine.isDelivered }

    /// Intercepts `request`, or delivers it as it came where `passthrough` says why not. Called once.
    public func receive(_ request: NotificationRequest, passthrough: PassthroughReason?) {
        self.request = request
        feed(.receive(request.content, passthrough))
    }

    /// The extension's process ended; delivers the original unless something was delivered before.
    public func extensionDied() {
        feed(.extensionDied)
    }

    /// Delivers the best attempt now (R17).
    public func stop() {
        feed(.stop(service.bestAttempt))
    }

    /// An effect that answers at once queues its answer: the machine is never fed inside an effect.
    private func feed(_ input: Input) {
        inputs.append(input)
        guard !isPerforming else { return }
        isPerforming = true
        while !inputs.isEmpty {
            for effect in step(inputs.removeFirst()) { perform(effect) }
        }
        isPerforming = false
    }

    private func step(_ input: Input) -> [InterceptionStateMachine.Effect] {
        switch input {
        case .receive(let content, let passthrough):
            machine.receive(content, passthrough: passthrough, budget: budget)
        case .handlerCalled(let content): machine.handlerCalled(with: content)
        case .timerFired: machine.timerFired(at: timers.now)
        case .extensionDied: machine.extensionDied()
        case .stop(let content): machine.stop(bestAttempt: content)
        }
    }

    private func perform(_ effect: InterceptionStateMachine.Effect) {
        switch effect {
        case .runExtension(let deadline): runExtension(deadline: deadline)
        case .wake(let instant):
            timer?.cancel()
            timer = timers.schedule(at: instant, description: "budget") { [weak self] in self?.feed(.timerFired) }
        case .tellTimeWillExpire:
            report(.warning(code: .timeWillExpire, detail: "the extension has \(Budget.notice.seconds) s left at most"))
            service.serviceExtensionTimeWillExpire()
        case .deliver(let deliverer, let content): deliver(content, by: deliverer)
        case .warnNoAlertText:
            report(.warning(code: .noAlertText, detail: "the changed content has no alert text: the original is shown"))
        case .warnHandlerCalledAgain:
            report(.warning(code: .handlerCalledAgain, detail: "the content handler counts once, and in time"))
        case .endExtension:
            timer?.cancel()
            timer = nil
        }
    }

    private func runExtension(deadline: Instant) {
        guard let request else { preconditionFailure("an extension run without a request") }
        service.didReceive(request, deadline: deadline) { [weak self] content in self?.feed(.handlerCalled(content)) }
    }

    private func deliver(_ content: NotificationContent, by deliverer: Deliverer) {
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
        delivered()
    }
}

extension NotificationAttachment {
    /// What the file is now: a regular file that can be read, and how large.
    var facts: AttachmentFacts {
        var status = stat()
        let isReadable = unsafe path.hasPrefix("/") && stat(path, &status) == 0 && access(path, R_OK) == 0
        guard isReadable, status.st_mode & S_IFMT == S_IFREG else { return AttachmentFacts(bytes: nil) }
        return AttachmentFacts(bytes: Int64(status.st_size))
    }
}
