/// The name of an app group, safe as a file name (S1): 1 to 128 letters, digits, `.` and `-` of ASCII, the first a
/// letter or digit.
public struct GroupName: Hashable, Sendable {
    /// How long a name is at most.
    public static let bytesMax = 128

    /// What a valid name is, for error messages.
    public static let rule = "1 to \(bytesMax) letters, digits, dots or hyphens, the first a letter or digit"

    /// The name.
    public let text: String

    /// The group called `text`; nil if that is no such name.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard let first = bytes.first, bytes.count <= Self.bytesMax, first.isASCIILetterOrDigit,
            bytes.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") })
        else { return nil }
        self.text = text
    }
}
