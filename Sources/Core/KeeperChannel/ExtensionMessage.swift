import BelfryJSON
public import BelfryProtocol
public import BelfryTerms

/// What an extension's process says to its keeper, one JSON object a line. A number says which notification it is
/// about.
public enum ExtensionMessage: Hashable, Sendable {
    /// The first word: the process is ready for a notification.
    case hello
    /// The content handler was called, with a copy of the content as it was then.
    case reply(Int64, NotificationContent)
    /// `didReceive` returned.
    case returned(Int64)
    /// The code asked for something that happens outside of its process.
    case asked(Int64, Asked)
    /// The sound that the code asked for was looked at.
    case sound(FoundSound)
    /// The code has disposed of the sound with this number, which is silent from now on.
    case disposed(Int64)
    /// What the code of a call directory's extension does with its load.
    case directory(DirectoryWord)
    /// The code wrote something for people.
    case output(Int64, ExtensionOutput)
    /// What iOS would have said of the code.
    case warning(Int64, CodeWord<WarningCode>, detail: String)
}

/// What an extension's code writes for people.
public struct ExtensionOutput: Hashable, Sendable {
    /// The text, perhaps of several lines.
    public let text: String
    /// How important it is, from 0 to 7 as in syslog(3).
    public let priority: Int64
    /// Which part of the code wrote it; empty if it does not say.
    public let subsystem: String
    /// Which part of that part; empty if it does not say.
    public let category: String

    /// A text, by default of what a program prints; `priority` is brought into its range.
    public init(text: String, priority: Int64 = 6, subsystem: String = "", category: String = "") {
        self.text = text
        self.priority = min(max(priority, 0), 7)
        self.subsystem = subsystem
        self.category = category
    }
}

/// Something that an extension's code asks for.
public struct Asked: Hashable, Sendable {
    /// What is asked for; a later version may have added a word.
    public let what: CodeWord<AskedKind>
    /// The file that it is about; nil if there is none.
    public let path: String?
    /// A number that belongs to it, such as the badge; nil if there is none.
    public let count: Int64?
    /// In words, for people.
    public var detail: String
    /// The token with which the keeper reports that it is over; nil if the code does not wait for that.
    public var token: Int64?
    /// Which notifications that are shown, or shown no longer, it is about; empty for all that are shown. Nil if it is
    /// about none of them.
    public var identifiers: [String]?
    /// The content of the notification that is shown, if it is about one.
    public var content: NotificationContent?

    /// Something that is asked for.
    public init(
        _ what: CodeWord<AskedKind>, path: String? = nil, count: Int64? = nil, detail: String = "",
        token: Int64? = nil, identifiers: [String]? = nil, content: NotificationContent? = nil
    ) {
        self.what = what
        self.path = path
        self.count = count
        self.detail = detail
        self.token = token
        self.identifiers = identifiers
        self.content = content
    }
}

/// A sound that was asked for, in a form that can be played.
public struct FoundSound: Hashable, Sendable {
    /// The token it was asked for with.
    public let token: Int64
    /// Its number: a sound with this number that still plays ends when it begins again.
    public let sound: Int64
    /// Why there is nothing to play, for people; nil if a file with it is passed beside the message.
    public let problem: String?

    /// A sound.
    public init(token: Int64, sound: Int64, problem: String?) {
        self.token = token
        self.sound = sound
        self.problem = problem
    }
}

extension Asked {
    fileprivate func json(_ number: Int64) -> JSONObject {
        var json: JSONObject = [
            "say": "asked", "number": .integer(number), "what": .string(what.rawValue),
            "path": path.map { .string($0) } ?? .null, "count": count.map { .integer($0) } ?? .null,
            "detail": .string(detail), "token": token.map { .integer($0) } ?? .null,
        ]
        if let identifiers { json["identifiers"] = .array(identifiers.map { .string($0) }) }
        if let content { json["content"] = .object(content.json) }
        return json
    }
}

extension ExtensionMessage {
    /// The message as its line, newline included; longer than the keeper reads only if its content or its output is.
    public var line: [UInt8] { json.serialized() + [UInt8(ascii: "\n")] }

    var json: JSONObject {
        switch self {
        case .hello: ["say": "hello"]
        case .reply(let number, let content):
            ["say": "reply", "number": .integer(number), "content": .object(content.json)]
        case .returned(let number): ["say": "returned", "number": .integer(number)]
        case .asked(let number, let asked): asked.json(number)
        case .sound(let found):
            [
                "say": "sound", "token": .integer(found.token), "sound": .integer(found.sound),
                "problem": found.problem.map { .string($0) } ?? .null,
            ]
        case .disposed(let sound): ["say": "disposed", "sound": .integer(sound)]
        case .directory(let word): word.json
        case .output(let number, let output):
            [
                "say": "output", "number": .integer(number), "text": .string(output.text),
                "priority": .integer(output.priority), "subsystem": .string(output.subsystem),
                "category": .string(output.category),
            ]
        case .warning(let number, let code, let detail):
            [
                "say": "warning", "number": .integer(number), "code": .string(code.rawValue),
                "detail": .string(detail),
            ]
        }
    }

    /// Reads a line; nil for a message that a later version has added.
    init?(_ word: String, _ said: JSONFields) throws(JSONFieldError) {
        switch word {
        case "hello": self = .hello
        case "reply": self = .reply(try said.integer("number"), try said.content("content"))
        case "returned": self = .returned(try said.integer("number"))
        case "asked":
            let asked = Asked(
                CodeWord(rawValue: try said.string("what")), path: try said.ifPresent("path", said.string),
                count: try said.ifPresent("count", said.integer), detail: try said.string("detail"),
                token: try said.ifPresent("token", said.integer),
                identifiers: try said.ifPresent("identifiers", said.strings),
                content: try said.ifPresent("content", said.content))
            self = .asked(try said.integer("number"), asked)
        case "sound":
            self = .sound(
                FoundSound(
                    token: try said.integer("token"), sound: try said.integer("sound"),
                    problem: try said.ifPresent("problem", said.string)))
        case "disposed": self = .disposed(try said.integer("sound"))
        case "output":
            let output = ExtensionOutput(
                text: try said.string("text"), priority: try said.integer("priority"),
                subsystem: try said.string("subsystem"), category: try said.string("category"))
            self = .output(try said.integer("number"), output)
        case "warning":
            self = .warning(
                try said.integer("number"), CodeWord(rawValue: try said.string("code")),
                detail: try said.string("detail"))
        default:
            guard let word = try DirectoryWord(word, said) else { return nil }
            self = .directory(word)
        }
    }
}

extension ExtensionMessage {
    /// Whether the keeper can read the message: its line is not too long, and its values are neither nested too deep
    /// nor too many.
    public var canBeHeard: Bool {
        var lines = LineFraming()
        guard let said = try? lines.said(line).first else { return false }
        return (try? ChannelError.reading(said, ExtensionMessage.init)) != nil
    }
}
