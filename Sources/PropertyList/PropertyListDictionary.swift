/// A dictionary of a property list in the order it was read, whose keys are compared byte by byte.
public struct PropertyListDictionary: Sendable {
    /// The keys in order.
    public private(set) var keys: [String]
    private var values: [ExactKey: PropertyListValue]

    /// An empty dictionary.
    public init() {
        keys = []
        values = [:]
    }

    /// How many keys there are.
    public var count: Int { keys.count }

    /// The value of `key`, nil where there is none; setting nil removes it, setting a new key appends it.
    public subscript(key: String) -> PropertyListValue? {
        get { values[ExactKey(key)] }
        set {
            let exact = ExactKey(key)
            switch (values[exact], newValue) {
            case (nil, nil): break
            case (nil, let value?):
                keys.append(key)
                values[exact] = value
            case (.some, let value?): values[exact] = value
            case (.some, nil):
                values[exact] = nil
                keys.removeAll { $0.utf8.elementsEqual(key.utf8) }
            }
        }
    }
}

extension PropertyListDictionary: Hashable {
    /// Equal where the same keys have equal values, in whatever order.
    public static func == (left: Self, right: Self) -> Bool { left.values == right.values }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

/// A key compared by its bytes: Swift's `String` takes `"é"` and `"e\u{301}"` for one.
private struct ExactKey: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactKey, right: ExactKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
