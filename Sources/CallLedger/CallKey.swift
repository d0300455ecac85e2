/// What a call is known by in the group file: its id as the payload gave it, compared byte by byte.
public struct CallKey: Sendable {
    /// The id, at most 128 bytes; empty for the group's one anonymous call.
    public let text: String

    /// The key of the call `text`.
    public init(_ text: String) {
        self.text = text
    }

    /// The key of calls whose payload names none.
    public static let anonymous = CallKey("")

    /// Whether the payload named no call: such a call leaves no memory (R8).
    public var isAnonymous: Bool { text.isEmpty }
}

extension CallKey: Hashable, Comparable {
    /// The same bytes: Swift's `String` takes `"é"` and `"e\u{301}"` for one.
    public static func == (left: CallKey, right: CallKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// Orders by bytes.
    public static func < (left: CallKey, right: CallKey) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
