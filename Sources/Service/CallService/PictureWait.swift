import BelfryPictures
import BelfryProtocol
import BelfryTerms
import NotificationDelivery
import PictureFetcher

/// How long a call's delivery, and later its missed call, wait for the caller's picture (R4), as a state machine.
///
///     idle ── begin ──▶ coming ── arrived, failed, cancel ──▶ over
///          └────────── begin without an address, skip ────────▲
///
/// The delivery waits until the picture is here or ``deliverNow(_:_:)`` comes. A missed call waits until the fetch is
/// over.
struct PictureStateMachine {
    private enum State {
        /// The state before the call has said whether it has a picture.
        case idle
        /// The state while the picture is fetched from `url`. `isReported` is true once the delivery went ahead and the
        /// picture was reported as skipped; it is reported only once.
        case coming(url: String, isReported: Bool)
        /// The state once the picture is here, or there is none to wait for.
        case over
    }

    /// What the driver has to do.
    enum Effect: Equatable {
        /// Fetch the picture at this address, and feed ``PictureStateMachine/finished(_:_:)``.
        case fetch(String)
        /// End the fetch.
        case cancelFetch
        /// Report what became of the picture at `url`.
        case report(url: String, Event.Attachment.Outcome)
        /// Deliver: nothing holds the delivery up any more.
        case deliver
        /// Report the missed call: nothing holds it up any more.
        case reportMissed
    }

    private var state = State.idle
    /// Whether the delivery waits for a picture that is coming; false for good once the delivery may go ahead.
    private var holdsUpDelivery = true
    /// Whether the delivery is ready, and was not made yet.
    private var isDeliveryWaiting = false
    /// Whether the missed call is ready, and was not reported yet.
    private var isMissedWaiting = false

    /// The picture, once it is here.
    private(set) var attachment: NotificationAttachment?

    /// The call has `picture`, which has to be fetched if it has an address.
    mutating func begin(_ picture: CallerPicture) -> [Effect] {
        switch (state, picture) {
        case (.idle, .url(let url)):
            state = .coming(url: url, isReported: false)
            return [.fetch(url)]
        case (.idle, .unusable(let detail)):
            return [.report(url: "", .skipped(reason: .badURL, detail: detail))] + finish()
        case (.idle, .absent): return finish()
        // Our own driver alone begins, once for each call.
        case (.coming, _), (.over, _): preconditionFailure("a second picture in \(state)")
        }
    }

    /// The call has `picture`, which is reported as skipped without fetching it.
    mutating func skip(_ picture: CallerPicture, _ reason: SkipReason, _ detail: String) -> [Effect] {
        guard case .url(let url) = picture else { return begin(picture) }
        return [.report(url: url, .skipped(reason: reason, detail: detail))] + finish()
    }

    /// The delivery goes ahead now, for `reason`. The picture may still come, for a missed call.
    mutating func deliverNow(_ reason: SkipReason, _ detail: String) -> [Effect] {
        holdsUpDelivery = false
        return report(.skipped(reason: reason, detail: detail)) + releaseDelivery()
    }

    /// The fetch is over: the picture is here, or `outcome` says why not.
    mutating func finished(_ attachment: NotificationAttachment?, _ outcome: Event.Attachment.Outcome) -> [Effect] {
        switch state {
        case .coming:
            self.attachment = attachment
            return report(outcome) + finish()
        // The fetch was cancelled while its answer was on the way.
        case .idle, .over: return []
        }
    }

    /// The fetch is cancelled: neither the delivery nor the missed call waits any longer.
    mutating func cancel(_ reason: SkipReason, _ detail: String) -> [Effect] {
        switch state {
        case .coming: return [.cancelFetch] + report(.skipped(reason: reason, detail: detail)) + finish()
        case .idle, .over: return []
        }
    }

    /// The delivery is ready, apart from the picture.
    mutating func deliveryReady() -> [Effect] {
        isDeliveryWaiting = true
        return releaseDelivery()
    }

    /// The delivery went ahead without us: nothing has to be delivered any more.
    mutating func forgetDelivery() {
        isDeliveryWaiting = false
    }

    /// The missed call is ready, apart from the picture.
    mutating func missedReady() -> [Effect] {
        isMissedWaiting = true
        return releaseMissed()
    }

    private var isComing: Bool {
        if case .coming = state { true } else { false }
    }

    /// Reports `outcome`, unless the picture was reported already (R14).
    private mutating func report(_ outcome: Event.Attachment.Outcome) -> [Effect] {
        guard case .coming(let url, isReported: false) = state else { return [] }
        state = .coming(url: url, isReported: true)
        return [.report(url: url, outcome)]
    }

    private mutating func finish() -> [Effect] {
        state = .over
        return releaseDelivery() + releaseMissed()
    }

    private mutating func releaseDelivery() -> [Effect] {
        guard isDeliveryWaiting, !(isComing && holdsUpDelivery) else { return [] }
        isDeliveryWaiting = false
        return [.deliver]
    }

    private mutating func releaseMissed() -> [Effect] {
        guard isMissedWaiting, !isComing else { return [] }
        isMissedWaiting = false
        return [.reportMissed]
    }
}

/// Drives the wait for one call's picture.
final class PictureWait {
    private enum Input {
        case begin(CallerPicture)
        case skip(CallerPicture, SkipReason, String)
        case deliverNow(SkipReason, String)
        case deliveryReady
        case deliveryForgotten
        case missedReady
        case finished(PictureDownload.Outcome)
        case cancel
    }

    private let source: any PictureSource
    private let report: (Event.Body) -> Void
    private var machine = PictureStateMachine()
    private var queue = EffectQueue<Input>()
    private var deadline = Instant(microseconds: 0)
    private var delivery: (() -> Void)?
    private var missed: (() -> Void)?

    init(source: any PictureSource, report: @escaping (Event.Body) -> Void) {
        self.source = source
        self.report = report
    }

    /// The picture, once it is here.
    var attachment: NotificationAttachment? { machine.attachment }

    /// Begins to fetch `picture`, until `deadline` at most.
    func begin(_ picture: CallerPicture, until deadline: Instant) {
        self.deadline = deadline
        feed(.begin(picture))
    }

    /// Reports `picture` as skipped without asking a server for it.
    func skip(_ picture: CallerPicture, _ reason: SkipReason, _ detail: String) {
        feed(.skip(picture, reason, detail))
    }

    /// Delivers now, for `reason`; the picture may still come, for a missed call.
    func deliverNow(_ reason: SkipReason, _ detail: String) {
        feed(.deliverNow(reason, detail))
    }

    /// Calls `action` once the picture is here or given up, perhaps before this returns.
    func beforeDelivery(_ action: @escaping () -> Void) {
        delivery = action
        feed(.deliveryReady)
    }

    /// Forgets the action that waits for the delivery, which went ahead without it.
    func forgetDelivery() {
        feed(.deliveryForgotten)
    }

    /// Calls `action` once the fetch is over, perhaps before this returns.
    func beforeMissed(_ action: @escaping () -> Void) {
        missed = action
        feed(.missedReady)
    }

    /// Ends the fetch. Whatever waits for the picture goes on.
    func cancel() {
        feed(.cancel)
    }

    private func feed(_ input: Input) {
        guard queue.enter(input) else { return }
        while let input = queue.next() {
            for effect in step(input) { perform(effect) }
        }
    }

    private func step(_ input: Input) -> [PictureStateMachine.Effect] {
        switch input {
        case .begin(let picture): return machine.begin(picture)
        case .skip(let picture, let reason, let detail): return machine.skip(picture, reason, detail)
        case .deliverNow(let reason, let detail): return machine.deliverNow(reason, detail)
        case .deliveryReady: return machine.deliveryReady()
        case .deliveryForgotten:
            machine.forgetDelivery()
            return []
        case .missedReady: return machine.missedReady()
        case .finished(.attached(let attachment, let bytes, let seconds)):
            let outcome = Event.Attachment.Outcome.attached(
                path: attachment.path, type: attachment.type, bytes: bytes, seconds: seconds)
            return machine.finished(attachment, outcome)
        case .finished(.skipped(let skip)):
            return machine.finished(nil, .skipped(reason: skip.reason, detail: skip.detail))
        case .cancel: return machine.cancel(.ended, "the worker was told to stop")
        }
    }

    private func perform(_ effect: PictureStateMachine.Effect) {
        switch effect {
        case .fetch(let url):
            source.fetch(url, deadline: deadline) { [weak self] outcome in self?.feed(.finished(outcome)) }
        case .cancelFetch: source.cancel()
        case .report(let url, let outcome): report(.attachment(Event.Attachment(url: url, outcome: outcome)))
        case .deliver: delivery?()
        case .reportMissed: missed?()
        }
    }
}
