/// A JSON value, with integers and reals kept apart as they were written.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction or exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number; always finite where it was read.
    case real(Double)
    /// A string; may hold NUL.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object in the order it was written.
    case object(JSONObject)
}

extension JSONValue: Hashable {
    /// The same kind and value; strings byte for byte, where `String` itself takes two spellings of `é` for one.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.string(let left), .string(let right)): isSame(left, right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.null, _), (.bool, _), (.integer, _), (.real, _), (.string, _), (.array, _), (.object, _): false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let flag): hasher.combine(flag)
        case .integer(let number): hasher.combine(number)
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

    /// An object; of a key that stands twice the last value counts.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in members { object[key] = value }
        self = .object(object)
    }
}
