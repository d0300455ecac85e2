import BelfryJSON
public import BelfryProtocol
public import BelfryTerms

/// What a keeper that stays says to the worker of one notification, one JSON object a line.
public enum KeeperNews: Hashable, Sendable {
    /// The notification has its place in the queue.
    case queued
    /// It was handed over; its budget ends at `deadline`.
    case began(deadline: Instant)
    /// Its process said this.
    case said(ExtensionMessage)
    /// The original is to be delivered.
    case original(by: Deliverer)
    /// The state of its process, `lived` after its start; `memory` is the most bytes of its own memory that it had.
    case process(ExtensionState, exit: Int64?, lived: TimeSpan, memory: Int64?)
    /// Its process was killed: its sounds must stop.
    case killed
    /// It is finished.
    case over
}

/// What the worker of a notification says to a keeper that stays, one JSON object a line.
public enum KeeperOrder: Hashable, Sendable {
    /// The first word: the notification, which waits for its turn.
    case receive(identifier: String, content: NotificationContent)
    /// What was asked for with this token is over.
    case finished(Int64)
}

extension KeeperNews {
    /// The news as a line, newline included.
    public var line: [UInt8] { json.serialized() + [UInt8(ascii: "\n")] }

    private var json: JSONObject {
        switch self {
        case .queued: ["say": "queued"]
        case .began(let deadline): ["say": "began", "deadline": .integer(deadline.microseconds)]
        case .said(let message): message.json
        case .original(let by): ["say": "original", "by": .string(by.rawValue)]
        case .process(let state, let exit, let lived, let memory):
            [
                "say": "process", "state": .string(state.rawValue), "exit": exit.map { .integer($0) } ?? .null,
                "lived": .integer(lived.microseconds), "memory": memory.map { .integer($0) } ?? .null,
            ]
        case .killed: ["say": "killed"]
        case .over: ["say": "over"]
        }
    }

    /// Reads a line, which is without its newline; nil for news that a later version has added.
    public init?(line: [UInt8]) throws(ChannelError) {
        guard let news = try ChannelError.reading(line, Self.init) else { return nil }
        self = news
    }

    private init?(_ word: String, _ said: JSONFields) throws(JSONFieldError) {
        switch word {
        case "queued": self = .queued
        case "began": self = .began(deadline: Instant(microseconds: try said.integer("deadline")))
        case "original":
            guard let by = Deliverer(rawValue: try said.string("by")) else { return nil }
            self = .original(by: by)
        case "process":
            guard let state = ExtensionState(rawValue: try said.string("state")) else { return nil }
            self = .process(
                state, exit: try said.ifPresent("exit", said.integer),
                lived: TimeSpan(microseconds: try said.integer("lived")),
                memory: try said.ifPresent("memory", said.integer))
        case "killed": self = .killed
        case "over": self = .over
        default:
            guard let message = try ExtensionMessage(word, said) else { return nil }
            self = .said(message)
        }
    }
}

extension KeeperOrder {
    /// The order as a line, newline included.
    public var line: [UInt8] {
        let object: JSONObject =
            switch self {
            case .receive(let identifier, let content):
                ["say": "receive", "identifier": .string(identifier), "content": .object(content.json)]
            case .finished(let token): ["say": "finished", "token": .integer(token)]
            }
        return object.serialized() + [UInt8(ascii: "\n")]
    }

    /// Reads a line, which is without its newline; nil for an order that a later version has added.
    public init?(line: [UInt8]) throws(ChannelError) {
        guard let order = try ChannelError.reading(line, Self.init) else { return nil }
        self = order
    }

    private init?(_ word: String, _ said: JSONFields) throws(JSONFieldError) {
        switch word {
        case "receive":
            self = .receive(identifier: try said.string("identifier"), content: try said.content("content"))
        case "finished": self = .finished(try said.integer("token"))
        default: return nil
        }
    }
}
