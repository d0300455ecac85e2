public import BelfryDevices
import BelfryJSON

/// What a machine says of a push that a gateway has asked it to take.
public struct FleetSaying: Hashable, Sendable {
    /// What there is to say.
    public enum Word: Hashable, Sendable {
        /// The push is here; what becomes of it is said later.
        case taken
        /// A worker took it: it is settled.
        case received
        /// No worker ever will: it is settled as well.
        case rejected(reason: String, detail: String)
        /// A later one of its token and topic was taken while it was kept: it is settled, too.
        case replaced
        /// No worker can take it now.
        case offline(OfflineReason, detail: String)
        /// After ``received``: what became of it, as workers call it, and a code word of theirs.
        case event(String, code: String?)
        /// Nothing more is said of it.
        case over

        /// Whether it is said after ``received`` alone.
        var isAfterwards: Bool {
            switch self {
            case .event, .over: true
            case .taken, .received, .rejected, .replaced, .offline: false
            }
        }
    }

    /// Which of a machine's lives says so: made up as the agent starts. Two that say something of one push are two
    /// machines by one credential.
    public let agent: UInt64
    /// What it says.
    public let word: Word
    /// Of an event, its place among those of the push, from 1: what was heard already is not told again.
    public let place: Int64

    /// `word`, as the agent `agent` says it.
    public init(_ word: Word, by agent: UInt64, place: Int64 = 0) {
        (self.word, self.agent, self.place) = (word, agent, place)
    }

    /// As a message.
    public var bytes: [UInt8] {
        var fields: JSONObject = ["agent": .string(String(agent))]
        switch word {
        case .taken: fields["said"] = "taken"
        case .received: fields["said"] = "received"
        case .rejected(let reason, let detail):
            fields["said"] = "rejected"
            fields["reason"] = .string(reason)
            fields["detail"] = .string(detail)
        case .replaced: fields["said"] = "replaced"
        case .offline(let reason, let detail):
            fields["said"] = "offline"
            fields["reason"] = .string(reason.rawValue)
            fields["detail"] = .string(detail)
        case .event(let name, let code):
            fields["said"] = "event"
            fields["event"] = .string(name)
            fields["code"] = code.map { .string($0) } ?? .null
            fields["place"] = .integer(place)
        case .over: fields["said"] = "over"
        }
        return FleetMessage.written(fields)
    }

    /// Reads ``bytes``; nil for a word that a later version has added.
    public static func read(_ bytes: [UInt8]) throws(FleetMessageError) -> FleetSaying? {
        try FleetMessage.read(bytes) { (fields) throws(JSONFieldError) in
            let agent = try fields.word("agent", UInt64.init(_:))
            guard let word = try word(fields) else { return nil }
            let isEvent = if case .event = word { true } else { false }
            return FleetSaying(word, by: agent, place: isEvent ? try fields.integer("place", in: 1...Int64.max) : 0)
        }
    }

    private static func word(_ fields: JSONFields) throws(JSONFieldError) -> Word? {
        switch try fields.string("said") {
        case "taken": return .taken
        case "received": return .received
        case "rejected":
            return .rejected(reason: try short("reason", fields), detail: try short("detail", fields))
        case "replaced": return .replaced
        case "offline":
            // Why it is offline is for people: a reason that a later version has added is still no reason to lose it.
            let reason = OfflineReason(rawValue: try short("reason", fields)) ?? .workerDied
            return .offline(reason, detail: try short("detail", fields))
        case "event":
            let code = try fields.ifPresent("code") { (key) throws(JSONFieldError) in try short(key, fields) }
            return .event(try short("event", fields), code: code)
        case "over": return .over
        default: return nil
        }
    }

    /// More than any reason of ours has, whose text becomes a line of the gateway's log.
    private static let shortMax = 1_024

    private static func short(_ key: String, _ fields: JSONFields) throws(JSONFieldError) -> String {
        try fields.word(key, { $0.utf8.count <= shortMax ? $0 : nil }, expected: "\(shortMax) bytes at most")
    }
}
