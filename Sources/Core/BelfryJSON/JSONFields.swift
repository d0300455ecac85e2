/// An object that is read field by field: a field that is missing or of another kind is an error that names the field.
///
/// Every message of ours is read this way, and every content. Fields that a reader does not ask for are ignored.
package struct JSONFields: Sendable {
    private let object: JSONObject
    /// What an error writes before a field's name, such as `sound.`.
    private let prefix: String

    /// The fields of `object`, before whose names an error writes `prefix`.
    package init(_ object: JSONObject, prefix: String = "") {
        self.object = object
        self.prefix = prefix
    }

    /// The fields of the object that `line` is; nil if it is none.
    package init?(line: [UInt8], limits: JSONLimits = JSONLimits()) {
        guard case .object(let object)? = try? JSONValue.parse(line, limits: limits) else { return nil }
        self.init(object)
    }

    /// Whether the field is there, and not null.
    package func has(_ key: String) -> Bool { object[key].map { !$0.isNull } ?? false }

    /// Whether the field is there, if only as null.
    package func mentions(_ key: String) -> Bool { object[key] != nil }

    /// What `read` finds; nil for a field that is missing or null.
    package func ifPresent<Value>(
        _ key: String, _ read: (String) throws(JSONFieldError) -> Value
    ) throws(JSONFieldError) -> Value? {
        has(key) ? try read(key) : nil
    }

    /// A string.
    package func string(_ key: String) throws(JSONFieldError) -> String {
        try value(key, \.stringValue, "a string")
    }

    /// A string that `read` understands.
    package func word<Word>(
        _ key: String, _ read: (String) -> Word?, expected: String = "a word of this version"
    ) throws(JSONFieldError) -> Word {
        guard let word = read(try string(key)) else { throw error(key, expected: expected) }
        return word
    }

    /// A truth value.
    package func bool(_ key: String) throws(JSONFieldError) -> Bool {
        try value(key, \.boolValue, "true or false")
    }

    /// An integer that fits 64 bits with a sign.
    package func integer(_ key: String) throws(JSONFieldError) -> Int64 {
        try value(key, \.integerValue, "an integer")
    }

    /// An integer of `range`.
    package func integer(_ key: String, in range: ClosedRange<Int64>) throws(JSONFieldError) -> Int64 {
        let number = try integer(key)
        guard range.contains(number) else {
            throw error(key, expected: "\(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A number, as an integer that is brought into `range`.
    package func bounded(_ key: String, in range: ClosedRange<Int64>) throws(JSONFieldError) -> Int64 {
        guard let number = object[key]?.boundedInteger(in: range) else { throw error(key, expected: "a number") }
        return number
    }

    /// A number, as a real.
    package func number(_ key: String) throws(JSONFieldError) -> Double {
        try value(key, \.numberValue, "a number")
    }

    /// An array.
    package func array(_ key: String) throws(JSONFieldError) -> [JSONValue] {
        try value(key, \.arrayValue, "an array")
    }

    /// An array of strings.
    package func strings(_ key: String) throws(JSONFieldError) -> [String] {
        let values = try array(key)
        let texts = values.compactMap(\.stringValue)
        guard texts.count == values.count else { throw error(key, expected: "an array of strings") }
        return texts
    }

    /// An array of bytes, each as its number.
    package func bytes(_ key: String) throws(JSONFieldError) -> [UInt8] {
        let values = try array(key)
        let bytes = values.compactMap { $0.integerValue.flatMap { UInt8(exactly: $0) } }
        guard bytes.count == values.count else { throw error(key, expected: "an array of bytes") }
        return bytes
    }

    /// An object.
    package func object(_ key: String) throws(JSONFieldError) -> JSONObject {
        try value(key, \.objectValue, "an object")
    }

    /// An object's own fields, which errors name with `key` before them.
    package func fields(_ key: String) throws(JSONFieldError) -> JSONFields {
        JSONFields(try object(key), prefix: "\(prefix)\(key).")
    }

    /// The fields of each object of an array.
    package func fieldsOfEach(_ key: String) throws(JSONFieldError) -> [JSONFields] {
        try fieldsOfEach(key, countMax: .max)
    }

    /// The fields of each object of an array, of which it has `countMax` at most.
    package func fieldsOfEach(_ key: String, countMax: Int) throws(JSONFieldError) -> [JSONFields] {
        var all: [JSONFields] = []
        let elements = try array(key)
        guard elements.count <= countMax else { throw error(key, expected: "\(countMax) objects at most") }
        for (index, element) in elements.enumerated() {
            let place = "\(key)[\(index)]"
            guard case .object(let object) = element else {
                throw JSONFieldError(prefix + place, found: element, expected: "an object")
            }
            all.append(JSONFields(object, prefix: "\(prefix)\(place)."))
        }
        return all
    }

    private func value<Value>(
        _ key: String, _ read: (JSONValue) -> Value?, _ expected: String
    ) throws(JSONFieldError) -> Value {
        guard let value = object[key].flatMap(read) else { throw error(key, expected: expected) }
        return value
    }

    private func error(_ key: String, expected: String) -> JSONFieldError {
        JSONFieldError(prefix + key, found: object[key] ?? .null, expected: expected)
    }
}

/// Why an object cannot be read: which field is wrong, what was found and what was expected.
public struct JSONFieldError: Error, Hashable, Sendable {
    /// The field, with its path from the outermost object, such as `sound.volume`.
    public let field: String
    /// What was found and what was expected, for people.
    public let detail: String

    fileprivate init(_ field: String, found: JSONValue, expected: String) {
        self.field = field
        detail = "found \(found.foundDescription), expected \(expected)"
    }
}

extension JSONFieldError: CustomStringConvertible {
    /// Field and detail in one line.
    public var description: String { "\(field): \(detail)" }
}
