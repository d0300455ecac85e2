public import BelfryJSON
import BelfryTerms

extension Event {
    /// The id of the call it is about; nil if it names none.
    public var call: String? {
        switch body {
        case .received(let received): received.call
        case .ringing(let ringing): ringing.call
        case .silent(let call, _), .missed(let call, _): call
        case .ended(let ended): ended.call
        case .unknown(let unknown): unknown.object["call"]?.stringValue
        case .tick, .sound, .notification, .vibration, .attachment, .delivered, .warning, .extensionProcess, .asked,
            .rejected:
            nil
        }
    }

    /// Whether it may come each second or more often: a client that does not read in time loses such events first.
    public var isFrequent: Bool {
        switch body {
        case .tick, .asked: true
        case .received, .ringing, .silent, .sound, .notification, .vibration, .attachment, .delivered, .ended, .missed,
            .warning, .extensionProcess, .rejected, .unknown:
            false
        }
    }

    /// The event as the object that the push socket writes.
    public var json: JSONObject {
        var object = JSONObject()
        append(to: &object)
        return object
    }

    /// The event as one line of the push socket, its newline included: ``json`` written out, without the object.
    public var line: [UInt8] {
        var line = EventLine()
        append(to: &line)
        return line.finished()
    }

    private func append(to object: inout some EventFields) {
        object.append(newKey: "event", .string(name))
        object.append(newKey: "at", .real(at))
        object.append(newKey: "boot", .real(boot))
        object.append(newKey: "id", .string(id))
        switch body {
        case .received(let received): Self.append(received, to: &object)
        case .ringing(let ringing): Self.append(ringing, to: &object)
        case .silent(let call, let why):
            object.append(newKey: "call", .string(call))
            object.append(newKey: "why", .string(why.rawValue))
        case .tick(let n, let late):
            object.append(newKey: "n", .integer(n))
            object.append(newKey: "late", .real(late))
        case .sound(let state, let detail):
            object.append(newKey: "state", .string(state.rawValue))
            object.append(newKey: "detail", .string(detail))
        case .notification(let state, let detail):
            object.append(newKey: "state", .string(state.rawValue))
            object.append(newKey: "detail", .string(detail))
        case .vibration(let state, let detail):
            object.append(newKey: "state", .string(state.rawValue))
            object.append(newKey: "detail", .string(detail))
        case .attachment(let attachment): Self.append(attachment, to: &object)
        case .delivered(let by, let content):
            object.append(newKey: "by", .string(by.rawValue))
            object.append(newKey: "content", .object(content.json))
        case .ended(let ended): Self.append(ended, to: &object)
        case .missed(let call, let content):
            object.append(newKey: "call", .string(call))
            object.append(newKey: "content", .object(content.json))
        case .warning(let code, let detail):
            object.append(newKey: "code", .string(code.rawValue))
            object.append(newKey: "detail", .string(detail))
        case .extensionProcess(let process): Self.append(process, to: &object)
        case .asked(let asked):
            object.append(newKey: "what", .string(asked.what.rawValue))
            object.append(newKey: "n", .integer(asked.n))
            object.append(newKey: "detail", .string(asked.detail))
            if let identifiers = asked.identifiers {
                object.append(newKey: "identifiers", .array(identifiers.map { .string($0) }))
            }
            if let content = asked.content { object.append(newKey: "content", .object(content.json)) }
        case .rejected(let reason, let detail):
            object.append(newKey: "reason", .string(reason.rawValue))
            object.append(newKey: "detail", .string(detail))
        case .unknown(let unknown):
            for member in unknown.fields.members { object.append(newKey: member.key, member.value) }
        }
    }

    private static func append(_ received: Received, to object: inout some EventFields) {
        object.append(newKey: "type", .string(received.type.rawValue))
        if let call = received.call { object.append(newKey: "call", .string(call)) }
        object.append(newKey: "intercepted", .bool(received.why == nil))
        if let why = received.why { object.append(newKey: "why", .string(why.rawValue)) }
        object.append(newKey: "contentAvailable", .bool(received.isContentAvailable))
        if let topic = received.topic { object.append(newKey: "topic", .string(topic)) }
        if let collapseID = received.collapseID { object.append(newKey: "collapseId", .string(collapseID)) }
        if let bundle = received.bundle { object.append(newKey: "bundle", .string(bundle)) }
    }

    private static func append(_ ringing: Ringing, to object: inout some EventFields) {
        object.append(newKey: "call", .string(ringing.call))
        object.append(newKey: "mode", .string(ringing.mode.rawValue))
        if let why = ringing.why { object.append(newKey: "why", .string(why.rawValue)) }
        object.append(newKey: "duration", .real(ringing.duration))
        object.append(newKey: "interval", .real(ringing.interval))
        object.append(newKey: "sound", .string(ringing.sound))
        object.append(newKey: "vibrate", .bool(ringing.vibrate))
    }

    private static func append(_ attachment: Attachment, to object: inout some EventFields) {
        switch attachment.outcome {
        case .attached(let path, let type, let bytes, let seconds):
            object.append(newKey: "state", .string("attached"))
            object.append(newKey: "url", .string(attachment.url))
            object.append(newKey: "path", .string(path))
            object.append(newKey: "type", .string(type))
            object.append(newKey: "bytes", .integer(bytes))
            object.append(newKey: "seconds", .real(seconds))
        case .skipped(let reason, let detail):
            object.append(newKey: "state", .string("skipped"))
            object.append(newKey: "url", .string(attachment.url))
            object.append(newKey: "reason", .string(reason.rawValue))
            object.append(newKey: "detail", .string(detail))
        }
    }

    private static func append(_ process: ExtensionProcess, to object: inout some EventFields) {
        object.append(newKey: "state", .string(process.state.rawValue))
        if let exit = process.exit { object.append(newKey: "exit", .integer(exit)) }
        object.append(newKey: "seconds", .real(process.seconds))
        if let memory = process.memory { object.append(newKey: "memory", .integer(memory)) }
    }

    private static func append(_ ended: Ended, to object: inout some EventFields) {
        object.append(newKey: "call", .string(ended.call))
        object.append(newKey: "reason", .string(ended.reason.rawValue))
        if let reason = ended.hangupReason { object.append(newKey: "hangupReason", .string(reason.rawValue)) }
        object.append(newKey: "rang", .real(ended.rang))
        object.append(newKey: "ticks", .integer(ended.ticks))
    }
}

/// What takes the fields of an event, one after the other: an object, or its text at once.
private protocol EventFields {
    mutating func append(newKey key: String, _ value: JSONValue)
}

extension JSONObject: EventFields {}

/// An event's fields as the text of an object.
private struct EventLine: EventFields {
    private var text: [UInt8] = []

    init() { text.reserveCapacity(512) }

    mutating func append(newKey key: String, _ value: JSONValue) {
        text.append(text.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
        JSONValue.write(key, to: &text)
        text.append(UInt8(ascii: ":"))
        value.write(to: &text)
    }

    consuming func finished() -> [UInt8] {
        text.append(UInt8(ascii: "}"))
        text.append(UInt8(ascii: "\n"))
        return text
    }
}

/// Why a line is no event at all: it is no JSON object, or names no event.
public struct EventError: Error, Hashable, Sendable {
    /// What was expected and is missing, for people.
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

    /// Reads an event from its object. What this version does not know or cannot read is ``Body/unknown(_:)``, so that
    /// only an object without `event` is an error. `at`, `boot` and `id` that cannot be read are 0 and empty.
    public init(json object: JSONObject) throws(EventError) {
        let fields = Fields(object: object)
        let name = try fields.string("event")
        do throws(EventError) {
            self.init(
                at: try fields.number("at"), boot: try fields.number("boot"), id: try fields.string("id"),
                body: try Self.body(named: name, fields))
        } catch {
            self.init(
                at: (try? fields.number("at")) ?? 0, boot: (try? fields.number("boot")) ?? 0,
                id: (try? fields.string("id")) ?? "",
                body: .unknown(Unknown(name: name, object: object, problem: error.detail)))
        }
    }

    private static func body(named name: String, _ fields: Fields) throws(EventError) -> Body {
        switch name {
        case "received": .received(try received(fields))
        case "ringing":
            .ringing(
                Ringing(
                    call: try fields.string("call"), mode: try fields.word("mode"),
                    why: try fields.has("why") ? fields.word("why") : nil, duration: try fields.number("duration"),
                    interval: try fields.number("interval"),
                    sound: try fields.string("sound"), vibrate: try fields.bool("vibrate")))
        case "silent": .silent(call: try fields.string("call"), why: try fields.word("why"))
        case "tick": .tick(n: try fields.integer("n"), late: try fields.number("late"))
        case "sound": .sound(state: try fields.word("state"), detail: try fields.string("detail"))
        case "notification": .notification(state: try fields.word("state"), detail: try fields.string("detail"))
        case "vibration": .vibration(state: try fields.word("state"), detail: try fields.string("detail"))
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
        case "extension":
            .extensionProcess(
                ExtensionProcess(
                    state: try fields.word("state"), exit: try fields.has("exit") ? fields.integer("exit") : nil,
                    seconds: try fields.number("seconds"),
                    memory: try fields.has("memory") ? fields.integer("memory") : nil))
        case "asked":
            .asked(
                Asked(
                    what: try fields.word("what"), n: try fields.integer("n"), detail: try fields.string("detail"),
                    identifiers: try fields.has("identifiers") ? fields.strings("identifiers") : nil,
                    content: try fields.has("content") ? fields.content("content") : nil))
        case "rejected": .rejected(reason: try fields.word("reason"), detail: try fields.string("detail"))
        default: throw EventError(detail: "no event is called \(name)")
        }
    }

    private static func received(_ fields: Fields) throws(EventError) -> Received {
        let why: CodeWord<PassthroughReason>? = try fields.has("why") ? fields.word("why") : nil
        guard try fields.bool("intercepted") == (why == nil) else {
            throw EventError(detail: "there is a why exactly if intercepted is false")
        }
        var received = Received(
            type: try fields.word("type"), call: try fields.has("call") ? fields.string("call") : nil, why: why)
        received.isContentAvailable = try fields.has("contentAvailable") ? fields.bool("contentAvailable") : false
        received.topic = try fields.has("topic") ? fields.string("topic") : nil
        received.collapseID = try fields.has("collapseId") ? fields.string("collapseId") : nil
        received.bundle = try fields.has("bundle") ? fields.string("bundle") : nil
        return received
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
                outcome: .skipped(reason: try fields.word("reason"), detail: try fields.string("detail")))
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

    func word<Known>(_ key: String) throws(EventError) -> CodeWord<Known> { CodeWord(rawValue: try string(key)) }

    func strings(_ key: String) throws(EventError) -> [String] {
        guard case .array(let values)? = object[key] else { throw EventError(detail: "\(key) is not an array") }
        let texts = values.compactMap(\.stringValue)
        guard texts.count == values.count else { throw EventError(detail: "\(key) has what is not a string") }
        return texts
    }

    func content(_ key: String) throws(EventError) -> NotificationContent {
        guard case .object(let content)? = object[key] else { throw EventError(detail: "\(key) is not an object") }
        do { return try NotificationContent(json: content) } catch { throw EventError(detail: "\(error)") }
    }
}
