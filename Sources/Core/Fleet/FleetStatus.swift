public import BelfryDevices
import BelfryJSON
public import BelfryTerms

/// How a relay or an agent stands, as it tells commands that ask for it.
public struct FleetStatus: Hashable, Sendable {
    /// By how many seconds the clocks of a fleet may differ.
    public static let clockSecondsMax: Int64 = 2

    /// One of its lines.
    public struct Line: Hashable, Sendable {
        /// The broker that it goes to, or went to last.
        public let broker: String
        /// Whether it is up.
        public let isUp: Bool
        /// Until when the broker's certificate is valid; nil while the line is not up.
        public let certificateEnd: WallTime?

        /// A line to `broker`.
        public init(broker: String, isUp: Bool, certificateEnd: WallTime? = nil) {
            (self.broker, self.isUp, self.certificateEnd) = (broker, isUp, certificateEnd)
        }

        /// People are told of a certificate that ends sooner: another one takes a folder to be copied.
        private static let notice = TimeSpan.seconds(30 * 86_400)

        /// For how many days more the certificate is valid, if people are to be told: less than 30.
        public func certificateDaysLeft(at now: WallTime) -> Int64? {
            guard let certificateEnd, certificateEnd < now + Self.notice else { return nil }
            return max(0, (certificateEnd - now).microseconds / TimeSpan.seconds(86_400).microseconds)
        }
    }

    /// What a gateway knows of the bucket of devices.
    public struct Bucket: Hashable, Sendable {
        /// How the brokers keep it.
        public let copies: BucketCopies
        /// How many devices the mirror has that are in use.
        public let devicesCount: Int
        /// How many of the bucket's numbers the mirror has not read.
        public let unreadCount: Int

        /// A bucket that stands so.
        public init(copies: BucketCopies, devicesCount: Int, unreadCount: Int) {
            (self.copies, self.devicesCount, self.unreadCount) = (copies, devicesCount, unreadCount)
        }
    }

    /// Somebody else: a machine that a relay has heard, a gateway that answers an agent, or another gateway.
    public struct Peer: Hashable, Sendable {
        /// Who it is.
        public let name: FleetName
        /// Since when it is heard, in its present life.
        public let since: WallTime
        /// When it was heard last.
        public let heardAt: WallTime
        /// Whether nothing is asked of it any more, since it says nothing.
        public let isAbsent: Bool
        /// How many pushes wait for it there.
        public let waitingCount: Int
        /// By how many seconds its clock is ahead of this one; nil where it does not say.
        public let clockSeconds: Int64?
        /// What it says of itself.
        public let introduction: FleetIntroduction
        /// Whether two machines are heard by one name: of a machine, by its own; of a gateway, it hears so of this one.
        public let isTwice: Bool

        /// One called `name`.
        public init(
            name: FleetName, since: WallTime, heardAt: WallTime, isAbsent: Bool = false, waitingCount: Int = 0,
            clockSeconds: Int64? = nil, introduction: FleetIntroduction = .none, isTwice: Bool = false
        ) {
            self.introduction = introduction
            self.isTwice = isTwice
            self.name = name
            self.since = since
            self.heardAt = heardAt
            self.isAbsent = isAbsent
            self.waitingCount = waitingCount
            self.clockSeconds = clockSeconds
        }
    }

    /// What a command says to be told: a line.
    public static let question = Array("status".utf8)
    /// More than any answer has, in bytes.
    public static let bytesMax = 4 << 20

    /// Who it is.
    public let name: FleetName
    /// Since when it runs.
    public let since: WallTime
    /// Its lines.
    public let lines: [Line]
    /// What a gateway's mirror of the devices is worth; nil for a machine.
    public let standing: MirrorStateMachine.Standing?
    /// What a gateway knows of the bucket; nil for a machine, and until a broker has told.
    public let bucket: Bucket?
    /// Whom it hears, by name.
    public let peers: [Peer]
    /// Of a gateway, the gateways that have written into the bucket, itself among them, by name.
    public let gateways: [Peer]
    /// How many pushes wait for machines, or for this machine's workers.
    public let waitingCount: Int
    /// How many messages it has dropped that made no sense, or came from where they may not.
    public let droppedCount: Int

    /// How `name` stands.
    public init(
        name: FleetName, since: WallTime, lines: [Line], standing: MirrorStateMachine.Standing?,
        bucket: Bucket? = nil, peers: [Peer], gateways: [Peer] = [], waitingCount: Int = 0, droppedCount: Int
    ) {
        self.waitingCount = waitingCount
        self.bucket = bucket
        self.gateways = gateways
        self.name = name
        self.since = since
        self.lines = lines
        self.standing = standing
        self.peers = peers
        self.droppedCount = droppedCount
    }

    /// As a line, its newline included.
    public var line: [UInt8] {
        var object: JSONObject = [
            "name": .string(name.text), "since": .integer(since.microseconds),
            "lines": .array(lines.map { .object($0.object) }), "peers": .array(peers.map { .object($0.object) }),
            "waiting": .integer(Int64(waitingCount)), "dropped": .integer(Int64(droppedCount)),
        ]
        object["mirror"] = standing.map { .string($0.rawValue) }
        object["bucket"] = bucket.map { .object($0.object) }
        if !gateways.isEmpty { object["gateways"] = .array(gateways.map { .object($0.object) }) }
        return object.serialized() + [UInt8(ascii: "\n")]
    }

    /// Reads a line; nil if it is none of these.
    public init?(line: [UInt8]) {
        guard let fields = JSONFields(line: line) else { return nil }
        do throws(JSONFieldError) {
            var (lines, peers, gateways): ([Line], [Peer], [Peer]) = ([], [], [])
            for line in try fields.fieldsOfEach("lines") { lines.append(try Line(line)) }
            for peer in try fields.fieldsOfEach("peers") { peers.append(try Peer(peer)) }
            if fields.has("gateways") {
                for peer in try fields.fieldsOfEach("gateways") { gateways.append(try Peer(peer)) }
            }
            self.init(
                name: try fields.word("name", { FleetName($0) }),
                since: WallTime(microseconds: try fields.integer("since")), lines: lines,
                standing: try fields.ifPresent("mirror") { (key) throws(JSONFieldError) in
                    try fields.word(key, MirrorStateMachine.Standing.init(rawValue:))
                },
                bucket: try fields.ifPresent("bucket") { (key) throws(JSONFieldError) in
                    try Bucket(try fields.fields(key))
                },
                peers: peers, gateways: gateways,
                waitingCount: Int(
                    try fields.ifPresent("waiting") { (key) throws(JSONFieldError) in
                        try fields.integer(key, in: 0...Int64.max)
                    } ?? 0),
                droppedCount: Int(try fields.integer("dropped", in: 0...Int64.max)))
        } catch {
            return nil
        }
    }
}

extension FleetStatus.Line {
    fileprivate var object: JSONObject {
        var object: JSONObject = ["broker": .string(broker), "up": .bool(isUp)]
        object["certificateEnd"] = certificateEnd.map { .integer($0.microseconds) }
        return object
    }

    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        self.init(
            broker: try fields.string("broker"), isUp: try fields.bool("up"),
            certificateEnd: try fields.ifPresent("certificateEnd") { (key) throws(JSONFieldError) in
                WallTime(microseconds: try fields.integer(key))
            })
    }
}

extension FleetStatus.Bucket {
    fileprivate var object: JSONObject {
        [
            "copies": .integer(Int64(copies.count)), "missing": .integer(Int64(copies.missingCount)),
            "devices": .integer(Int64(devicesCount)), "unread": .integer(Int64(unreadCount)),
        ]
    }

    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        self.init(
            copies: BucketCopies(
                count: Int(try fields.integer("copies", in: 0...Int64.max)),
                missingCount: Int(try fields.integer("missing", in: 0...Int64.max))),
            devicesCount: Int(try fields.integer("devices", in: 0...Int64.max)),
            unreadCount: Int(try fields.integer("unread", in: 0...Int64.max)))
    }
}

extension FleetStatus.Peer {
    fileprivate var object: JSONObject {
        var object = introduction.fields
        object["name"] = .string(name.text)
        object["since"] = .integer(since.microseconds)
        object["heard"] = .integer(heardAt.microseconds)
        object["absent"] = .bool(isAbsent)
        object["waiting"] = .integer(Int64(waitingCount))
        if isTwice { object["twice"] = true }
        object["clock"] = clockSeconds.map { .integer($0) }
        return object
    }

    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        self.init(
            name: try fields.word("name", { FleetName($0) }),
            since: WallTime(microseconds: try fields.integer("since")),
            heardAt: WallTime(microseconds: try fields.integer("heard")), isAbsent: try fields.bool("absent"),
            waitingCount: Int(try fields.integer("waiting", in: 0...Int64.max)),
            clockSeconds: try fields.ifPresent("clock") { (key) throws(JSONFieldError) in try fields.integer(key) },
            introduction: try FleetIntroduction(fields), isTwice: try fields.ifPresent("twice", fields.bool) ?? false)
    }
}
