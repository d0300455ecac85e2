import BelfryTerms

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
        case (.string(let left), .string(let right)): left.hasBytes(of: right)
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

    /// The one way from a foreign number to an integer: cut towards zero, then brought into `range`; nil if it is not a
    /// number. Never traps, whatever the number.
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

/// A dictionary of a property list in the order it was read, whose keys are compared byte by byte.
public struct PropertyListDictionary: Sendable {
    /// One key and its value.
    public struct Member: Sendable {
        /// The key as it was written.
        public let key: String
        /// Its value.
        public fileprivate(set) var value: PropertyListValue
    }

    /// From this many members on there is an index; below it, looking at each is faster than hashing.
    private static let indexedCountMin = 16

    /// The members in order; no key stands twice.
    public private(set) var members: [Member] = []
    /// Where each key stands; nil while there are few.
    private var index: [ExactKey: Int]?

    /// An empty dictionary.
    public init() {}

    /// The keys in order.
    public var keys: [String] { members.map(\.key) }

    /// How many keys there are.
    public var count: Int { members.count }

    /// Whether there are none.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of `key`, nil if there is none; setting nil removes it, setting a new key appends it.
    public subscript(key: String) -> PropertyListValue? {
        get { position(of: key).map { members[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (nil, nil): break
            case (nil, let value?): append(Member(key: key, value: value))
            case (let position?, let value?): members[position].value = value
            case (let position?, nil):
                members.remove(at: position)
                if index != nil { buildIndex() }
            }
        }
    }

    /// Removes every member for which `isUnwanted` says so, in one pass.
    public mutating func removeAll(where isUnwanted: (Member) -> Bool) {
        members.removeAll(where: isUnwanted)
        if index != nil { buildIndex() }
    }

    private func position(of key: String) -> Int? {
        if let index { return index[ExactKey(text: key)] }
        // Not with a closure, which would get a copy of each member.
        for position in members.indices where members[position].key.hasBytes(of: key) { return position }
        return nil
    }

    private mutating func append(_ member: Member) {
        members.append(member)
        if index != nil {
            index?[ExactKey(text: member.key)] = members.count - 1
        } else if members.count >= Self.indexedCountMin {
            buildIndex()
        }
    }

    private mutating func buildIndex() {
        guard members.count >= Self.indexedCountMin else {
            index = nil
            return
        }
        var positions = [ExactKey: Int](minimumCapacity: members.count)
        for (position, member) in members.enumerated() { positions[ExactKey(text: member.key)] = position }
        index = positions
    }
}

extension PropertyListDictionary: Hashable {
    /// Equal if the same keys have equal values, in whatever order.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.count == right.count else { return false }
        return left.members.enumerated().allSatisfy { position, member in
            // Nearly always in the same order.
            let other = right.members[position]
            if other.key.hasBytes(of: member.key) { return other.value == member.value }
            return right[member.key] == member.value
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        // The order must not matter, so the hashes of the members are summed.
        var sum = 0
        for member in members {
            var ofMember = Hasher()
            ofMember.combine(member.key)
            ofMember.combine(member.value)
            sum &+= ofMember.finalize()
        }
        hasher.combine(sum)
    }
}

extension PropertyListDictionary: ExpressibleByDictionaryLiteral {
    /// The members as written; of a key that stands twice the last value counts.
    public init(dictionaryLiteral members: (String, PropertyListValue)...) {
        self.init()
        for (key, value) in members { self[key] = value }
    }
}

/// A key compared by its bytes: Swift's `String` takes `"é"` and `"e\u{301}"` for one.
private struct ExactKey: Hashable {
    let text: String

    static func == (left: ExactKey, right: ExactKey) -> Bool { left.text.hasBytes(of: right.text) }

    /// Eight bytes at a time. A hash of `String` takes all spellings of `é` for one as well, and a file whose thousands
    /// of keys differ in nothing else would take minutes to read.
    func hash(into hasher: inout Hasher) {
        let utf8 = text.utf8Span
        let bytes = utf8.span
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index])
            if index % 8 == 7 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(bytes.count)
    }
}
