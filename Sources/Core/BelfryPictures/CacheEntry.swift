import BelfryJSON

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

extension CacheEntry {
    /// What an entry is good for.
    public enum Use: Hashable, Sendable {
        /// It is the picture.
        case picture
        /// It is the picture if the server answers this entity tag with 304.
        case ask(entityTag: String)
        /// Nothing.
        case none
    }

    /// Seconds of disagreement between the clock then and now that are put up with.
    public static let clockErrorSecondsMax: Int64 = 60

    /// What it is good for at the Unix second `now`. After a day nothing is, whatever the server said; an entry from
    /// the future is one whose age nobody knows.
    public func use(at now: Int64) -> Use {
        let (age, overflows) = now.subtractingReportingOverflow(fetchedAt)
        guard !overflows, age >= -Self.clockErrorSecondsMax, age < Freshness.secondsMax else { return .none }
        if age < freshness.seconds { return .picture }
        return freshness.entityTag.map { .ask(entityTag: $0) } ?? .none
    }
}

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

/// How much the cache may hold, and what goes when it holds more.
public struct CacheBudget: Hashable, Sendable {
    /// A file of the cache's folder.
    public struct File: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// Its size in bytes.
        public let bytes: Int64
        /// The Unix second of its last change.
        public let changedAt: Int64

        /// A file.
        public init(name: String, bytes: Int64, changedAt: Int64) {
            self.name = name
            self.bytes = bytes
            self.changedAt = changedAt
        }
    }

    /// Bytes of all entries together, at most.
    public let bytesMax: Int64
    /// Entries, at most.
    public let entriesMax: Int
    /// Seconds after which an entry goes in any case.
    public let ageSecondsMax: Int64

    /// A budget; by default 32 MiB, 512 entries and a day.
    public init(bytesMax: Int64 = 32 << 20, entriesMax: Int = 512, ageSecondsMax: Int64 = 86_400) {
        self.bytesMax = bytesMax
        self.entriesMax = entriesMax
        self.ageSecondsMax = ageSecondsMax
    }

    /// The names that must go at the Unix second `now`: the old, those from the future, and of the rest the oldest
    /// until the budget is kept. Names that are no entry's are never among them.
    public func expelled(from files: [File], at now: Int64) -> [String] {
        var expelled: [String] = []
        var kept: [File] = []
        for file in files where CacheKey.isFileName(file.name) {
            let (age, overflows) = now.subtractingReportingOverflow(file.changedAt)
            let isKept = !overflows && age < ageSecondsMax && age >= -CacheEntry.clockErrorSecondsMax
            if isKept { kept.append(file) } else { expelled.append(file.name) }
        }
        // Newest first; by name where a second is not enough, so that all workers expel the same.
        kept.sort { ($0.changedAt, $0.name) > ($1.changedAt, $1.name) }
        var bytesLeft = bytesMax
        for (index, file) in kept.enumerated() {
            // Once one does not fit, no older one stays in its place.
            bytesLeft = index < entriesMax && file.bytes >= 0 && file.bytes <= bytesLeft ? bytesLeft - file.bytes : -1
            if bytesLeft < 0 { expelled.append(file.name) }
        }
        return expelled
    }
}
