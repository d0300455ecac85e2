/// A property list value, its types kept apart as the file keeps them.
public enum PropertyListValue: Sendable {
    /// `<true/>` or `<false/>`.
    case bool(Bool)
    /// An integer that fits 64 bits with a sign.
    case integer(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    /// A real.
    case real(Double)
    /// A string.
    case string(String)
    /// A date, in seconds since 2001-01-01 UTC as a property list counts.
    case date(Double)
    /// Bytes.
    case data([UInt8])
    /// A keyed archive's reference; in XML a dictionary whose only key is `CF$UID`.
    case uid(UInt64)
    /// An array.
    case array([PropertyListValue])
    /// A dictionary in the order it was read.
    case dictionary(PropertyListDictionary)
}

extension PropertyListValue: Hashable {
    /// The same type and value; strings byte for byte, where `String` itself takes two spellings of `é` for one.
    public static func == (left: PropertyListValue, right: PropertyListValue) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        // Bit by bit, so that a file with a NaN equals itself.
        case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
        case (.string(let left), .string(let right)): isSame(left, right)
        case (.date(let left), .date(let right)): left.bitPattern == right.bitPattern
        case (.data(let left), .data(let right)): left == right
        case (.uid(let left), .uid(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        case (.bool, _), (.integer, _), (.unsigned, _), (.real, _), (.string, _), (.date, _), (.data, _), (.uid, _),
            (.array, _), (.dictionary, _):
            false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .bool(let flag): hasher.combine(flag)
        case .integer(let number): hasher.combine(number)
        case .unsigned(let number), .uid(let number): hasher.combine(number)
        case .real(let number), .date(let number): hasher.combine(number.bitPattern)
        // A canonical hash is coarser than the comparison, which is allowed.
        case .string(let string): hasher.combine(string)
        case .data(let bytes): hasher.combine(bytes)
        case .array(let elements): hasher.combine(elements)
        case .dictionary(let dictionary): hasher.combine(dictionary)
        }
    }
}

extension PropertyListValue {
    /// The string, nil for every other type.
    public var stringValue: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// The truth value as `UserDefaults.bool(forKey:)` reads it from a property list: a boolean, or a number that is
    /// not 0; nil for every other type.
    public var boolValue: Bool? {
        switch self {
        case .bool(let flag): flag
        case .integer(let number): number != 0
        case .unsigned(let number): number != 0
        case .real(let number): number != 0
        case .string, .date, .data, .uid, .array, .dictionary: nil
        }
    }

    /// The array, nil for every other type.
    public var arrayValue: [PropertyListValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The dictionary, nil for every other type.
    public var dictionaryValue: PropertyListDictionary? {
        guard case .dictionary(let dictionary) = self else { return nil }
        return dictionary
    }

    /// The one way from a foreign number to an integer: cut towards zero, then brought into `range`; nil for what is
    /// no number. Never traps, whatever the number.
    public func boundedInteger(in range: ClosedRange<Int64>) -> Int64? {
        let number: Int64
        switch self {
        case .integer(let integer): number = integer
        case .unsigned: number = .max
        case .real(let real): number = Int64(clampingReal: real)
        case .bool, .string, .date, .data, .uid, .array, .dictionary: return nil
        }
        return min(max(number, range.lowerBound), range.upperBound)
    }
}

extension Int64 {
    /// `real` cut towards zero; the nearest bound if it lies outside, 0 if it is no number.
    init(clampingReal real: Double) {
        // 2^63 is exact as a real and the first that does not fit; Int64.max itself is not exact.
        if real.isNaN {
            self = 0
        } else if real >= 0x1p63 {
            self = .max
        } else if real < -0x1p63 {
            self = .min
        } else {
            self = Int64(real)
        }
    }
}
