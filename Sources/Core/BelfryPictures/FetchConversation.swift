public import BelfryTerms
import BelfryJSON

/// What a fetcher is asked for: one JSON line on its standard input.
///
/// `{"url": "https://…", "bytesMax": 10485760, "milliseconds": 5000, "allow": ["10.0.0.0/8"], "from": ["a.example"],
/// "etag": "\"…\""}`. All but `url` may be left out.
public struct FetchRequest: Hashable, Sendable {
    /// The picture's URL as the payload has it; not checked.
    public let url: String
    /// Bytes of the picture as it arrives, at most.
    public let bytesMax: Int
    /// Milliseconds from the start of the fetcher to its answer.
    public let milliseconds: Int
    /// `[Avatar] Allow=`.
    public let allow: [String]
    /// `[Avatar] From=`; empty for any host.
    public let from: [String]
    /// The entity tag of the copy that is in the cache; nil if there is none.
    public let entityTag: String?

    /// A request. Limits outside ``FetchLimits`` become the nearest that is not.
    public init(
        url: String, bytesMax: Int = FetchLimits.bodyBytesMax, milliseconds: Int = 5_000, allow: [String] = [],
        from: [String] = [], entityTag: String? = nil
    ) {
        self.url = url
        self.bytesMax = min(max(bytesMax, 1), FetchLimits.bodyBytesMax)
        self.milliseconds = min(max(milliseconds, 1), FetchLimits.millisecondsMax)
        self.allow = allow
        self.from = from
        self.entityTag = entityTag
    }

    /// Reads a request; nil if the line is none, which is a defect of the worker that wrote it.
    public init?(line: [UInt8]) {
        let limits = JSONLimits(
            bytesMax: FetchLimits.requestBytesMax, depthMax: 3, valuesMax: 2 * FetchLimits.hostsMax + 8)
        guard let object = (try? JSONValue.parse(line, limits: limits))?.objectValue,
            let url = object["url"]?.stringValue,
            let allow = Self.hosts(object["allow"]), let from = Self.hosts(object["from"])
        else { return nil }
        func limit(_ key: String, _ otherwise: Int) -> Int? {
            guard let value = object[key] else { return otherwise }
            return value.boundedInteger(in: 1...Int64(Int32.max)).map { Int($0) }
        }
        guard let bytesMax = limit("bytesMax", FetchLimits.bodyBytesMax),
            let milliseconds = limit("milliseconds", 5_000)
        else { return nil }
        self.init(
            url: url, bytesMax: bytesMax, milliseconds: milliseconds, allow: allow, from: from,
            entityTag: object["etag"]?.stringValue)
    }

    /// The request as its line, newline included.
    public var line: [UInt8] {
        var object: JSONObject = [
            "url": .string(url), "bytesMax": .integer(Int64(bytesMax)), "milliseconds": .integer(Int64(milliseconds)),
            "allow": .array(allow.map { .string($0) }), "from": .array(from.map { .string($0) }),
        ]
        object["etag"] = entityTag.map { .string($0) }
        return object.serialized() + [UInt8(ascii: "\n")]
    }

    private static func hosts(_ value: JSONValue?) -> [String]? {
        guard let value else { return [] }
        guard let elements = value.arrayValue, elements.count <= FetchLimits.hostsMax else { return nil }
        let hosts = elements.compactMap(\.stringValue)
        return hosts.count == elements.count ? hosts : nil
    }
}

/// What became of a fetch: the one JSON line that the fetcher writes to its standard output.
///
/// The worker takes it for hostile, since a picture that took over the decoder may have written it.
public struct FetchAnswer: Hashable, Sendable {
    /// How it ended.
    public enum Outcome: Hashable, Sendable {
        /// The picture is written.
        case picture(Picture)
        /// The copy in the cache is still the server's (status 304); nothing is written.
        case unchanged
        /// There is none.
        case skipped(Skip)
    }

    /// A picture that was written, always as PNG.
    public struct Picture: Hashable, Sendable {
        /// The format the server sent.
        public let source: PictureFormat
        /// Width in pixels of what is written.
        public let width: Int
        /// Height in pixels of what is written.
        public let height: Int
        /// Bytes of what is written.
        public let bytes: Int
        /// Bytes that were fetched.
        public let fetchedBytes: Int

        /// A picture.
        public init(source: PictureFormat, width: Int, height: Int, bytes: Int, fetchedBytes: Int) {
            self.source = source
            self.width = width
            self.height = height
            self.bytes = bytes
            self.fetchedBytes = fetchedBytes
        }
    }

    /// How it ended.
    public let outcome: Outcome
    /// Seconds it took, from the fetcher's start.
    public let seconds: Double
    /// How long the answer may be used again.
    public let freshness: Freshness

    /// An answer.
    public init(_ outcome: Outcome, seconds: Double, freshness: Freshness = Freshness()) {
        self.outcome = outcome
        self.seconds = seconds
        self.freshness = freshness
    }

    /// The uniform type of what is written, as `attachment.type` has it.
    public static let writtenType = "public.png"

    /// Reads an answer; nil if the line is none, or states what no fetcher of ours states.
    public init?(line: [UInt8]) {
        let limits = JSONLimits(bytesMax: FetchLimits.answerBytesMax, depthMax: 1, valuesMax: 16)
        guard let object = (try? JSONValue.parse(line, limits: limits))?.objectValue,
            let seconds = object["seconds"]?.numberValue, seconds >= 0, seconds <= 3_600,
            let outcome = Self.outcome(object)
        else { return nil }
        let entityTag = object["etag"]?.stringValue
        guard entityTag.map(Freshness.isEntityTag) ?? true else { return nil }
        let keep = object["keepSeconds"]?.boundedInteger(in: 0...Freshness.secondsMax) ?? 0
        self.init(outcome, seconds: seconds, freshness: Freshness(seconds: keep, entityTag: entityTag))
    }

    /// The answer as its line, newline included.
    public var line: [UInt8] {
        var object: JSONObject = [:]
        switch outcome {
        case .picture(let picture):
            object["outcome"] = .string("picture")
            object["type"] = .string(Self.writtenType)
            object["width"] = .integer(Int64(picture.width))
            object["height"] = .integer(Int64(picture.height))
            object["bytes"] = .integer(Int64(picture.bytes))
            object["source"] = .string(picture.source.rawValue)
            object["fetchedBytes"] = .integer(Int64(picture.fetchedBytes))
        case .unchanged: object["outcome"] = .string("unchanged")
        case .skipped(let skip):
            object["outcome"] = .string("skipped")
            object["reason"] = .string(skip.reason.rawValue)
            object["detail"] = .string(skip.detail)
        }
        object["seconds"] = .real(seconds)
        object["keepSeconds"] = .integer(freshness.seconds)
        object["etag"] = freshness.entityTag.map { .string($0) }
        return object.serialized() + [UInt8(ascii: "\n")]
    }

    private static func outcome(_ object: JSONObject) -> Outcome? {
        func number(_ key: String, atMost most: Int) -> Int? {
            guard let number = object[key]?.integerValue, number >= 1, number <= Int64(most) else { return nil }
            return Int(number)
        }
        switch object["outcome"]?.stringValue {
        case "picture":
            guard let source = object["source"]?.stringValue.flatMap(PictureFormat.init),
                let width = number("width", atMost: FetchLimits.writtenSideMax),
                let height = number("height", atMost: FetchLimits.writtenSideMax),
                let bytes = number("bytes", atMost: FetchLimits.writtenBytesMax),
                let fetchedBytes = number("fetchedBytes", atMost: FetchLimits.bodyBytesMax)
            else { return nil }
            return .picture(
                Picture(source: source, width: width, height: height, bytes: bytes, fetchedBytes: fetchedBytes))
        case "unchanged": return .unchanged
        case "skipped":
            guard let reason = object["reason"]?.stringValue.flatMap(SkipReason.init),
                let detail = object["detail"]?.stringValue
            else { return nil }
            return .skipped(Skip(reason, Printable.excerpt(of: detail, charactersMax: 400)))
        default: return nil
        }
    }
}

/// The limits of every fetch, whatever its request says.
public enum FetchLimits {
    /// Bytes of a URL, before and after redirects.
    public static let urlBytesMax = 2_048
    /// Redirects that are followed.
    public static let redirectsMax = 3
    /// Bytes of all headers of one answer, interim answers (1xx) included.
    public static let headerBytesMax = 64 << 10
    /// Bytes of a picture as it arrives, at most, in a request.
    public static let bodyBytesMax = 10 << 20
    /// Milliseconds of a fetch, at most, in a request.
    public static let millisecondsMax = 25_000
    /// Pixels of a picture's width and of its height, as its header states them.
    public static let sideMax = 8_192
    /// Pixels of a picture in all, 32 Mi.
    public static let pixelsMax = 32 << 20
    /// Scans of a JPEG; encoders make about 10, and each costs as much as the whole picture.
    public static let scansMax = 100
    /// Pixels of the long side of what is written.
    public static let writtenSideMax = 512
    /// Bytes of what is written: 512 × 512 pixels of 4 bytes that do not compress, twice.
    public static let writtenBytesMax = 2 << 20
    /// Bytes of an entity tag, quotes included.
    public static let entityTagBytesMax = 256
    /// Bytes of a request's line; ``hostsMax`` hosts of the greatest length fit.
    public static let requestBytesMax = 1 << 20
    /// Bytes of an answer's line (S5).
    public static let answerBytesMax = 8 << 10
    /// Hosts or blocks in one list of a request.
    public static let hostsMax = 1_024
}

/// A reason to go without a picture, with words for the operator.
public struct Skip: Error, Hashable, Sendable {
    /// Which reason.
    public let reason: SkipReason
    /// What happened and, if there is something to do about it, what to do. Of a URL it names only the host, and it
    /// holds no control characters.
    public let detail: String

    /// A reason and its words.
    public init(_ reason: SkipReason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }
}
