/// The bare name of a sound, which is looked up in the folders of sounds and never becomes a path (S1): 1 to 64
/// letters, digits, `.`, `_` and `-` of ASCII, the first no dot.
public enum SoundName {
    /// How long a name is at most.
    public static let bytesMax = 64

    /// Whether `text` is such a name.
    public static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, first != UInt8(ascii: "."), bytes.count <= bytesMax else { return false }
        return bytes.allSatisfy { $0.isASCIILetterOrDigit || "._-".utf8.contains($0) }
    }
}
