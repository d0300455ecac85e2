import BelfryJSON
public import BelfryProtocol
public import BelfryTerms

/// What a worker says to `belfry-calls`. Its first line is ``push(_:)``; then it says its own events.
public enum WorkerMessage: Hashable, Sendable {
    /// A voip push has come, and waits for a ``WorkerOrder``.
    case push(VoIPPush)
    /// An event of the notification, as the worker's client gets it.
    case event(Event)
}

/// A voip push, as its worker hands it over.
public struct VoIPPush: Hashable, Sendable {
    /// What a push is about, as far as Belfry can tell.
    public enum Kind: String, CaseIterable, Sendable {
        case callRequest = "call-request"
        case hangup
        /// No call of its own: it rings for its app's report alone.
        case other
    }

    /// The push's id.
    public let id: String
    /// Its topic, usually `<bundle id>.voip`; nil if it states none.
    public var topic: String?
    /// The app that a `simctl push` file names; nil if it names none.
    public var bundle: String?
    /// The app group whose ledger has the call.
    public var group: GroupName
    /// The key in the ledger of its call, or of the one that is reported for it; empty for the anonymous call.
    public var call = ""
    /// What it is about.
    public var kind: Kind
    /// The payload as it came: JSON text.
    public var payload: String
    /// The last instant at which its ring would still be on.
    public var until: Instant

    /// A push.
    public init(id: String, group: GroupName, kind: Kind, payload: String, until: Instant) {
        (self.id, self.group, self.kind, self.payload, self.until) = (id, group, kind, payload, until)
    }
}

/// Who calls, as an app reported it.
public struct ReportedCaller: Hashable, Sendable {
    /// The caller's name; nil if the app said nothing of it, so that the push's counts.
    public var name: String?
    /// The caller's number, address or account; nil likewise.
    public var handle: String?
    /// Who has that number; nil if no source of the person's says.
    public var label: NumberLabel?
    /// Whether it is a video call; nil likewise.
    public var hasVideo: Bool?
    /// The call's UUID, by which it may be named here too; nil if none was reported.
    public var uuid: CallUUID?

    /// A caller of whom nothing was said.
    public init() {}
}

/// What `belfry-calls` says to a worker.
public enum WorkerOrder: Hashable, Sendable {
    /// No app takes the push, or none has reported what is no call itself: do as without one.
    case none
    /// This app has it, or will: ring when told so.
    case wait(app: String)
    /// Ring, with the caller that an app reported; nil if its patience is over, and the push's own fields count.
    case ring(ReportedCaller?)
    /// Ring with the file beside this line where it rings loud: the tune that its app calls so.
    case tone(String)
    /// The caller is another one than was said: show and list that.
    case caller(ReportedCaller)
    /// Do not ring, for that reason; with who has the number that an app reported.
    case silent(CodeWord<SilenceReason>, label: NumberLabel? = nil)
    /// The app was handed the push: it is who delivers it. A hangup is delivered then, or at any other first order.
    case handed
    /// End the ring as that asks for.
    case end(RingEnd)
    /// Report this on the push's connection.
    case warning(CodeWord<WarningCode>, detail: String)
}

/// How an app ends a ring.
public enum RingEnd: Hashable, Sendable {
    /// The app has answered it by an action of its own.
    case answer
    /// The app has declined it by an action of its own.
    case decline
    /// The caller's side has ended it, as the app says.
    case hangUp(HangupReason)
    /// The app said that nobody answered.
    case timeOut
}

extension WorkerMessage {
    /// The message as its line, newline included.
    public var line: [UInt8] {
        switch self {
        case .event(let event): event.line
        case .push(let push):
            SaidLine.written(
                "voip",
                [
                    "id": .string(push.id), "topic": push.topic.map { .string($0) } ?? .null,
                    "bundle": push.bundle.map { .string($0) } ?? .null, "group": .string(push.group.text),
                    "call": .string(push.call), "kind": .string(push.kind.rawValue), "payload": .string(push.payload),
                    "until": .integer(push.until.microseconds),
                ])
        }
    }

    /// Reads a line; nil for a message that a later version has added.
    public static func read(_ line: [UInt8]) throws(CallChannelError) -> WorkerMessage? {
        if let event = try? Event(line: line) { return .event(event) }
        return try CallChannelError.reading(line) { (word, said) throws(JSONFieldError) in
            guard word == "voip" else { return nil }
            var push = VoIPPush(
                id: try said.short("id"), group: try said.word("group", GroupName.init),
                kind: try said.word("kind", VoIPPush.Kind.init),
                payload: try said.short("payload", bytesMax: Push.voipPayloadBytesMax),
                until: Instant(microseconds: try said.integer("until")))
            push.topic = try said.ifPresent("topic", said.string)
            push.bundle = try said.ifPresent("bundle", said.string)
            push.call = try said.short("call")
            return .push(push)
        }
    }
}

extension WorkerOrder {
    /// The order as its line, newline included.
    public var line: [UInt8] {
        switch self {
        case .none: SaidLine.written("none", [:])
        case .wait(let app): SaidLine.written("wait", ["app": .string(app)])
        case .ring(let caller): SaidLine.written("ring", ["caller": caller?.json ?? .null])
        case .tone(let name): SaidLine.written("tone", ["name": .string(name)])
        case .caller(let caller): SaidLine.written("caller", ["caller": caller.json])
        case .silent(let why, let label):
            SaidLine.written("silent", JSONObject().with("why", .string(why.rawValue)).with(label))
        case .handed: SaidLine.written("handed", [:])
        case .end(let end): SaidLine.written("end", end.json)
        case .warning(let code, let detail):
            SaidLine.written("warning", ["code": .string(code.rawValue), "detail": .string(detail)])
        }
    }

    /// Reads a line; nil for an order that a later version has added.
    public static func read(_ line: [UInt8]) throws(CallChannelError) -> WorkerOrder? {
        try CallChannelError.reading(line) { (word, said) throws(JSONFieldError) in
            switch word {
            case "none": return WorkerOrder.none
            case "wait": return .wait(app: try said.string("app"))
            case "ring": return .ring(try said.ifPresent("caller", said.caller))
            case "tone": return .tone(try said.short("name"))
            case "caller": return .caller(try said.caller("caller"))
            case "silent": return .silent(CodeWord(rawValue: try said.string("why")), label: try said.label())
            case "handed": return .handed
            case "end": return .end(try RingEnd(said))
            case "warning":
                return .warning(CodeWord(rawValue: try said.string("code")), detail: try said.string("detail"))
            default: return nil
            }
        }
    }
}

extension RingEnd {
    fileprivate var json: JSONObject {
        switch self {
        case .answer: ["as": "answer"]
        case .decline: ["as": "decline"]
        case .hangUp(let reason): ["as": "hangup", "reason": .string(reason.rawValue)]
        case .timeOut: ["as": "timeout"]
        }
    }

    fileprivate init(_ said: JSONFields) throws(JSONFieldError) {
        switch try said.word("as", { ["answer", "decline", "hangup", "timeout"].contains($0) ? $0 : nil }) {
        case "answer": self = .answer
        case "decline": self = .decline
        case "timeout": self = .timeOut
        default: self = .hangUp(try said.word("reason", HangupReason.init))
        }
    }
}

extension ReportedCaller {
    fileprivate var json: JSONValue {
        let object: JSONObject = [
            "name": name.map { .string($0) } ?? .null, "handle": handle.map { .string($0) } ?? .null,
            "video": hasVideo.map { .bool($0) } ?? .null, "uuid": uuid.map { .string($0.text) } ?? .null,
        ]
        return .object(object.with(label))
    }
}

extension JSONFields {
    fileprivate func caller(_ key: String) throws(JSONFieldError) -> ReportedCaller {
        let said = try fields(key)
        var caller = ReportedCaller()
        caller.name = try said.ifPresent("name", said.string)
        caller.handle = try said.ifPresent("handle", said.string)
        caller.label = try said.label()
        caller.hasVideo = try said.ifPresent("video", said.bool)
        caller.uuid = try said.ifPresent("uuid", said.uuid)
        return caller
    }
}
