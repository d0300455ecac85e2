import BelfryJSON
import BelfryTerms

/// A type that a field of an event can have: how it is written, read and shown as a fact.
protocol EventValue {
    /// As the push socket has it; nil if it is left out.
    var written: JSONValue? { get }
    /// Its fact; nil if it does not fit into one line.
    var fact: EventFact? { get }
    /// Reads it from the value at `key`, which is nil if there is none.
    static func read(_ value: JSONValue?, _ key: String) throws(EventError) -> Self
}

extension EventValue {
    var fact: EventFact? { nil }
}

extension String: EventValue {
    var written: JSONValue? { .string(self) }
    var fact: EventFact? { .text(self) }

    static func read(_ value: JSONValue?, _ key: String) throws(EventError) -> String {
        guard case .string(let text)? = value else { throw EventError(detail: "\(key) is not a string") }
        return text
    }
}

extension CodeWord: EventValue {
    var written: JSONValue? { .string(rawValue) }
    var fact: EventFact? { .word(rawValue) }

    static func read(_ value: JSONValue?, _ key: String) throws(EventError) -> CodeWord {
        CodeWord(rawValue: try String.read(value, key))
    }
}

extension Bool: EventValue {
    var written: JSONValue? { .bool(self) }

    static func read(_ value: JSONValue?, _ key: String) throws(EventError) -> Bool {
        guard case .bool(let flag)? = value else { throw EventError(detail: "\(key) is not a boolean") }
        return flag
    }
}

extension Int64: EventValue {
    var written: JSONValue? { .integer(self) }
    var fact: EventFact? { .count(self) }

    static func read(_ value: JSONValue?, _ key: String) throws(EventError) -> Int64 {
        guard case .integer(let number)? = value else { throw EventError(detail: "\(key) is not an integer") }
        return number
    }
}

/// Every number of an event that need not be whole is in seconds.
extension Double: EventValue {
    var written: JSONValue? { .real(self) }
    var fact: EventFact? { .seconds(self) }

    static func read(_ value: JSONValue?, _ key: String) throws(EventError) -> Double {
        switch value {
        case .real(let number)?: return number
        case .integer(let number)?: return Double(number)
        default: throw EventError(detail: "\(key) is not a number")
        }
    }
}

/// Names of what is shown.
extension [String]: EventValue {
    var written: JSONValue? { .array(map { .string($0) }) }

    static func read(_ value: JSONValue?, _ key: String) throws(EventError) -> [String] {
        guard case .array(let values)? = value else { throw EventError(detail: "\(key) is not an array") }
        let texts = values.compactMap(\.stringValue)
        guard texts.count == values.count else { throw EventError(detail: "\(key) has what is not a string") }
        return texts
    }
}

extension NotificationContent: EventValue {
    var written: JSONValue? { .object(json) }

    static func read(_ value: JSONValue?, _ key: String) throws(EventError) -> NotificationContent {
        guard case .object(let content)? = value else { throw EventError(detail: "\(key) is not an object") }
        do { return try NotificationContent(json: content) } catch { throw EventError(detail: "\(error)") }
    }
}

/// For events that this version cannot read.
extension JSONValue: EventValue {
    var written: JSONValue? { self }

    static func read(_ value: JSONValue?, _ key: String) throws(EventError) -> JSONValue { value ?? .null }
}

/// An optional field.
extension Optional: EventValue where Wrapped: EventValue {
    var written: JSONValue? { self?.written }
    var fact: EventFact? { self?.fact }

    static func read(_ value: JSONValue?, _ key: String) throws(EventError) -> Wrapped? {
        guard let value else { return nil }
        return try Wrapped.read(value, key)
    }
}
