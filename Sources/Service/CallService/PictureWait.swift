import BelfryPictures
import BelfryProtocol
import BelfryTerms
import PictureFetcher

/// What a call's delivery, and then its missed call, have to wait for: the caller's picture.
///
/// The delivery waits until the picture is there or nothing is left to wait for; a missed call waits a little longer.
final class PictureWait {
    private let world: any CallWorld
    private var url = ""
    private var isComing = false
    private var isTold = true
    private var isDeliveryHeldUp = true
    private var delivery: (() -> Void)?
    private var missed: (() -> Void)?

    /// The picture, once it is here.
    private(set) var attachment: NotificationAttachment?

    init(world: any CallWorld) {
        self.world = world
    }

    /// Begins to fetch `avatar`, until `deadline` at most.
    func begin(_ avatar: CallerPicture, deadline: Instant) {
        switch avatar {
        case .absent: return
        case .unusable(let detail): tell(.skipped(reason: SkipReason.badURL.rawValue, detail: detail))
        case .url(let url):
            self.url = url
            (isComing, isTold) = (true, false)
            world.fetchPicture(url, deadline: deadline) { [weak self] in self?.finished($0) }
        }
    }

    /// Calls `action` once the picture is here or given up, perhaps before this returns.
    func beforeDelivery(_ action: @escaping () -> Void) {
        guard isComing, isDeliveryHeldUp else { return action() }
        delivery = action
    }

    /// Nobody is asked for `avatar`.
    func forgo(_ avatar: CallerPicture, _ reason: SkipReason, _ detail: String) {
        guard case .url(let url) = avatar else { return begin(avatar, deadline: world.now) }
        self.url = url
        tell(.skipped(reason: reason.rawValue, detail: detail))
    }

    /// Delivers now, for `reason`; the picture may still come, for a missed call.
    func deliverNow(_ reason: SkipReason, _ detail: String) {
        if !isTold { tell(.skipped(reason: reason.rawValue, detail: detail)) }
        isDeliveryHeldUp = false
        deliver()
    }

    /// Calls `action` once there is nothing to wait for any more, perhaps before this returns.
    func beforeMissed(_ action: @escaping () -> Void) {
        guard isComing else { return action() }
        missed = action
    }

    /// Ends the fetch; whoever waits goes on, but for a delivery that somebody else sees to.
    func cancel(deliversAtOnce: Bool) {
        guard isComing else { return }
        isComing = false
        world.cancelPicture()
        if !isTold { tell(.skipped(reason: SkipReason.ended.rawValue, detail: "the worker was told to stop")) }
        if !deliversAtOnce { delivery = nil }
        deliver()
        tellMissed()
    }

    private func finished(_ outcome: PictureDownload.Outcome) {
        isComing = false
        switch outcome {
        case .attached(let attachment, let bytes, let seconds):
            self.attachment = attachment
            if !isTold {
                tell(.attached(path: attachment.path, type: attachment.type, bytes: bytes, seconds: seconds))
            }
        case .skipped(let skip):
            if !isTold { tell(.skipped(reason: skip.reason.rawValue, detail: skip.detail)) }
        }
        deliver()
        tellMissed()
    }

    private func tell(_ outcome: Event.Attachment.Outcome) {
        isTold = true
        world.report(.attachment(Event.Attachment(url: url, outcome: outcome)))
    }

    private func deliver() {
        let action = delivery
        delivery = nil
        action?()
    }

    private func tellMissed() {
        let action = missed
        missed = nil
        action?()
    }
}
