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

    /// The integer, nil for every other kind, reals included; see ``boundedInteger(in:)``.
    public var integerValue: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    /// The number, integer or real, to the precision of a real; nil for every other kind.
    public var numberValue: Double? {
        switch self {
        case .integer(let number): Double(number)
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

    /// The one way from a foreign number to an integer: cut towards zero, then brought into `range`; nil for what is
    /// no number. Never traps, whatever the number.
    public func boundedInteger(in range: ClosedRange<Int64>) -> Int64? {
        switch self {
        case .integer(let number): number.clamped(to: range)
        case .real(let number): Int64(clamping: number).clamped(to: range)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// What stands here, in words for people: the kind, and of scalars the beginning of the value, control characters
    /// escaped.
    public var foundDescription: String {
        switch self {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .integer(let number): "the number \(number)"
        case .real(let number): "the number \(number)"
        case .string(let string): "the string \"\(string.excerpt())\""
        case .array(let elements): elements.isEmpty ? "an empty array" : "an array"
        case .object(let object): object.members.isEmpty ? "an empty object" : "an object"
        }
    }
}

extension Int64 {
    /// `real` cut towards zero; the nearest bound if it lies outside, 0 if it is no number.
    public init(clamping real: Double) {
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

    fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
