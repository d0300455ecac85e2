import BelfryTerms

extension Event {
    /// The kind of an event, without its details: the contract's events by their names.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The notification was read; first of all.
        case received
        /// A call rings now, or goes on in another mode.
        case ringing
        /// A call request does not ring.
        case silent
        /// A tick was made.
        case tick
        /// The sound came on, or could not.
        case sound
        /// The desktop shows the notification, or does not.
        case notification
        /// Something vibrates, or cannot.
        case vibration
        /// A picture was attached, or not.
        case attachment
        /// The content was handed over.
        case delivered
        /// The ring is over.
        case ended
        /// The person missed this call.
        case missed
        /// What iOS would have done, or what the operator should know.
        case warning
        /// The process of a foreign extension was started, has done its work, or is gone.
        case extensionProcess = "extension"
        /// A foreign extension's code asked for something.
        case asked
        /// Who calls has changed.
        case caller
        /// An app was started, was handed a push, or is gone.
        case app
        /// A call that an app reported has a new state.
        case call
        /// An action that an app's provider is to perform.
        case action
        /// The notification was refused.
        case rejected
        /// A later version's event, or one in a form that this version cannot read; its ``Event/name`` is its own.
        case unknown
    }

    /// Its kind.
    public var kind: Kind {
        switch body {
        case .received: .received
        case .ringing: .ringing
        case .silent: .silent
        case .tick: .tick
        case .sound: .sound
        case .notification: .notification
        case .vibration: .vibration
        case .attachment: .attachment
        case .delivered: .delivered
        case .ended: .ended
        case .missed: .missed
        case .warning: .warning
        case .extensionProcess: .extensionProcess
        case .asked: .asked
        case .caller: .caller
        case .app: .app
        case .call: .call
        case .action: .action
        case .rejected: .rejected
        case .unknown: .unknown
        }
    }

    /// What the event is called: `event`.
    public var name: String {
        if case .unknown(let unknown) = body { unknown.name } else { kind.rawValue }
    }

    /// Whether it may come each second or more often: a client that does not read in time loses such events first.
    public var isFrequent: Bool { kind == .tick || kind == .asked }
}

extension Event.Kind {
    /// A body of this kind whose fields are read over; nil of ``unknown``, which is none of the contract's.
    var blank: Event.Body? {
        switch self {
        case .received: .received(.init(type: .alert, call: nil, why: nil))
        case .ringing: .ringing(.init(call: "", mode: .loud, duration: 0, interval: 0, sound: "", vibrate: false))
        case .silent: .silent(call: "", why: .stale)
        case .tick: .tick(n: 0, late: 0)
        case .sound: .sound(state: .playing, detail: "")
        case .notification: .notification(state: .shown, detail: "")
        case .vibration: .vibration(state: .unavailable, detail: "")
        case .attachment: .attachment(.init(url: "", outcome: .skipped(reason: .badURL, detail: "")))
        case .delivered: .delivered(by: .passthrough, content: NotificationContent())
        case .ended: .ended(.init(call: "", reason: .answered, hangupReason: nil, rang: 0, ticks: 0))
        case .missed: .missed(call: "", content: NotificationContent())
        case .warning: .warning(code: .badClock, detail: "")
        case .extensionProcess: .extensionProcess(.init(state: .started, seconds: 0))
        case .asked: .asked(.init(what: CodeWord(.sound), n: 0, detail: ""))
        case .caller: .caller(.init(call: "", name: "", handle: "", hasVideo: false))
        case .app: .app(.init(.started, app: ""))
        case .call: .call(.init(.reported, call: "", uuid: "", app: ""))
        case .action: .action(.init(.answer, .performed, call: "", uuid: "", app: "", seconds: 0))
        case .rejected: .rejected(reason: .empty, detail: "")
        case .unknown: nil
        }
    }
}
