internal import JSON

/// What became of a fetch: the one JSON line that the fetcher writes to its standard output.
///
/// Whoever reads it takes it for hostile, since a decoder that a picture took over may have written it.
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

    /// Reads an answer; nil where it is none, or states what no fetcher of ours may.
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
            return .skipped(Skip(reason, detail.excerpt(charactersMax: 400)))
        default: return nil
        }
    }
}
