internal import JSON

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
    /// The entity tag of the copy that is in the cache; nil where there is none.
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

    /// Reads a request; nil where it is not one, which is a defect of whoever wrote it.
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
