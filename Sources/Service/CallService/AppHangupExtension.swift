import BelfryEventLoop
import BelfryProtocol
import BelfryTerms
import CallChannel
import Interception
import NotificationDelivery

/// The hangup of a voip push: takes effect first, as ``HangupExtension`` has it, and is then handed to the app, which
/// owes a report for it as for any push (R4).
final class AppHangupExtension: ServiceExtension {
    weak var delegate: (any ServiceExtensionDelegate)?
    private let hangup: HangupExtension
    private let push: VoIPPush
    private let calls: any AppCalls
    private let world: CallWorld
    private var timer: (any ScheduledTimer)?
    /// What is delivered once it is known if an app was handed the push.
    private var content: NotificationContent?

    init(_ hangup: HangupExtension, of push: VoIPPush, calls: any AppCalls, world: CallWorld) {
        self.hangup = hangup
        self.push = push
        self.calls = calls
        self.world = world
        hangup.delegate = self
    }

    /// Whether the hangup is still on its way.
    var isBusy: Bool { hangup.isBusy || content != nil }

    func admit(within budget: Budget, _ decided: @escaping (ExtensionVerdict) -> Void) {
        hangup.admit(within: budget, decided)
    }

    func didReceive(_ request: NotificationRequest, within budget: Budget) {
        hangup.didReceive(request, within: budget)
    }

    func serviceExtensionTimeWillExpire() { hangup.serviceExtensionTimeWillExpire() }

    func stop() {
        hangup.stop()
        deliver()
    }

    func end() {
        content = nil
        timer?.cancel()
        hangup.end()
    }

    /// The first word decides, and is not waited for any longer than that takes.
    private func heard(_ order: WorkerOrder?) {
        switch order {
        case .warning(let code, let detail)?: world.report(.warning(code: code, detail: detail))
        case .handed?:
            delegate?.extensionHandedToApp()
            deliver()
        // The tune of a call: this is none.
        case .tone?: break
        case .none?, .wait?, .ring?, .caller?, .silent?, .end?, nil: deliver()
        }
    }

    private func deliver() {
        timer?.cancel()
        guard let content else { return }
        self.content = nil
        delegate?.extensionHandedOver(content)
        delegate?.extensionIsIdle()
    }
}

extension AppHangupExtension: ServiceExtensionDelegate {
    func extensionHandedOver(_ content: NotificationContent) {
        self.content = content
        timer = world.timers.schedule(
            at: world.timers.now + AppCallExtension.wordPatience, description: "app"
        ) { [weak self] in
            self?.deliver()
        }
        calls.handOver(push) { [weak self] order in self?.heard(order) }
    }

    func extensionWithheld(_ content: NotificationContent) { delegate?.extensionWithheld(content) }

    func extensionBegan(within budget: Budget) {}

    func extensionHandedToApp() {}

    func extensionDied() {}

    func extensionIsIdle() { delegate?.extensionIsIdle() }
}
