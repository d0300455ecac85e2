import BelfryProtocol
import BelfryTerms
import Interception
import NotificationDelivery

/// What an app's own notification service extension does with an alert. All times are microseconds.
struct PlayedCode {
    /// When it calls the content handler after it got the notification, and after it was told to stop: 0 is before it
    /// returns from that.
    var repliesAfter: Int64?
    var repliesToStopAfter: Int64?
    /// Whether the content that it hands over, which is changed, has any text.
    var hasText = true
    var diesAfter: Int64?
}

/// Does what the plan says, under the real delivery.
final class PlayedCodeExtension: ServiceExtension {
    weak var delegate: (any ServiceExtensionDelegate)?
    private(set) var isBusy = true
    private unowned let worker: PlayedWorker
    private let code: PlayedCode
    private let loop: PlayedLoop
    private var original = NotificationContent()

    init(_ code: PlayedCode, of worker: PlayedWorker, on loop: PlayedLoop) {
        (self.code, self.worker, self.loop) = (code, worker, loop)
    }

    func admit(within budget: Budget, _ decided: @escaping (ExtensionVerdict) -> Void) { decided(.admitted) }

    func didReceive(_ request: NotificationRequest, within budget: Budget) {
        original = request.content
        reply(after: code.repliesAfter)
        guard let death = code.diesAfter else { return }
        after(death) { [self] in
            isBusy = false
            worker.world.oracle.codeHandsOver(nil, worker)
            delegate?.extensionDied()
        }
    }

    func serviceExtensionTimeWillExpire() { worker.world.oracle.codeIsWarned(worker) }
    func stop() { reply(after: code.repliesToStopAfter) }

    func end() {
        isBusy = false
        delegate?.extensionIsIdle()
    }

    private func reply(after delay: Int64?) {
        guard let delay else { return }
        after(delay) { [self] in
            var content = original
            content.title = code.hasText ? "changed" : ""
            if !code.hasText { content.body = "" }
            worker.world.oracle.codeHandsOver(code.hasText, worker)
            delegate?.extensionHandedOver(content)
        }
    }

    private func after(_ microseconds: Int64, _ action: @escaping () -> Void) {
        guard microseconds > 0 else { return action() }
        _ = loop.schedule(at: loop.now + TimeSpan(microseconds: microseconds), description: "code") { [self] in
            if isBusy { action() }
        }
    }
}
