import BelfryJSON

/// An action on a call: `CXCallAction`.
public struct CallAction: Hashable, Sendable {
    /// Which action.
    public enum Kind: Hashable, Sendable {
        /// To call somebody.
        case start(CallStart)
        case answer, end
        /// To hold the call, or to go on with it.
        case hold(Bool)
        /// To let the person not be heard, or be heard again.
        case mute(Bool)
        /// To have it join the group of that call, or leave its own if that is nil.
        case group(with: CallUUID?)
        /// To play tones.
        case dtmf(CallDigits)
        /// Another one, by its class's name, which no transaction can have.
        case other(String)

        /// The word on the wire.
        public var word: String {
            switch self {
            case .start: "start"
            case .answer: "answer"
            case .end: "end"
            case .hold(let isOn): isOn ? "hold" : "resume"
            case .mute(let isOn): isOn ? "mute" : "unmute"
            case .group(let other): other == nil ? "ungroup" : "group"
            case .dtmf: "dtmf"
            case .other(let name): name
            }
        }
    }

    /// Its own UUID, with which both ends refer to it.
    public let uuid: CallUUID
    /// What it does.
    public let kind: Kind
    /// The call that it is about; nil if it is about none.
    public let call: CallUUID?

    /// An action.
    public init(_ kind: Kind, of call: CallUUID?, uuid: CallUUID) {
        self.kind = kind
        self.call = call
        self.uuid = uuid
    }
}

/// Whom an app calls: `CXStartCallAction`.
public struct CallStart: Hashable, Sendable {
    /// Who is called.
    public let handle: CallHandle
    /// Whether it is a video call.
    public var hasVideo = false
    /// The person's contact, by its identifier; nil if the app names none.
    public var contact: String?

    /// A call to `handle`.
    public init(_ handle: CallHandle) { self.handle = handle }
}

/// Tones for the other side: `CXPlayDTMFCallAction`.
public struct CallDigits: Hashable, Sendable {
    /// The digits, as the app has them.
    public let digits: String
    /// What they are, 1 to 3: the number of `CXPlayDTMFCallAction.ActionType`.
    public let type: Int64

    /// Digits.
    public init(_ digits: String, type: Int64) { (self.digits, self.type) = (digits, type) }

    /// Whether a phone has keys for all of them, or pauses: 0 to 9, A to D, `*`, `#`, `,`, `;`.
    public var areKeys: Bool {
        !digits.isEmpty && digits.utf8.count <= CallLimits.digitsMax
            && digits.allSatisfy { "0123456789ABCDabcd*#,;".contains($0) }
    }
}

extension CallAction {
    init(_ said: JSONFields) throws(JSONFieldError) {
        self.init(
            try Kind(word: said.short("kind"), said), of: try said.ifPresent("call", said.uuid),
            uuid: try said.uuid("uuid"))
    }

    var json: JSONValue {
        var object = kind.json
        object["uuid"] = .string(uuid.text)
        object["call"] = call.map { .string($0.text) } ?? .null
        return .object(object)
    }
}

extension CallAction.Kind {
    /// The kind that `word` names.
    fileprivate init(word: String, _ said: JSONFields) throws(JSONFieldError) {
        switch word {
        case "start":
            var start = CallStart(try said.handle("handle"))
            start.hasVideo = try said.bool("video")
            start.contact = try said.ifPresent("contact", said.string)
            self = .start(start)
        case "answer": self = .answer
        case "end": self = .end
        case "hold", "resume": self = .hold(word == "hold")
        case "mute", "unmute": self = .mute(word == "mute")
        case "group": self = .group(with: try said.uuid("with"))
        case "ungroup": self = .group(with: nil)
        case "dtmf":
            self = .dtmf(CallDigits(try said.string("digits"), type: try said.integer("type", in: 1...3)))
        default: self = .other(word)
        }
    }

    fileprivate var json: JSONObject {
        var object: JSONObject = ["kind": .string(word)]
        switch self {
        case .start(let start):
            object["handle"] = start.handle.json
            object["video"] = .bool(start.hasVideo)
            object["contact"] = start.contact.map { .string($0) } ?? .null
        case .group(let other?): object["with"] = .string(other.text)
        case .dtmf(let digits):
            object["digits"] = .string(digits.digits)
            object["type"] = .integer(digits.type)
        case .answer, .end, .hold, .mute, .group(with: nil), .other: break
        }
        return object
    }
}
