public import BelfryTerms

// What apps do that have their own calling code: told to those who watch, and to the journal.
extension Event {
    /// What `caller` carries.
    public struct Caller: Hashable, Sendable {
        /// The call's id.
        public let call: String
        /// The caller's name; empty if the app gave none.
        public let name: String
        /// The caller's number, address or account; empty likewise.
        public let handle: String
        /// Whether it is a video call.
        public let hasVideo: Bool
        /// Who has that number; nil if no source of the person's says.
        public var label: NumberLabel?

        /// What `caller` carries.
        public init(call: String, name: String, handle: String, hasVideo: Bool) {
            (self.call, self.name, self.handle, self.hasVideo) = (call, name, handle, hasVideo)
        }

        init<Fields: EventFields>(_ old: Caller, _ field: inout Fields) throws(Fields.Failure) {
            call = try field("call", old.call)
            name = try field("name", old.name)
            handle = try field("handle", old.handle)
            hasVideo = try field("video", old.hasVideo)
            label = try field.label(old.label)
        }
    }

    /// What `app` carries.
    public struct App: Hashable, Sendable {
        /// What became of it.
        public let state: CodeWord<AppState>
        /// Its bundle identifier.
        public let app: String
        /// More, for people: by which method a push was received, how a process ended. May be empty.
        public let detail: String

        /// What `app` carries.
        public init(_ state: AppState, app: String, detail: String = "") {
            (self.state, self.app, self.detail) = (CodeWord(state), app, detail)
        }

        init<Fields: EventFields>(_ old: App, _ field: inout Fields) throws(Fields.Failure) {
            state = try field("state", old.state)
            app = try field("app", old.app)
            detail = try field("detail", old.detail)
        }
    }

    /// What `call` carries.
    public struct AppCall: Hashable, Sendable {
        /// The call's new state.
        public let state: CodeWord<AppCallState>
        /// The call's id in the ledger, by which commands name it.
        public let call: String
        /// Its UUID, in capitals.
        public let uuid: String
        /// The bundle identifier of the app whose call it is.
        public let app: String
        /// Who answered it, or ended it; nil of other states.
        public let by: CodeWord<CallActor>?
        /// Why its report was refused: the number of `CXErrorCodeIncomingCallError`; nil if it was not.
        public let error: Int64?

        /// What `call` carries.
        public init(
            _ state: AppCallState, call: String, uuid: String, app: String, by: CallActor? = nil, error: Int64? = nil
        ) {
            (self.state, self.call, self.uuid, self.app) = (CodeWord(state), call, uuid, app)
            (self.by, self.error) = (by.map { CodeWord($0) }, error)
        }

        init<Fields: EventFields>(_ old: AppCall, _ field: inout Fields) throws(Fields.Failure) {
            state = try field("state", old.state)
            call = try field("call", old.call)
            uuid = try field("uuid", old.uuid)
            app = try field("app", old.app)
            by = try field("by", old.by)
            error = try field("error", old.error)
        }
    }

    /// What `action` carries.
    public struct Action: Hashable, Sendable {
        /// What the delegate is to do.
        public let kind: CodeWord<AppActionKind>
        /// What became of it.
        public let state: CodeWord<AppActionState>
        /// The call's id in the ledger.
        public let call: String
        /// The action's own UUID, in capitals.
        public let uuid: String
        /// The bundle identifier of the app whose call it is.
        public let app: String
        /// Seconds since the delegate was asked to perform it.
        public let seconds: Double

        /// What `action` carries.
        public init(
            _ kind: AppActionKind, _ state: AppActionState, call: String, uuid: String, app: String, seconds: Double
        ) {
            (self.kind, self.state, self.call) = (CodeWord(kind), CodeWord(state), call)
            (self.uuid, self.app, self.seconds) = (uuid, app, seconds)
        }

        init<Fields: EventFields>(_ old: Action, _ field: inout Fields) throws(Fields.Failure) {
            kind = try field("kind", old.kind)
            state = try field("state", old.state)
            call = try field("call", old.call)
            uuid = try field("uuid", old.uuid)
            app = try field("app", old.app)
            seconds = try field("seconds", old.seconds)
        }
    }

    /// What `caller` carries; nil of every other event.
    public var caller: Caller? { if case .caller(let caller) = body { caller } else { nil } }

    /// What `app` carries; nil of every other event.
    public var app: App? { if case .app(let app) = body { app } else { nil } }

    /// What `call` carries; nil of every other event. (`call` itself is the id of the call that an event is about.)
    public var appCall: AppCall? { if case .call(let call) = body { call } else { nil } }

    /// What `action` carries; nil of every other event.
    public var action: Action? { if case .action(let action) = body { action } else { nil } }
}
