public import AvatarPolicy
internal import JSON

/// A picture that was fetched, with all that is needed to use it again; one file, so that one rename replaces it whole.
///
/// The file is a line of JSON, then the PNG. It is read as if a stranger had written it: other versions, other URLs,
/// what is cut short, has changed since or is no small PNG is no entry.
public struct CacheEntry: Hashable, Sendable {
    /// Bytes of an entry's file at most: the largest picture and its line.
    public static let fileBytesMax = FetchLimits.writtenBytesMax + headBytesMax
    private static let headBytesMax = 8 << 10
    private static let version: Int64 = 1

    /// The URL it was asked from, in its one spelling.
    public let url: String
    /// The Unix second at which the server last vouched for it.
    public let fetchedAt: Int64
    /// What the server said about using it again.
    public let freshness: Freshness
    /// The picture, as PNG.
    public let picture: [UInt8]

    /// An entry.
    public init(url: WebURL, fetchedAt: Int64, freshness: Freshness, picture: [UInt8]) {
        self.url = url.text
        self.fetchedAt = fetchedAt
        self.freshness = freshness
        self.picture = picture
    }

    /// The same picture, for which the server vouched again at `fetchedAt`.
    ///
    /// An answer without an entity tag keeps the old one (RFC 9111, 4.3.4).
    public func renewed(at fetchedAt: Int64, freshness: Freshness) -> CacheEntry {
        CacheEntry(
            url: url, fetchedAt: fetchedAt,
            freshness: Freshness(
                seconds: freshness.seconds, entityTag: freshness.entityTag ?? self.freshness.entityTag),
            picture: picture)
    }

    /// Reads a file; nil unless it is a whole entry of `url`.
    public init?(file: [UInt8], of url: WebURL) {
        guard file.count <= Self.fileBytesMax,
            let lineEnd = file.prefix(Self.headBytesMax).firstIndex(of: UInt8(ascii: "\n")),
            let head = (try? JSONValue.parse(Array(file[..<lineEnd]), limits: Self.limits))?.objectValue,
            head["version"]?.integerValue == Self.version,
            let storedURL = head["url"]?.stringValue, storedURL.utf8.elementsEqual(url.text.utf8),
            let fetchedAt = head["fetchedAt"]?.integerValue,
            let seconds = head["freshSeconds"]?.boundedInteger(in: 0...Freshness.secondsMax)
        else { return nil }
        let picture = Array(file[(lineEnd + 1)...])
        let entityTag = head["etag"]?.stringValue
        guard entityTag.map(Freshness.isEntityTag) ?? true,
            head["sha256"]?.stringValue == SHA256.hexadecimal(picture),
            let header = try? PictureHeader(of: picture), header.format == .png,
            max(header.width, header.height) <= FetchLimits.writtenSideMax
        else { return nil }
        self.url = storedURL
        self.fetchedAt = fetchedAt
        freshness = Freshness(seconds: seconds, entityTag: entityTag)
        self.picture = picture
    }

    /// The entry as its file.
    public var file: [UInt8] {
        var head: JSONObject = [
            "version": .integer(Self.version), "url": .string(url), "fetchedAt": .integer(fetchedAt),
            "freshSeconds": .integer(freshness.seconds), "sha256": .string(SHA256.hexadecimal(picture)),
        ]
        head["etag"] = freshness.entityTag.map { .string($0) }
        return head.serialized() + [UInt8(ascii: "\n")] + picture
    }

    private static let limits = JSONLimits(bytesMax: headBytesMax, depthMax: 1, valuesMax: 16)

    private init(url: String, fetchedAt: Int64, freshness: Freshness, picture: [UInt8]) {
        self.url = url
        self.fetchedAt = fetchedAt
        self.freshness = freshness
        self.picture = picture
    }
}
