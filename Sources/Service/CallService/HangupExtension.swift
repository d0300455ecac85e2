import BelfryProtocol
import CallLedger
import Interception
import ServiceHost

/// The built-in extension for hangups: hangs up, and then hands the content over as it came.
final class HangupExtension: ServiceExtension {
    weak var host: (any ServiceExtensionHost)?
    private let hangup: Hangup
    private let world: CallWorld
    /// The content that still has to be handed over; nil once that was done, or somebody else delivered.
    private var content: NotificationContent?

    /// Whether the hangup is still on its way into the group file.
    private(set) var isBusy = false

    init(_ hangup: Hangup, world: CallWorld) {
        self.hangup = hangup
        self.world = world
    }

    /// A hangup is never refused.
    func admit(within budget: Budget, _ decided: @escaping (ExtensionVerdict) -> Void) { decided(.admitted) }

    /// Hangs up (R8), and then hands the content over.
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

    /// Hands the content over now. The hangup goes on waiting for the file's lock.
    func serviceExtensionTimeWillExpire() { handOver() }

    func stop() { handOver() }

    func end() { content = nil }

    private func handOver() {
        guard let content else { return }
        self.content = nil
        host?.extensionHandedOver(content)
    }
}
