import BelfryJSON
import BelfryTerms

/// A picture that was fetched, with all that is needed to use it again; one file, so that one rename replaces it whole.
///
/// The file is a line of JSON, then the PNG. It is read as if an attacker had written it: a file of another version or
/// URL, one that is cut short or has changed since, and one that holds no ``KeptPicture`` is no entry.
public struct CacheEntry: Hashable, Sendable {
    /// Bytes of an entry's file at most: the largest picture and its line.
    public static let fileBytesMax = FetchLimits.writtenBytesMax + headBytesMax
    private static let headBytesMax = 8 << 10
    private static let version: Int64 = 2

    /// The URL it was asked from, in its one spelling.
    public let url: String
    /// The Unix second at which the server last vouched for it.
    public let fetchedAt: Int64
    /// What the server said about using it again.
    public let freshness: Freshness
    /// The picture.
    public let picture: KeptPicture

    /// An entry.
    public init(url: WebURL, fetchedAt: Int64, freshness: Freshness, picture: KeptPicture) {
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

    /// Reads a file; nil unless it is a complete entry of `url`. The URL in the file decides, not the file's name.
    public init?(file: [UInt8], of url: WebURL) {
        guard file.count <= Self.fileBytesMax,
            let lineEnd = file.prefix(Self.headBytesMax).firstIndex(of: UInt8(ascii: "\n")),
            let head = (try? JSONValue.parse(Array(file[..<lineEnd]), limits: Self.limits))?.objectValue,
            head["version"]?.integerValue == Self.version,
            let storedURL = head["url"]?.stringValue, storedURL.utf8.elementsEqual(url.text.utf8),
            let fetchedAt = head["fetchedAt"]?.integerValue,
            let seconds = head["freshSeconds"]?.boundedInteger(in: 0...Freshness.secondsMax)
        else { return nil }
        let entityTag = head["etag"]?.stringValue
        guard entityTag.map(Freshness.isEntityTag) ?? true, let picture = KeptPicture(Array(file[(lineEnd + 1)...]))
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
            "freshSeconds": .integer(freshness.seconds),
        ]
        head["etag"] = freshness.entityTag.map { .string($0) }
        return head.serialized() + [UInt8(ascii: "\n")] + picture.bytes
    }

    private static let limits = JSONLimits(bytesMax: headBytesMax, depthMax: 1, valuesMax: 16)

    private init(url: String, fetchedAt: Int64, freshness: Freshness, picture: KeptPicture) {
        self.url = url
        self.fetchedAt = fetchedAt
        self.freshness = freshness
        self.picture = picture
    }
}

extension CacheEntry {
    /// What an entry may be used for.
    public enum Use: Hashable, Sendable {
        /// The picture may be shown without asking.
        case picture
        /// The picture may be shown if the server answers this entity tag with 304.
        case ask(entityTag: String)
        /// The entry is too old, or of unknown age: fetch the picture anew.
        case none
    }

    /// How many seconds in the future an entry may seem to have been fetched, since the clock may have been set back.
    public static let clockErrorSecondsMax: Int64 = 60

    /// What the entry may be used for at the Unix second `now`: nothing a day after it was fetched, whatever the server
    /// said, and nothing if it comes from the future, since its age is unknown.
    public func use(at now: Int64) -> Use {
        let (age, overflows) = now.subtractingReportingOverflow(fetchedAt)
        guard !overflows, age >= -Self.clockErrorSecondsMax, age < Freshness.secondsMax else { return .none }
        if age < freshness.seconds { return .picture }
        return freshness.entityTag.map { .ask(entityTag: $0) } ?? .none
    }
}

/// The names for a URL's entry and its host: made by us alone, whatever the URL.
///
/// Two URLs may share a name, and a sender can choose them so. That costs a fetch and never shows a wrong picture,
/// since an entry holds its URL: see ``CacheEntry/init(file:of:)``.
public struct CacheKey: Hashable, Sendable {
    /// 16 hexadecimal digits and `.picture`.
    public let fileName: String
    /// 16 hexadecimal digits for the URL's host. Hosts that share them wait for each other.
    public let hostDigits: String

    /// The key of `url` in its one spelling.
    public init(_ url: WebURL) {
        fileName = Fingerprint.of(Array(url.text.utf8)) + Self.suffix
        hostDigits = Fingerprint.of(Array(url.hostText.utf8))
    }

    /// Whether `name` could be a key's, so that tidying the folder touches no other file.
    ///
    /// Earlier versions named entries by 64 digits. These are not read any more; they still count, so that they age
    /// out.
    public static func isFileName(_ name: String) -> Bool {
        guard name.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) else { return false }
        let digits = name.utf8.dropLast(suffix.utf8.count)
        guard digits.count == Fingerprint.digitCount || digits.count == 64 else { return false }
        return digits.allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0) }
    }

    private static let suffix = ".picture"
}

/// How much the cache may hold, and which entries are removed when it holds more.
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
    /// Seconds after which an entry is removed in any case.
    public let ageSecondsMax: Int64

    /// A budget; by default 32 MiB, 512 entries and a day.
    public init(bytesMax: Int64 = 32 << 20, entriesMax: Int = 512, ageSecondsMax: Int64 = 86_400) {
        self.bytesMax = bytesMax
        self.entriesMax = entriesMax
        self.ageSecondsMax = ageSecondsMax
    }

    /// The names of the files to remove at the Unix second `now`: those that are too old or from the future, and of the
    /// rest the oldest until the budget is kept. A file that is no entry is never among them.
    public func expelled(from files: [File], at now: Int64) -> [String] {
        var expelled: [String] = []
        var kept: [File] = []
        for file in files where CacheKey.isFileName(file.name) {
            let (age, overflows) = now.subtractingReportingOverflow(file.changedAt)
            let isKept = !overflows && age < ageSecondsMax && age >= -CacheEntry.clockErrorSecondsMax
            if isKept { kept.append(file) } else { expelled.append(file.name) }
        }
        // Newest first; entries of one second by name, so that all workers expel the same ones.
        kept.sort { ($0.changedAt, $0.name) > ($1.changedAt, $1.name) }
        var bytesLeft = bytesMax
        for (index, file) in kept.enumerated() {
            // Once an entry does not fit, older ones do not stay in its place.
            bytesLeft = index < entriesMax && file.bytes >= 0 && file.bytes <= bytesLeft ? bytesLeft - file.bytes : -1
            if bytesLeft < 0 { expelled.append(file.name) }
        }
        return expelled
    }
}
