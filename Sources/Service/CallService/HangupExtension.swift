import BelfryProtocol
import BelfryTerms
import CallLedger
import GroupLedger
import Interception
import ServiceHost

/// The built-in extension for hangups: asks whoever rings the call to end it, else hangs up in the ledger, and then
/// hands the content over as it came.
final class HangupExtension: ServiceExtension {
    weak var host: (any ServiceExtensionHost)?
    private let hangup: Hangup
    private let world: CallWorld
    /// The content that still has to be handed over; nil once that was done, or somebody else delivered.
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
        world.ledger.ask(ask, of: key.isAnonymous ? nil : key) { [self] answers, all in
            // Of a ring that ended otherwise the ledger has yet to remember the hangup (R8), and of one whose worker
            // cannot record its end too.
            let isRemembered = answers.allSatisfy { $0.isRecorded && ($0.state == .hangup || $0.state == .ringing) }
            guard all, !answers.isEmpty, isRemembered else { return hangUpInLedger() }
            hangupIsOver()
        }
    }

    /// Hangs up what rings at no ear, or not yet, or cannot be recorded by who rings, and remembers the hangup (R8).
    /// The content does not wait for the file, but whoever asked for the hangup learns whether the file has it.
    private func hangUpInLedger() {
        world.ledger.transact { [hangup] ledger in
            let rings = ledger.rings
            _ = ledger.hangUp(CallKey(hangup.callID), reason: hangup.reason, sentAt: hangup.sentAt)
            return rings
        } done: { [self] rings, outcome in
            if !outcome.isShown { world.ledger.wake(rings) }
            handOver()
            world.ledger.finish { [self] in hangupIsOver() }
        }
    }

    private func hangupIsOver() {
        isBusy = false
        handOver()
        host?.extensionIsIdle()
    }

    /// Hands the content over now. The hangup goes on.
    func serviceExtensionTimeWillExpire() { handOver() }

    func stop() { handOver() }

    func end() { content = nil }

    private func handOver() {
        guard let content else { return }
        self.content = nil
        host?.extensionHandedOver(content)
    }
}
