package import BelfryJSON
public import BelfryTerms

/// A call of an app that was answered, or that the app began, as it stands: what desktop and commands know of it.
public struct OngoingCall: Hashable, Sendable {
    /// Where it stands.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The app connects it.
        case connecting
        /// It is on.
        case active
        /// It is held.
        case held
    }

    /// Its id, by which commands name it.
    public let call: String
    /// Its UUID, in capitals, by which they may name it too.
    public let uuid: String
    /// The bundle identifier of its app.
    public let app: String
    /// The name of its app, for people; may be empty.
    public var appName = ""
    /// The name of the other side; may be empty.
    public var name = ""
    /// The number, address or account of the other side; may be empty.
    public var handle = ""
    /// Who has that number; nil if no source of the person's says.
    public var label: NumberLabel?
    /// Whether it is a video call.
    public var hasVideo = false
    /// Whether this side called.
    public var isOutgoing = false
    /// Where it stands.
    public var state = State.connecting
    /// Whether the person is not heard in it.
    public var isMuted = false
    /// The calls of one group have the same number; nil if it is in none.
    public var group: Int64?
    /// Since when it is connected; nil if it is not yet.
    public var since: Instant?
    /// Whether it can be held.
    public var canHold = false
    /// The file of its app's icon, a small PNG picture that may be a mere mask; empty if there is none.
    public var icon = ""

    /// A call that is being connected.
    public init(call: String, uuid: String, app: String) {
        (self.call, self.uuid, self.app) = (call, uuid, app)
    }

    /// Reads one.
    package init(_ said: JSONFields) throws(JSONFieldError) {
        self.init(call: try said.string("call"), uuid: try said.string("uuid"), app: try said.string("app"))
        appName = try said.string("appName")
        name = try said.string("name")
        handle = try said.string("handle")
        hasVideo = try said.bool("video")
        isOutgoing = try said.bool("outgoing")
        state = try said.word("state", State.init)
        isMuted = try said.bool("muted")
        group = try said.ifPresent("group", said.integer)
        since = try said.ifPresent("since", said.integer).map { Instant(microseconds: $0) }
        canHold = try said.bool("holdable")
        icon = try said.string("icon")
        label = try said.label()
    }

    /// The call as a value.
    package var json: JSONObject {
        let object: JSONObject = [
            "call": .string(call), "uuid": .string(uuid), "app": .string(app), "appName": .string(appName),
            "name": .string(name), "handle": .string(handle), "video": .bool(hasVideo),
            "outgoing": .bool(isOutgoing), "state": .string(state.rawValue), "muted": .bool(isMuted),
            "group": group.map { .integer($0) } ?? .null, "since": since.map { .integer($0.microseconds) } ?? .null,
            "holdable": .bool(canHold), "icon": .string(icon),
        ]
        return object.with(label)
    }
}

/// What the person wants done with a call that goes on.
public enum CallCommand: Hashable, Sendable {
    /// End it.
    case end
    /// Hold it, or go on with it.
    case hold(Bool)
    /// Let the person not be heard in it, or be heard again.
    case mute(Bool)
    /// Play these digits to the other side: 0 to 9, A to D, `*` and `#`, with `,` and `;` for pauses.
    case keypad(String)
    /// Have it join the app's other call that goes on.
    case merge
    /// Take it out of its group.
    case split
    /// Hold it, if `holds`, or else end it, since the call with that key is being answered.
    case giveWay(to: String, holds: Bool)

    /// Reads one: its word in `what`.
    package init(_ said: JSONFields) throws(JSONFieldError) {
        switch try said.word("what", { Self.words.contains($0) ? $0 : nil }) {
        case "end": self = .end
        case "hold": self = .hold(true)
        case "resume": self = .hold(false)
        case "mute": self = .mute(true)
        case "unmute": self = .mute(false)
        case "keypad": self = .keypad(try said.string("digits"))
        case "merge": self = .merge
        case "split": self = .split
        case "hold-for": self = .giveWay(to: try said.string("for"), holds: true)
        default: self = .giveWay(to: try said.string("for"), holds: false)
        }
    }

    /// The command as values.
    package var json: JSONObject {
        switch self {
        case .end: ["what": "end"]
        case .hold(let isOn): ["what": isOn ? "hold" : "resume"]
        case .mute(let isOn): ["what": isOn ? "mute" : "unmute"]
        case .keypad(let digits): ["what": "keypad", "digits": .string(digits)]
        case .merge: ["what": "merge"]
        case .split: ["what": "split"]
        case .giveWay(let call, let holds): ["what": holds ? "hold-for" : "end-for", "for": .string(call)]
        }
    }

    private static let words: Set<String> = [
        "end", "hold", "resume", "mute", "unmute", "keypad", "merge", "split", "hold-for", "end-for",
    ]
}
