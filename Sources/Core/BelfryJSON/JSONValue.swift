import BelfryTerms

/// A JSON value, with integers and reals kept apart as they were written.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction or exponent that fits 64 bits with a sign.
    case integer(Int64)
    /// A number written without fraction or exponent that fits 64 bits only without a sign.
    case unsigned(UInt64)
    /// Any other number; always finite if it was read from text.
    case real(Double)
    /// A string; may hold NUL.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object in the order it was written.
    case object(JSONObject)
}

extension JSONValue: Hashable {
    /// Whether kind and value are the same. Strings are compared byte by byte: `String` itself takes two spellings of
    /// `é` for one.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.string(let left), .string(let right)): left.hasBytes(of: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.null, _), (.bool, _), (.integer, _), (.unsigned, _), (.real, _), (.string, _), (.array, _), (.object, _):
            false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let flag): hasher.combine(flag)
        case .integer(let number): hasher.combine(number)
        case .unsigned(let number): hasher.combine(number)
        case .real(let number): hasher.combine(number)
        // A canonical hash is coarser than the comparison, which is allowed.
        case .string(let string): hasher.combine(string)
        case .array(let elements): hasher.combine(elements)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral string: String) { self = .string(string) }

    /// A truth value.
    public init(booleanLiteral flag: Bool) { self = .bool(flag) }

    /// An integer.
    public init(integerLiteral number: Int64) { self = .integer(number) }

    /// A real.
    public init(floatLiteral number: Double) { self = .real(number) }

    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// An object; if a key occurs twice, the last value counts.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in members { object[key] = value }
        self = .object(object)
    }
}

/// A JSON object in the order it was written, whose keys are compared byte by byte.
///
/// Swift's own `String` takes `"é"` and `"e\u{301}"` for one key; JSON does not.
public struct JSONObject: Hashable, Sendable {
    /// One key and its value.
    public struct Member: Hashable, Sendable {
        /// The key as it was written.
        public let key: String
        /// Its value.
        public var value: JSONValue

        /// A member.
        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }

        /// The same key byte for byte, and the same value.
        public static func == (left: Member, right: Member) -> Bool {
            left.key.hasBytes(of: right.key) && left.value == right.value
        }

        /// Hashes what `==` compares.
        public func hash(into hasher: inout Hasher) {
            // A canonical hash is coarser than the comparison, which is allowed.
            hasher.combine(key)
            hasher.combine(value)
        }
    }

    /// The members in order; no key occurs twice.
    public private(set) var members: [Member]

    /// An empty object.
    public init() {
        members = []
    }

    /// The value of `key`, nil if there is none. Setting nil removes the member; a new key is appended.
    public subscript(key: String) -> JSONValue? {
        get { members.first { $0.key.hasBytes(of: key) }?.value }
        set {
            let index = members.firstIndex { $0.key.hasBytes(of: key) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The object, with `value` for `key`.
    package func with(_ key: String, _ value: JSONValue) -> JSONObject {
        var object = self
        object[key] = value
        return object
    }

    /// Appends a member whose key the caller knows to be new, without checking.
    package mutating func append(newKey key: String, _ value: JSONValue) {
        members.append(Member(key: key, value: value))
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// The members as written; if a key occurs twice, the last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (key, value) in elements { self[key] = value }
    }
}

extension JSONValue {
    /// The string, nil for every other kind.
    public var stringValue: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// The truth value, nil for every other kind, numbers included.
    public var boolValue: Bool? {
        guard case .bool(let flag) = self else { return nil }
        return flag
    }

    /// The integer, if it fits 64 bits with a sign; nil for every other value, reals included; see
    /// ``boundedInteger(in:)``.
    public var integerValue: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    /// The number, integer or real, to the precision of a real; nil for every other kind.
    public var numberValue: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .real(let number): number
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The array, nil for every other kind.
    public var arrayValue: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The object, nil for every other kind.
    public var objectValue: JSONObject? {
        guard case .object(let object) = self else { return nil }
        return object
    }

    /// Whether it is `null`.
    public var isNull: Bool { self == .null }

    /// The number cut towards zero and brought into `range`; nil if it is no number. Never traps, so foreign numbers
    /// become integers by this alone.
    public func boundedInteger(in range: ClosedRange<Int64>) -> Int64? {
        switch self {
        case .integer(let number): number.clamped(to: range)
        case .unsigned: range.upperBound
        case .real(let number): Int64(clampingReal: number).clamped(to: range)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The value in words for an error message: its kind, and the beginning of a scalar with its control characters
    /// escaped, such as `the string "abc"`.
    public var foundDescription: String {
        switch self {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .integer(let number): "the number \(number)"
        case .unsigned(let number): "the number \(number)"
        case .real(let number): "the number \(number)"
        case .string(let string): "the string \"\(Printable.excerpt(of: string))\""
        case .array(let elements): elements.isEmpty ? "an empty array" : "an array"
        case .object(let object): object.members.isEmpty ? "an empty object" : "an object"
        }
    }
}

extension Int64 {
    fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
