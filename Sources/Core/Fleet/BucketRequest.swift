import BelfryJSON
public import BelfryTerms

/// What a gateway asks JetStream about the bucket of devices, which is the stream `KV_belfry-devices` there.
///
/// A gateway's credential allows these requests and no others.
public enum BucketRequest: Hashable, Sendable {
    /// What the bucket is, and how far: answered with ``BucketAnswer/bucket(identity:last:copies:)``.
    case information
    /// Deliver what was written after that number to `subject`, and what is written from now on: answered with
    /// ``BucketAnswer/watching``. The name is of this watch alone.
    case watch(name: String, after: UInt64, to: String, heartbeat: TimeSpan)
    /// Deliver no more by the watch of that name.
    case endWatch(name: String)
    /// Write bytes at a key, if the bucket has that key at the number `over`, which is 0 for one that it never had;
    /// nil is whatever it has. Answered with ``BucketAnswer/written(_:)`` or ``BucketAnswer/isAnother``.
    case put(BucketKey, [UInt8], over: UInt64?)

    static let stream = "KV_belfry-devices"
    static let keys = "$KV.belfry-devices."
    private static let api = "$JS.API"
    /// After how long without a listener JetStream ends a watch.
    private static let inactiveMax = TimeSpan.seconds(30)

    /// Where it is published to.
    public var subject: String {
        switch self {
        case .information: "\(Self.api).STREAM.INFO.\(Self.stream)"
        case .watch(let name, _, _, _): "\(Self.api).CONSUMER.CREATE.\(Self.stream).\(name)"
        case .endWatch(let name): "\(Self.api).CONSUMER.DELETE.\(Self.stream).\(name)"
        case .put(let key, _, _): Self.keys + key.text
        }
    }

    /// The headers that it has.
    public var headers: [(name: String, value: String)] {
        guard case .put(_, _, let sequence?) = self else { return [] }
        return [("Nats-Expected-Last-Subject-Sequence", "\(sequence)")]
    }

    /// What it says.
    public var bytes: [UInt8] {
        switch self {
        case .information, .endWatch: []
        case .put(_, let bytes, _): bytes
        case .watch(let name, let after, let subject, let heartbeat):
            JSONObject(
                dictionaryLiteral: ("stream_name", .string(Self.stream)),
                (
                    "config",
                    .object([
                        "name": .string(name), "deliver_subject": .string(subject),
                        // Each key has its last alone there, so that nothing is delivered which a later one replaced.
                        "deliver_policy": "by_start_sequence",
                        "opt_start_seq": .integer(Int64(min(after, UInt64(Int64.max) - 1)) + 1),
                        "ack_policy": "none", "max_deliver": 1, "flow_control": true, "mem_storage": true,
                        "idle_heartbeat": Self.nanoseconds(heartbeat), "num_replicas": 1,
                        "inactive_threshold": Self.nanoseconds(Self.inactiveMax),
                    ])
                )
            ).serialized()
        }
    }

    private static func nanoseconds(_ span: TimeSpan) -> JSONValue { .integer(span.microseconds * 1_000) }
}

/// What JetStream answers to a ``BucketRequest``.
public enum BucketAnswer: Hashable, Sendable {
    /// There is the bucket, which another one of its name would be told from by `identity`, its last number, and how
    /// the brokers keep it.
    case bucket(identity: String, last: UInt64, copies: BucketCopies)
    /// The watch has begun.
    case watching
    /// A majority has what was to be written, at that number.
    case written(UInt64)
    /// The bucket has another number at the key: nothing was written.
    case isAnother
    /// Nothing was done, for that reason, for people.
    case failed(String)

    private static let wrongLastSequence: Int64 = 10_071
    /// No description of a broker's is longer.
    private static let detailMax = 256

    /// The one that `message` is.
    public init(_ message: LineMessage) {
        switch message.kind {
        case .published: self = Self.read(message.bytes)
        case .noResponders: self = .failed("no broker has the bucket of devices")
        case .status(let status): self = .failed("a broker answers \(status)")
        }
    }

    private static func read(_ bytes: [UInt8]) -> BucketAnswer {
        guard let fields = JSONFields(line: bytes) else { return .failed("a broker's answer is no JSON object") }
        do throws(JSONFieldError) {
            if fields.has("error") { return failed(try fields.fields("error")) }
            if fields.has("seq") {
                return .written(UInt64(try fields.integer("seq", in: 1...Int64.max)))
            }
            if fields.has("state") {
                let last = try fields.fields("state").integer("last_seq", in: 0...Int64.max)
                return .bucket(
                    identity: try fields.string("created"), last: UInt64(last), copies: try copies(fields))
            }
            // The answer to the end of a watch says nothing that anybody waits for.
            return fields.has("name") ? .watching : .failed("a broker's answer says nothing")
        } catch {
            return .failed("a broker's answer: \(error)")
        }
    }

    /// One broker alone says nothing of a cluster.
    private static func copies(_ fields: JSONFields) throws(JSONFieldError) -> BucketCopies {
        var missingCount = 0
        if fields.has("cluster") {
            let cluster = try fields.fields("cluster")
            for copy in cluster.has("replicas") ? try cluster.fieldsOfEach("replicas") : []
            where try copy.ifPresent("offline", copy.bool) ?? false {
                missingCount += 1
            }
        }
        let configuration = try fields.fields("config")
        let count = try configuration.ifPresent("num_replicas") { (key) throws(JSONFieldError) in
            try configuration.integer(key, in: 1...64)
        }
        return BucketCopies(count: Int(count ?? 1), missingCount: missingCount)
    }

    private static func failed(_ fields: JSONFields) -> BucketAnswer {
        if (try? fields.integer("err_code")) == wrongLastSequence { return .isAnother }
        let detail = (try? fields.string("description")) ?? "an error without words"
        return .failed(String(detail.prefix(detailMax)))
    }
}
