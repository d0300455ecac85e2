import BelfryProtocol
import BelfryTerms
import CallLedger
import GroupLedger
import Interception
import NotificationDelivery

/// The built-in extension for hangups: asks the ring to end itself, else hangs up in the ledger, and then hands the
/// content over as it came.
final class HangupExtension: ServiceExtension {
    weak var delegate: (any ServiceExtensionDelegate)?
    private let hangup: Hangup
    private let world: CallWorld
    /// The content that still has to be handed over; nil once that was done, or the delivery went ahead without it.
    private var content: NotificationContent?

    /// Whether the hangup is still on its way.
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
        let ask = RingAsk.hangUp(hangup.reason, sentAt: hangup.sentAt)
        let key = CallKey(hangup.callID)
        world.ledger.carryOut(ask, of: key.isAnonymous ? nil : key) { answers, all in
            // Ended for another reason, or not recorded: the ledger must still remember this hangup (R8).
            let isRemembered = answers.allSatisfy { $0.isRecorded && ($0.state == .hangup || $0.state == .ringing) }
            // One that names no call also ends those that were answered and go on, at no ear.
            return all && !answers.isEmpty && isRemembered && !key.isAnonymous ? () : nil
        } else: { [hangup] ledger in
            _ = ledger.hangUp(key, reason: hangup.reason, sentAt: hangup.sentAt)
        } done: { [self] _, _ in
            // The content does not wait for the file. The connection does: its end says that all is done.
            handOver()
            world.ledger.finish { [self] in hangupIsOver() }
        }
    }

    private func hangupIsOver() {
        isBusy = false
        handOver()
        delegate?.extensionIsIdle()
    }

    /// Hands the content over now. The hangup goes on.
    func serviceExtensionTimeWillExpire() { handOver() }

    func stop() { handOver() }

    func end() { content = nil }

    private func handOver() {
        guard let content else { return }
        self.content = nil
        delegate?.extensionHandedOver(content)
    }
}
