/// The name of an app group, safe as a file name: 1 to 128 letters, digits, `.` and `-` of ASCII, the first a letter or
/// digit.
public struct GroupName: Hashable, Sendable {
    /// How long a name is at most.
    public static let bytesMax = 128

    /// The name.
    public let text: String

    /// `text`, if it is such a name.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard let first = bytes.first, bytes.count <= GroupName.bytesMax, GroupName.isLetterOrDigit(first),
            bytes.allSatisfy({ GroupName.isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") })
        else { return nil }
        self.text = text
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
