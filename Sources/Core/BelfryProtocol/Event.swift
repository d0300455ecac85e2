public import BelfryJSON
public import BelfryTerms

/// One event of a notification's life, as the push socket writes it: a JSON line.
///
/// A worker may be newer than the program that reads its events. Code words are therefore ``CodeWord``s, fields that
/// this version does not know are passed over, and an event that it cannot read is handed on as ``Body/unknown(_:)``.
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
    ///
    /// Code that makes an event takes the words from the closed lists: `.warning(code: .badClock, detail: …)`.
    public enum Body: Hashable, Sendable {
        /// The notification was read; first of all.
        case received(Received)
        /// A call rings now, or goes on in another mode.
        case ringing(Ringing)
        /// A call request does not ring.
        case silent(call: String, why: CodeWord<SilenceReason>, label: NumberLabel? = nil)
        /// Tick `n` was made, `late` seconds after it was due.
        case tick(n: Int64, late: Double)
        /// The sound came on, or could not.
        case sound(state: CodeWord<SoundState>, detail: String)
        /// The desktop shows the notification, or does not.
        case notification(state: CodeWord<NotificationState>, detail: String)
        /// Something vibrates, or cannot.
        case vibration(state: CodeWord<VibrationState>, detail: String)
        /// A picture was attached, or not.
        case attachment(Attachment)
        /// The content was handed over; exactly once. If it is not `isShown`, the extension has filtered it (R2).
        case delivered(by: CodeWord<Deliverer>, content: NotificationContent, isShown: Bool = true)
        /// The ring is over, and silent.
        case ended(Ended)
        /// The person missed this call; `content` replaces the notification with the same id.
        case missed(call: String, content: NotificationContent, label: NumberLabel? = nil)
        /// What iOS would have done, or what the operator should know.
        case warning(code: CodeWord<WarningCode>, detail: String)
        /// The process of a foreign extension was started, has done its work, or is gone.
        case extensionProcess(ExtensionProcess)
        /// A foreign extension's code asked for something that happens outside of its process.
        case asked(Asked)
        /// Who calls has changed: an app said so, or was late to say it.
        case caller(Caller)
        /// An app was started, was handed a push, or is gone.
        case app(App)
        /// A call that an app reported has a new state.
        case call(AppCall)
        /// An action that an app's provider is to perform.
        case action(Action)
        /// The notification was refused; nothing else happened.
        case rejected(reason: CodeWord<RejectionReason>, detail: String)
        /// A later version's event, or one in a form that this version cannot read.
        case unknown(Unknown)

        /// A call request does not ring.
        @_disfavoredOverload
        public static func silent(call: String, why: SilenceReason, label: NumberLabel? = nil) -> Body {
            .silent(call: call, why: CodeWord(why), label: label)
        }

        /// The sound came on, or could not.
        @_disfavoredOverload
        public static func sound(state: SoundState, detail: String) -> Body {
            .sound(state: CodeWord(state), detail: detail)
        }

        /// The desktop shows the notification, or does not.
        @_disfavoredOverload
        public static func notification(state: NotificationState, detail: String) -> Body {
            .notification(state: CodeWord(state), detail: detail)
        }

        /// Something vibrates, or cannot.
        @_disfavoredOverload
        public static func vibration(state: VibrationState, detail: String) -> Body {
            .vibration(state: CodeWord(state), detail: detail)
        }

        /// The content was handed over.
        @_disfavoredOverload
        public static func delivered(by: Deliverer, content: NotificationContent, isShown: Bool = true) -> Body {
            .delivered(by: CodeWord(by), content: content, isShown: isShown)
        }

        /// What iOS would have done, or what the operator should know.
        @_disfavoredOverload
        public static func warning(code: WarningCode, detail: String) -> Body {
            .warning(code: CodeWord(code), detail: detail)
        }

        /// The notification was refused.
        @_disfavoredOverload
        public static func rejected(reason: RejectionReason, detail: String) -> Body {
            .rejected(reason: CodeWord(reason), detail: detail)
        }
    }

    /// What `received` carries.
    public struct Received: Hashable, Sendable {
        /// What the payload is.
        public let type: CodeWord<NotificationType>
        /// The call's id; nil if it is not about a call.
        public let call: String?
        /// Why it was not intercepted; nil if it was.
        public let why: CodeWord<PassthroughReason>?
        /// Whether it wakes the app.
        public var isContentAvailable = false
        /// Its topic, usually the app's bundle identifier; nil if none was stated.
        public var topic: String?
        /// What notifications of one matter share; a later one replaces an earlier one where it is shown.
        public var collapseID: String?
        /// The app that a `simctl push` file names.
        public var bundle: String?

        /// What `received` carries of every push.
        public init(type: NotificationType, call: String?, why: PassthroughReason?) {
            self.type = CodeWord(type)
            self.call = call
            self.why = why.map { CodeWord($0) }
        }

        init<Fields: EventFields>(_ old: Received, _ field: inout Fields) throws(Fields.Failure) {
            type = try field("type", old.type)
            call = try field("call", old.call)
            let isIntercepted = try field("intercepted", old.why == nil)
            why = try field("why", old.why)
            isContentAvailable = try field("contentAvailable", Optional(old.isContentAvailable)) ?? false
            topic = try field("topic", old.topic)
            collapseID = try field("collapseId", old.collapseID)
            bundle = try field("bundle", old.bundle)
            try field.require(isIntercepted == (why == nil), "there is a why exactly if intercepted is false")
        }
    }

    /// What `ringing` carries.
    public struct Ringing: Hashable, Sendable {
        /// The call's id.
        public let call: String
        /// How it rings.
        public let mode: CodeWord<RingMode>
        /// Why it rings without sound; nil if it is heard, or `[Ring] SecondCall=` alone has it silent.
        public let why: CodeWord<MuteReason>?
        /// Seconds from the start of the ring to its end, if it is not ended before.
        public let duration: Double
        /// Seconds between ticks.
        public let interval: Double
        /// The sound's name or file, or `none`.
        public let sound: String
        /// Whether it vibrates.
        public let vibrate: Bool
        /// Who has the caller's number; nil if no source of the person's says.
        public var label: NumberLabel?

        /// What `ringing` carries.
        public init(
            call: String, mode: RingMode, why: MuteReason? = nil, duration: Double, interval: Double, sound: String,
            vibrate: Bool
        ) {
            self.call = call
            self.mode = CodeWord(mode)
            self.why = why.map { CodeWord($0) }
            self.duration = duration
            self.interval = interval
            self.sound = sound
            self.vibrate = vibrate
        }

        init<Fields: EventFields>(_ old: Ringing, _ field: inout Fields) throws(Fields.Failure) {
            call = try field("call", old.call)
            mode = try field("mode", old.mode)
            why = try field("why", old.why)
            duration = try field("duration", old.duration)
            interval = try field("interval", old.interval)
            sound = try field("sound", old.sound)
            vibrate = try field("vibrate", old.vibrate)
            label = try field.label(old.label)
        }
    }

    /// What `attachment` carries.
    public struct Attachment: Hashable, Sendable {
        /// Whether the picture came.
        public enum Outcome: Hashable, Sendable {
            /// It is in `path`, of uniform type `type`, `bytes` long, and took `seconds` to come.
            case attached(path: String, type: String, bytes: Int64, seconds: Double)
            /// It did not come; `reason` is a code word, `detail` for people.
            case skipped(reason: CodeWord<SkipReason>, detail: String)

            /// It did not come.
            @_disfavoredOverload
            public static func skipped(reason: SkipReason, detail: String) -> Outcome {
                .skipped(reason: CodeWord(reason), detail: detail)
            }

            /// What the push socket calls them.
            fileprivate enum State: String {
                case attached, skipped
            }

            fileprivate var state: State {
                switch self {
                case .attached: .attached
                case .skipped: .skipped
                }
            }

            fileprivate func visited<Fields: EventFields>(by field: inout Fields) throws(Fields.Failure) -> Outcome {
                switch self {
                case .attached(let path, let type, let bytes, let seconds):
                    .attached(
                        path: try field("path", path), type: try field("type", type), bytes: try field("bytes", bytes),
                        seconds: try field("seconds", seconds))
                case .skipped(let reason, let detail):
                    .skipped(reason: try field("reason", reason), detail: try field("detail", detail))
                }
            }
        }

        /// The address that the payload gives.
        public let url: String
        /// Whether it came.
        public let outcome: Outcome
        /// The file of the picture; nil if it did not come.
        public var path: String? { if case .attached(let path, _, _, _) = outcome { path } else { nil } }
        /// Why it did not come; nil if it did.
        public var skipped: CodeWord<SkipReason>? {
            if case .skipped(let reason, _) = outcome { reason } else { nil }
        }

        /// What `attachment` carries.
        public init(url: String, outcome: Outcome) {
            self.url = url
            self.outcome = outcome
        }

        init<Fields: EventFields>(_ old: Attachment, _ field: inout Fields) throws(Fields.Failure) {
            let state = try field("state", CodeWord(old.outcome.state))
            url = try field("url", old.url)
            try field.require(state.known != nil, "an attachment's state is not \(state)")
            // A reader begins with a blank of one state, so the state has to come from the field.
            let given = state == old.outcome.state ? old.outcome : Self.blankPicture
            outcome = try given.visited(by: &field)
        }

        private static let blankPicture = Outcome.attached(path: "", type: "", bytes: 0, seconds: 0)
    }

    /// What `ended` carries.
    public struct Ended: Hashable, Sendable {
        /// The call's id.
        public let call: String
        /// Why, as the group file settled it.
        public let reason: CodeWord<EndReason>
        /// Why the caller's side hung up; nil if it did not.
        public let hangupReason: CodeWord<HangupReason>?
        /// Seconds from the start of the ring to its silence.
        public let rang: Double
        /// How many ticks were made; the start is none.
        public let ticks: Int64

        /// What `ended` carries.
        public init(call: String, reason: EndReason, hangupReason: HangupReason?, rang: Double, ticks: Int64) {
            self.call = call
            self.reason = CodeWord(reason)
            self.hangupReason = hangupReason.map { CodeWord($0) }
            self.rang = rang
            self.ticks = ticks
        }

        init<Fields: EventFields>(_ old: Ended, _ field: inout Fields) throws(Fields.Failure) {
            call = try field("call", old.call)
            reason = try field("reason", old.reason)
            hangupReason = try field("hangupReason", old.hangupReason)
            rang = try field("rang", old.rang)
            ticks = try field("ticks", old.ticks)
        }
    }

    /// What `extension` carries.
    public struct ExtensionProcess: Hashable, Sendable {
        /// The state of the process.
        public let state: CodeWord<ExtensionState>
        /// Once it has ended: its exit status, or 128 and the number of the signal that killed it, as shells have it.
        public let exit: Int64?
        /// Seconds since it was started.
        public let seconds: Double
        /// The most bytes of memory of its own that it was seen to have; nil if it was not looked at.
        public let memory: Int64?

        /// What `extension` carries.
        public init(state: ExtensionState, exit: Int64? = nil, seconds: Double, memory: Int64? = nil) {
            self.state = CodeWord(state)
            self.exit = exit
            self.seconds = seconds
            self.memory = memory
        }

        init<Fields: EventFields>(_ old: ExtensionProcess, _ field: inout Fields) throws(Fields.Failure) {
            state = try field("state", old.state)
            exit = try field("exit", old.exit)
            seconds = try field("seconds", old.seconds)
            memory = try field("memory", old.memory)
        }
    }

    /// What `asked` carries.
    public struct Asked: Hashable, Sendable {
        /// What was asked for.
        public let what: CodeWord<AskedKind>
        /// How often this was asked for by now.
        public let n: Int64
        /// What it is about, for people.
        public let detail: String
        /// Of notifications that are shown, or shown no longer: which; empty for all that are shown. Nil if it is about
        /// none of them.
        public let identifiers: [String]?
        /// Of a notification that is shown: what it shows.
        public let content: NotificationContent?

        /// What `asked` carries.
        public init(
            what: CodeWord<AskedKind>, n: Int64, detail: String, identifiers: [String]? = nil,
            content: NotificationContent? = nil
        ) {
            self.what = what
            self.n = n
            self.detail = detail
            self.identifiers = identifiers
            self.content = content
        }

        init<Fields: EventFields>(_ old: Asked, _ field: inout Fields) throws(Fields.Failure) {
            what = try field("what", old.what)
            n = try field("n", old.n)
            detail = try field("detail", old.detail)
            identifiers = try field("identifiers", old.identifiers)
            content = try field("content", old.content)
        }
    }

    /// An event that this version cannot read.
    public struct Unknown: Hashable, Sendable {
        /// The worker's name for it: one that this version does not know, or one that it knows but whose fields have
        /// changed.
        public let name: String
        /// The whole object, as it came.
        public let object: JSONObject
        /// What this version does not understand in it, for people; names from the object in it are not escaped.
        public let problem: String

        /// What the object says beside `event`, `at`, `boot` and `id`.
        public var fields: JSONObject {
            var fields = object
            for key in ["event", "at", "boot", "id"] { fields[key] = nil }
            return fields
        }
    }
}
