public import BelfryTerms

// What each kind of event carries, without a pattern: a test that reads the wrong kind gets nil, and fails.
extension Event {
    /// What `received` carries; nil of every other event.
    public var received: Received? { if case .received(let received) = body { received } else { nil } }

    /// What `ringing` carries; nil of every other event.
    public var ringing: Ringing? { if case .ringing(let ringing) = body { ringing } else { nil } }

    /// Why a call request does not ring; nil of every other event than `silent`.
    public var silence: CodeWord<SilenceReason>? { if case .silent(_, let why, _) = body { why } else { nil } }

    /// The number of a `tick`, from 1, and how many seconds it was late; nil of every other event.
    public var tick: (n: Int64, late: Double)? { if case .tick(let n, let late) = body { (n, late) } else { nil } }

    /// What `sound` says; nil of every other event.
    public var sound: CodeWord<SoundState>? { if case .sound(let state, _) = body { state } else { nil } }

    /// What `notification` says; nil of every other event.
    public var notification: CodeWord<NotificationState>? {
        if case .notification(let state, _) = body { state } else { nil }
    }

    /// What `vibration` says; nil of every other event.
    public var vibration: CodeWord<VibrationState>? { if case .vibration(let state, _) = body { state } else { nil } }

    /// What `attachment` carries; nil of every other event.
    public var attachment: Attachment? { if case .attachment(let attachment) = body { attachment } else { nil } }

    /// Who delivered; nil of every other event than `delivered`.
    public var deliverer: CodeWord<Deliverer>? { if case .delivered(let by, _, _) = body { by } else { nil } }

    /// Whether what was delivered is shown, which a filtering extension can prevent (R2); nil of every other event than
    /// `delivered`.
    public var isShown: Bool? { if case .delivered(_, _, let isShown) = body { isShown } else { nil } }

    /// What `ended` carries; nil of every other event.
    public var ended: Ended? { if case .ended(let ended) = body { ended } else { nil } }

    /// The id of the call that was `missed`, empty for the anonymous call; nil of every other event.
    public var missed: String? { if case .missed(let call, _, _) = body { call } else { nil } }

    /// What `asked` carries; nil of every other event.
    public var asked: Asked? { if case .asked(let asked) = body { asked } else { nil } }

    /// What `extension` carries; nil of every other event.
    public var extensionProcess: ExtensionProcess? {
        if case .extensionProcess(let process) = body { process } else { nil }
    }

    /// What a `warning` is about; nil of every other event.
    public var warning: CodeWord<WarningCode>? { if case .warning(let code, _) = body { code } else { nil } }

    /// Why the notification was `rejected`; nil of every other event.
    public var rejected: CodeWord<RejectionReason>? { if case .rejected(let reason, _) = body { reason } else { nil } }

    /// What `sound`, `notification`, `vibration`, `warning`, `asked`, `app`, `rejected` and an `attachment` that did
    /// not come say for people; nil of every other event.
    public var detail: String? {
        switch body {
        case .sound(_, let detail), .notification(_, let detail), .vibration(_, let detail), .warning(_, let detail),
            .rejected(_, let detail):
            detail
        case .asked(let asked): asked.detail
        case .attachment(let attachment):
            if case .skipped(_, let detail) = attachment.outcome { detail } else { nil }
        case .app(let app): app.detail
        case .received, .ringing, .silent, .tick, .delivered, .ended, .missed, .extensionProcess, .caller, .call,
            .action, .unknown:
            nil
        }
    }

    /// The id of the call that the event is about, empty for the anonymous call; nil if it is about none.
    public var callID: String? {
        switch body {
        case .received(let received): received.call
        case .ringing(let ringing): ringing.call
        case .silent(let call, _, _), .missed(let call, _, _): call
        case .ended(let ended): ended.call
        case .caller(let caller): caller.call
        case .call(let call): call.call
        case .action(let action): action.call
        case .tick, .sound, .notification, .vibration, .attachment, .delivered, .warning, .extensionProcess, .asked,
            .app, .rejected, .unknown:
            nil
        }
    }

    /// Who has the caller's number, as `ringing`, `silent`, `missed` and `caller` say if it is known; nil of every
    /// other event.
    public var label: NumberLabel? {
        switch body {
        case .ringing(let ringing): ringing.label
        case .silent(_, _, let label), .missed(_, _, let label): label
        case .caller(let caller): caller.label
        case .received, .tick, .sound, .notification, .vibration, .attachment, .delivered, .ended, .warning,
            .extensionProcess, .asked, .app, .call, .action, .rejected, .unknown:
            nil
        }
    }

    /// The content of `delivered` or `missed`; nil of every other event.
    public var content: NotificationContent? {
        if case .delivered(_, let content, _) = body { return content }
        if case .missed(_, let content, _) = body { return content }
        return nil
    }
}
