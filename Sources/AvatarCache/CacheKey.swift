public import AvatarPolicy

/// What a picture is kept under: a file name that is ours, whatever the URL.
public struct CacheKey: Hashable, Sendable {
    /// 64 hexadecimal digits and `.picture`.
    public let fileName: String

    /// The key of `url` in its one spelling.
    public init(_ url: WebURL) {
        fileName = SHA256.hexadecimal(Array(url.text.utf8)) + Self.suffix
    }

    /// Whether `name` could be a key's, so that whoever tidies the folder touches nothing else.
    public static func isFileName(_ name: String) -> Bool {
        let bytes = name.utf8
        guard bytes.count == 64 + suffix.utf8.count, bytes.dropFirst(64).elementsEqual(suffix.utf8) else {
            return false
        }
        return bytes.prefix(64).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static let suffix = ".picture"
}
