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
            isSame(left.key, right.key) && left.value == right.value
        }

        /// Hashes what `==` compares.
        public func hash(into hasher: inout Hasher) {
            // A canonical hash is coarser than the comparison, which is allowed.
            hasher.combine(key)
            hasher.combine(value)
        }
    }

    /// The members in order; no key stands twice.
    public private(set) var members: [Member]

    /// An empty object.
    public init() {
        members = []
    }

    /// The value of `key`, nil where there is none; setting nil removes it, setting a new key appends it.
    public subscript(key: String) -> JSONValue? {
        get { members.first { isSame($0.key, key) }?.value }
        set {
            let index = members.firstIndex { isSame($0.key, key) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Appends a member whose key the caller knows to be new, without looking.
    package mutating func append(newKey key: String, _ value: JSONValue) {
        members.append(Member(key: key, value: value))
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// The members as written; of a key that stands twice the last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (key, value) in elements { self[key] = value }
    }
}

/// Whether two strings have the same bytes; `==` first, since it knows short and plain ones at a glance.
func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && left == right && left.utf8.elementsEqual(right.utf8)
}
