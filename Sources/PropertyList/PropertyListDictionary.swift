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

    /// The value of `key`, nil where there is none; setting nil removes it, setting a new key appends it.
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
        return members.firstIndex { isSame($0.key, key) }
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
    /// Equal where the same keys have equal values, in whatever order.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.count == right.count else { return false }
        return left.members.enumerated().allSatisfy { position, member in
            // Nearly always in the same order.
            let other = right.members[position]
            if isSame(other.key, member.key) { return other.value == member.value }
            return right[member.key] == member.value
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        // The order must not matter, so the members' own hashes are summed.
        var sum = 0
        for member in members {
            var own = Hasher()
            own.combine(member.key)
            own.combine(member.value)
            sum &+= own.finalize()
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

    static func == (left: ExactKey, right: ExactKey) -> Bool { isSame(left.text, right.text) }

    // A canonical hash is coarser than the comparison, which is allowed, and faster than byte by byte.
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// Whether two strings have the same bytes; `==` first, since it knows short and plain ones at a glance.
func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && left == right && left.utf8.elementsEqual(right.utf8)
}
