import BelfryJSON
public import BelfryTerms

/// The request to a fetcher: one JSON line on its standard input.
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
        guard let said = JSONFields(line: line, limits: limits), let request = try? Self.read(said) else { return nil }
        self = request
    }

    private static func read(_ said: JSONFields) throws(JSONFieldError) -> FetchRequest? {
        func limit(_ key: String, _ otherwise: Int) throws(JSONFieldError) -> Int {
            said.mentions(key) ? Int(try said.bounded(key, in: 1...Int64(Int32.max))) : otherwise
        }
        func hosts(_ key: String) throws(JSONFieldError) -> [String] {
            said.mentions(key) ? try said.strings(key) : []
        }
        let (allow, from) = (try hosts("allow"), try hosts("from"))
        guard max(allow.count, from.count) <= FetchLimits.hostsMax else { return nil }
        return FetchRequest(
            url: try said.string("url"), bytesMax: try limit("bytesMax", FetchLimits.bodyBytesMax),
            milliseconds: try limit("milliseconds", 5_000), allow: allow, from: from,
            entityTag: try? said.string("etag"))
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
}

/// The result of a fetch: the one JSON line that the fetcher writes to its standard output.
///
/// The worker treats it as hostile, since a picture that took over the decoder may have written it.
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
        /// Width in pixels of the written picture.
        public let width: Int
        /// Height in pixels of the written picture.
        public let height: Int
        /// Bytes of the written picture.
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
        guard let said = JSONFields(line: line, limits: limits), let seconds = try? said.number("seconds"),
            (0...3_600).contains(seconds), let outcome = try? Self.outcome(said)
        else { return nil }
        let entityTag = try? said.string("etag")
        guard entityTag.map(Freshness.isEntityTag) ?? true else { return nil }
        let keep = (try? said.bounded("keepSeconds", in: 0...Freshness.secondsMax)) ?? 0
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

    private static func outcome(_ said: JSONFields) throws(JSONFieldError) -> Outcome? {
        func number(_ key: String, atMost most: Int) throws(JSONFieldError) -> Int {
            Int(try said.integer(key, in: 1...Int64(most)))
        }
        switch try said.string("outcome") {
        case "picture":
            return .picture(
                Picture(
                    source: try said.word("source", PictureFormat.init),
                    width: try number("width", atMost: FetchLimits.writtenSideMax),
                    height: try number("height", atMost: FetchLimits.writtenSideMax),
                    bytes: try number("bytes", atMost: FetchLimits.writtenBytesMax),
                    fetchedBytes: try number("fetchedBytes", atMost: FetchLimits.bodyBytesMax)))
        case "unchanged": return .unchanged
        case "skipped":
            let (reason, detail) = (try said.word("reason", SkipReason.init), try said.string("detail"))
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
