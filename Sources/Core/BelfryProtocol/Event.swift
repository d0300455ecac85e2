public import BelfryTerms

/// One event of a notification's life, as the push socket writes it: a JSON line.
public struct Event: Hashable, Sendable {
    /// Seconds since the worker had the whole notification.
    public let at: Double
    /// The same instant in seconds of CLOCK_BOOTTIME, by which two connections can be compared.
    public let boot: Double
    /// The request's identifier, a UUID in lower case.
    public let id: String
    /// What happened.
    public let body: Body

    /// An event.
    public init(at: Double, boot: Double, id: String, body: Body) {
        self.at = at
        self.boot = boot
        self.id = id
        self.body = body
    }

    /// What happened, with what the contract says each event carries.
    public enum Body: Hashable, Sendable {
        /// The notification was read; first of all.
        case received(Received)
        /// A call rings now, or goes on in another mode.
        case ringing(Ringing)
        /// A call request does not ring.
        case silent(call: String, why: SilenceReason)
        /// Tick `n` was made, `late` seconds after it was due.
        case tick(n: Int64, late: Double)
        /// The sound came on, or could not.
        case sound(state: SoundState, detail: String)
        /// A picture was attached, or not.
        case attachment(Attachment)
        /// The content was handed over; exactly once.
        case delivered(by: Deliverer, content: NotificationContent)
        /// The ring is over, and silent.
        case ended(Ended)
        /// The person missed this call; `content` replaces the notification with the same id.
        case missed(call: String, content: NotificationContent)
        /// What iOS would have done, or what the operator should know.
        case warning(code: WarningCode, detail: String)
        /// The notification was refused; nothing else happened.
        case rejected(reason: String, detail: String)
    }

    /// What `received` carries.
    public struct Received: Hashable, Sendable {
        /// What the payload is.
        public let type: NotificationType
        /// The call's id, where it is about a call.
        public let call: String?
        /// Why it was not intercepted; nil where it was.
        public let why: PassthroughReason?

        /// What `received` carries.
        public init(type: NotificationType, call: String?, why: PassthroughReason?) {
            self.type = type
            self.call = call
            self.why = why
        }
    }

    /// What `ringing` carries.
    public struct Ringing: Hashable, Sendable {
        /// The call's id.
        public let call: String
        /// How it rings.
        public let mode: RingMode
        /// Seconds from the start of the ring to its end, if nobody ends it before.
        public let duration: Double
        /// Seconds between ticks.
        public let interval: Double
        /// The sound's name or file, or `none`.
        public let sound: String
        /// Whether it vibrates.
        public let vibrate: Bool

        /// What `ringing` carries.
        public init(call: String, mode: RingMode, duration: Double, interval: Double, sound: String, vibrate: Bool) {
            self.call = call
            self.mode = mode
            self.duration = duration
            self.interval = interval
            self.sound = sound
            self.vibrate = vibrate
        }
    }

    /// What `attachment` carries.
    public struct Attachment: Hashable, Sendable {
        /// Whether the picture came.
        public enum Outcome: Hashable, Sendable {
            /// It is in `path`, of uniform type `type`, `bytes` long, and took `seconds` to come.
            case attached(path: String, type: String, bytes: Int64, seconds: Double)
            /// It did not come; `reason` is a code, `detail` for people.
            case skipped(reason: String, detail: String)
        }

        /// Where it was asked from.
        public let url: String
        /// Whether it came.
        public let outcome: Outcome

        /// What `attachment` carries.
        public init(url: String, outcome: Outcome) {
            self.url = url
            self.outcome = outcome
        }
    }

    /// What `ended` carries.
    public struct Ended: Hashable, Sendable {
        /// The call's id.
        public let call: String
        /// Why, as the group file settled it.
        public let reason: EndReason
        /// Why the caller's side hung up; nil where it did not.
        public let hangupReason: HangupReason?
        /// Seconds from the start of the ring to its silence.
        public let rang: Double
        /// How many ticks were made; the start is none.
        public let ticks: Int64

        /// What `ended` carries.
        public init(call: String, reason: EndReason, hangupReason: HangupReason?, rang: Double, ticks: Int64) {
            self.call = call
            self.reason = reason
            self.hangupReason = hangupReason
            self.rang = rang
            self.ticks = ticks
        }
    }
}
