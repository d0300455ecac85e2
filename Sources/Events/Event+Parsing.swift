import CallTerms
public import JSON
import Notifications

/// Why a line is no event of ours.
public struct EventError: Error, Hashable, Sendable {
    /// What was expected and missing, for people.
    public let detail: String
}

extension Event {
    /// Reads one line of the push socket; its newline may be there or not.
    public init(line: some Collection<UInt8>) throws(EventError) {
        let value: JSONValue
        do {
            value = try JSONValue.parse([UInt8](line), limits: .aroundForeignValue)
        } catch {
            throw EventError(detail: "\(error)")
        }
        guard case .object(let object) = value else { throw EventError(detail: "not a JSON object") }
        try self.init(json: object)
    }

    /// Reads an event from its object.
    public init(json object: JSONObject) throws(EventError) {
        let fields = Fields(object: object)
        self.init(
            at: try fields.number("at"), boot: try fields.number("boot"), id: try fields.string("id"),
            body: try Self.body(named: try fields.string("event"), fields))
    }

    private static func body(named name: String, _ fields: Fields) throws(EventError) -> Body {
        switch name {
        case "received": .received(try received(fields))
        case "ringing":
            .ringing(
                Ringing(
                    call: try fields.string("call"), mode: try fields.word("mode"),
                    duration: try fields.number("duration"), interval: try fields.number("interval"),
                    sound: try fields.string("sound"), vibrate: try fields.bool("vibrate")))
        case "silent": .silent(call: try fields.string("call"), why: try fields.word("why"))
        case "tick": .tick(n: try fields.integer("n"), late: try fields.number("late"))
        case "sound": .sound(state: try fields.word("state"), detail: try fields.string("detail"))
        case "attachment": .attachment(try attachment(fields))
        case "delivered": .delivered(by: try fields.word("by"), content: try fields.content("content"))
        case "ended":
            .ended(
                Ended(
                    call: try fields.string("call"), reason: try fields.word("reason"),
                    hangupReason: try fields.has("hangupReason") ? fields.word("hangupReason") : nil,
                    rang: try fields.number("rang"), ticks: try fields.integer("ticks")))
        case "missed": .missed(call: try fields.string("call"), content: try fields.content("content"))
        case "warning": .warning(code: try fields.word("code"), detail: try fields.string("detail"))
        case "rejected": .rejected(reason: try fields.string("reason"), detail: try fields.string("detail"))
        default: throw EventError(detail: "no event is called \(name)")
        }
    }

    private static func received(_ fields: Fields) throws(EventError) -> Received {
        let why: PassthroughReason? = try fields.has("why") ? fields.word("why") : nil
        guard try fields.bool("intercepted") == (why == nil) else {
            throw EventError(detail: "why is there exactly where intercepted is false")
        }
        return Received(
            type: try fields.word("type"), call: try fields.has("call") ? fields.string("call") : nil, why: why)
    }

    private static func attachment(_ fields: Fields) throws(EventError) -> Attachment {
        let url = try fields.string("url")
        switch try fields.string("state") {
        case "attached":
            return Attachment(
                url: url,
                outcome: .attached(
                    path: try fields.string("path"), type: try fields.string("type"),
                    bytes: try fields.integer("bytes"), seconds: try fields.number("seconds")))
        case "skipped":
            return Attachment(
                url: url,
                outcome: .skipped(reason: try fields.string("reason"), detail: try fields.string("detail")))
        case let state: throw EventError(detail: "an attachment's state is not \(state)")
        }
    }
}

/// An event's object, read field by field.
private struct Fields {
    let object: JSONObject

    func has(_ key: String) -> Bool { object[key] != nil }

    func string(_ key: String) throws(EventError) -> String {
        guard case .string(let text)? = object[key] else { throw EventError(detail: "\(key) is not a string") }
        return text
    }

    func bool(_ key: String) throws(EventError) -> Bool {
        guard case .bool(let value)? = object[key] else { throw EventError(detail: "\(key) is not a boolean") }
        return value
    }

    func integer(_ key: String) throws(EventError) -> Int64 {
        guard case .integer(let value)? = object[key] else { throw EventError(detail: "\(key) is not an integer") }
        return value
    }

    func number(_ key: String) throws(EventError) -> Double {
        switch object[key] {
        case .real(let value)?: return value
        case .integer(let value)?: return Double(value)
        default: throw EventError(detail: "\(key) is not a number")
        }
    }

    func word<Word: RawRepresentable<String>>(_ key: String) throws(EventError) -> Word {
        let text = try string(key)
        guard let word = Word(rawValue: text) else { throw EventError(detail: "\(key) cannot be \(text)") }
        return word
    }

    func content(_ key: String) throws(EventError) -> NotificationContent {
        guard case .object(let content)? = object[key] else { throw EventError(detail: "\(key) is not an object") }
        do { return try NotificationContent(json: content) } catch { throw EventError(detail: "\(error)") }
    }
}
