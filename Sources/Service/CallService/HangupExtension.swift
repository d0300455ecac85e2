import BelfryProtocol
import CallLedger
import Interception
import ServiceHost

/// The built-in extension for hangups: hangs up, and then hands the content over as it came.
final class HangupExtension: ServiceExtension {
    weak var host: (any ServiceExtensionHost)?
    private let hangup: Hangup
    private let world: CallWorld
    /// What is still to be handed over; nil once it was, or nobody wants it any more.
    private var content: NotificationContent?

    /// Whether the hangup is on its way into the group file.
    private(set) var isBusy = false

    init(_ hangup: Hangup, world: CallWorld) {
        self.hangup = hangup
        self.world = world
    }

    /// A hangup is never refused.
    func admit(within budget: Budget, _ decided: @escaping (ExtensionVerdict) -> Void) { decided(.admitted) }

    func didReceive(_ request: NotificationRequest, within budget: Budget) {
        content = request.content
        isBusy = true
        world.ledger.transact { [hangup] ledger in
            _ = ledger.hangUp(CallKey(hangup.callID), reason: hangup.reason, sentAt: hangup.sentAt)
        } done: { [self] in
            isBusy = false
            handOver()
            host?.extensionIsIdle()
        }
    }

    /// The file's lock may be held, and is waited for without the notification.
    func serviceExtensionTimeWillExpire() { handOver() }

    func stop() { handOver() }

    func end() { content = nil }

    private func handOver() {
        guard let content else { return }
        self.content = nil
        host?.extensionHandedOver(content)
    }
}
