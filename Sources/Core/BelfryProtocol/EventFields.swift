public import BelfryJSON
import BelfryTerms

/// A visitor of an event's fields, which gets them one after the other with their keys. Visitors write events, read
/// them or collect their facts. Each call returns the field's value: the given one, unless the visitor reads.
protocol EventFields {
    /// Why a field cannot be read; `Never` for visitors that do not read.
    associatedtype Failure: Error

    mutating func callAsFunction<Value: EventValue>(_ key: String, _ value: Value) throws(Failure) -> Value

    /// Refuses the value that was read unless it `holds`; `problem` says why, for people.
    func require(_ holds: Bool, _ problem: @autoclosure () -> String) throws(Failure)
}

extension EventFields {
    /// The two fields of a label, of which neither is there without the other.
    mutating func label(_ old: NumberLabel?) throws(Failure) -> NumberLabel? {
        let text = try self("label", old?.text)
        let source = try self("labelFrom", old?.source)
        guard let text, let source else { return nil }
        return NumberLabel(text, from: source)
    }
}

extension EventFields where Failure == Never {
    func require(_ holds: Bool, _ problem: @autoclosure () -> String) {}
}

extension Event.Body {
    /// Hands each field of the event to `field`; returns the event with the values that it gives. This is the one place
    /// where the fields of an event are named, together with the initializers of the structures that carry more.
    func visited<Fields: EventFields>(by field: inout Fields) throws(Fields.Failure) -> Event.Body {
        switch self {
        case .received(let old): .received(try Event.Received(old, &field))
        case .ringing(let old): .ringing(try Event.Ringing(old, &field))
        case .silent(let call, let why, let label):
            .silent(
                call: try field("call", call), why: try field("why", why), label: try field.label(label))
        case .tick(let n, let late): .tick(n: try field("n", n), late: try field("late", late))
        case .sound(let state, let detail):
            .sound(state: try field("state", state), detail: try field("detail", detail))
        case .notification(let state, let detail):
            .notification(state: try field("state", state), detail: try field("detail", detail))
        case .vibration(let state, let detail):
            .vibration(state: try field("state", state), detail: try field("detail", detail))
        case .attachment(let old): .attachment(try Event.Attachment(old, &field))
        case .delivered(let by, let content, let isShown):
            .delivered(
                by: try field("by", by), content: try field("content", content),
                isShown: try field("shown", isShown ? nil : Optional(false)) ?? true)
        case .ended(let old): .ended(try Event.Ended(old, &field))
        case .missed(let call, let content, let label):
            .missed(
                call: try field("call", call), content: try field("content", content),
                label: try field.label(label))
        case .warning(let code, let detail):
            .warning(code: try field("code", code), detail: try field("detail", detail))
        case .extensionProcess(let old): .extensionProcess(try Event.ExtensionProcess(old, &field))
        case .asked(let old): .asked(try Event.Asked(old, &field))
        case .caller(let old): .caller(try Event.Caller(old, &field))
        case .app(let old): .app(try Event.App(old, &field))
        case .call(let old): .call(try Event.AppCall(old, &field))
        case .action(let old): .action(try Event.Action(old, &field))
        case .rejected(let reason, let detail):
            .rejected(reason: try field("reason", reason), detail: try field("detail", detail))
        case .unknown(let unknown): .unknown(try unknown.visited(by: &field))
        }
    }
}

extension Event.Unknown {
    fileprivate func visited<Fields: EventFields>(by field: inout Fields) throws(Fields.Failure) -> Event.Unknown {
        for member in fields.members { _ = try field(member.key, member.value) }
        return self
    }
}

// MARK: Writing

extension Event {
    /// The event as the object that the push socket writes.
    public var json: JSONObject {
        var object = JSONObject()
        write(to: &object)
        return object
    }

    /// The event as one line of the push socket, its newline included: ``json`` written out, without the object.
    public var line: [UInt8] {
        var line = EventLine()
        write(to: &line)
        return line.finished()
    }

    private func write<Fields: EventFields>(to field: inout Fields) where Fields.Failure == Never {
        _ = field("event", name)
        _ = field("at", at)
        _ = field("boot", boot)
        _ = field("id", id)
        _ = body.visited(by: &field)
    }
}

extension JSONObject: EventFields {
    mutating func callAsFunction<Value: EventValue>(_ key: String, _ value: Value) -> Value {
        if let json = value.written { append(newKey: key, json) }
        return value
    }
}

/// An event's fields as the text of an object.
private struct EventLine: EventFields {
    private var text: [UInt8] = []

    init() { text.reserveCapacity(512) }

    mutating func callAsFunction<Value: EventValue>(_ key: String, _ value: Value) -> Value {
        guard let json = value.written else { return value }
        text.append(text.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
        JSONValue.write(key, to: &text)
        text.append(UInt8(ascii: ":"))
        json.write(to: &text)
        return value
    }

    consuming func finished() -> [UInt8] {
        text.append(UInt8(ascii: "}"))
        text.append(UInt8(ascii: "\n"))
        return text
    }
}

// MARK: Reading

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
        var field = EventReader(object: object)
        let name = try field("event", "")
        do throws(EventError) {
            self.init(
                at: try field("at", 0.0), boot: try field("boot", 0.0), id: try field("id", ""),
                body: try Self.body(named: name, &field))
        } catch {
            self.init(
                at: (try? field("at", 0.0)) ?? 0, boot: (try? field("boot", 0.0)) ?? 0,
                id: (try? field("id", "")) ?? "",
                body: .unknown(Unknown(name: name, object: object, problem: error.detail)))
        }
    }

    private static func body(named name: String, _ field: inout EventReader) throws(EventError) -> Body {
        guard let blank = Kind(rawValue: name)?.blank else { throw EventError(detail: "no event is called \(name)") }
        return try blank.visited(by: &field)
    }
}

/// An event's object, whose fields are read.
private struct EventReader: EventFields {
    let object: JSONObject

    func callAsFunction<Value: EventValue>(_ key: String, _ value: Value) throws(EventError) -> Value {
        try Value.read(object[key], key)
    }

    func require(_ holds: Bool, _ problem: @autoclosure () -> String) throws(EventError) {
        guard holds else { throw EventError(detail: problem()) }
    }
}

// MARK: Telling

/// The fact in a field, for people and the journal.
package enum EventFact: Hashable, Sendable {
    /// A word of a closed list.
    case word(String)
    /// A text, which may come from outside.
    case text(String)
    /// How many there are of something.
    case count(Int64)
    /// How long something takes or took.
    case seconds(Double)
}

extension Event.Body {
    /// Its fields as far as they are words, texts and numbers, in the order in which they are written.
    package var facts: [(key: String, fact: EventFact)] {
        var facts = EventFacts()
        _ = visited(by: &facts)
        return facts.facts
    }
}

extension Event {
    /// The word that says which of its kind it is, such as the `state` of `sound`; nil if it has none.
    package var word: String? {
        for case (_, .word(let word)) in body.facts { return word }
        return nil
    }

    /// The id of the call it is about; nil if it names none.
    public var call: String? {
        if case .unknown(let unknown) = body { return unknown.object["call"]?.stringValue }
        for case ("call", .text(let call)) in body.facts { return call }
        return nil
    }
}

private struct EventFacts: EventFields {
    var facts: [(key: String, fact: EventFact)] = []

    mutating func callAsFunction<Value: EventValue>(_ key: String, _ value: Value) -> Value {
        if let fact = value.fact { facts.append((key, fact)) }
        return value
    }
}
