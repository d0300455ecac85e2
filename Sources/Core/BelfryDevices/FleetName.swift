/// The name of a machine or a gateway in a fleet: 1 to 63 small letters, digits and hyphens of ASCII, the first and the
/// last no hyphen. It is a word of the brokers' subjects, of which a dot, `*` or `>` would make others.
public struct FleetName: Hashable, Sendable, Comparable {
    /// How long a name is at most.
    public static let bytesMax = 63

    /// What a valid name is, for error messages.
    public static let rule = "1 to \(bytesMax) small letters, digits and hyphens, the first and the last no hyphen"

    /// The name.
    public let text: String

    /// The one called `text`; nil if that is no such name.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        let bytes = text.utf8
        let hyphen = UInt8(ascii: "-")
        let isSmall = { (byte: UInt8) in (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) }
        guard let first = bytes.first, let last = bytes.last, bytes.count <= Self.bytesMax, first != hyphen,
            last != hyphen, bytes.allSatisfy({ isSmall($0) || $0 == hyphen })
        else { return nil }
        self.text = text
    }

    /// In the order of their bytes.
    public static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}
