public import BelfryDevices
import BelfryJSON
public import BelfryTerms

/// How a relay or an agent stands, as it tells commands that ask for it.
public struct FleetStatus: Hashable, Sendable {
    /// One of its lines.
    public struct Line: Hashable, Sendable {
        /// The broker that it goes to, or went to last.
        public let broker: String
        /// Whether it is up.
        public let isUp: Bool

        /// A line to `broker`.
        public init(broker: String, isUp: Bool) { (self.broker, self.isUp) = (broker, isUp) }
    }

    /// Somebody at the other end: a machine that a relay has heard, or a gateway that answers an agent.
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

        /// One called `name`.
        public init(
            name: FleetName, since: WallTime, heardAt: WallTime, isAbsent: Bool = false, waitingCount: Int = 0,
            clockSeconds: Int64? = nil
        ) {
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
    /// Whom it hears, by name.
    public let peers: [Peer]
    /// How many messages it has dropped that made no sense, or came from where they may not.
    public let droppedCount: Int

    /// How `name` stands.
    public init(
        name: FleetName, since: WallTime, lines: [Line], standing: MirrorStateMachine.Standing?, peers: [Peer],
        droppedCount: Int
    ) {
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
            "lines": .array(lines.map { .object(["broker": .string($0.broker), "up": .bool($0.isUp)]) }),
            "peers": .array(peers.map { .object($0.object) }), "dropped": .integer(Int64(droppedCount)),
        ]
        object["mirror"] = standing.map { .string($0.rawValue) }
        return object.serialized() + [UInt8(ascii: "\n")]
    }

    /// Reads a line; nil if it is none of these.
    public init?(line: [UInt8]) {
        guard let fields = JSONFields(line: line) else { return nil }
        do throws(JSONFieldError) {
            var (lines, peers): ([Line], [Peer]) = ([], [])
            for line in try fields.fieldsOfEach("lines") {
                lines.append(Line(broker: try line.string("broker"), isUp: try line.bool("up")))
            }
            for peer in try fields.fieldsOfEach("peers") { peers.append(try Peer(peer)) }
            self.init(
                name: try fields.word("name", { FleetName($0) }),
                since: WallTime(microseconds: try fields.integer("since")), lines: lines,
                standing: try fields.ifPresent("mirror") { (key) throws(JSONFieldError) in
                    try fields.word(key, MirrorStateMachine.Standing.init(rawValue:))
                },
                peers: peers, droppedCount: Int(try fields.integer("dropped", in: 0...Int64.max)))
        } catch {
            return nil
        }
    }
}

extension FleetStatus.Peer {
    fileprivate var object: JSONObject {
        var object: JSONObject = [
            "name": .string(name.text), "since": .integer(since.microseconds), "heard": .integer(heardAt.microseconds),
            "absent": .bool(isAbsent), "waiting": .integer(Int64(waitingCount)),
        ]
        object["clock"] = clockSeconds.map { .integer($0) }
        return object
    }

    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        self.init(
            name: try fields.word("name", { FleetName($0) }),
            since: WallTime(microseconds: try fields.integer("since")),
            heardAt: WallTime(microseconds: try fields.integer("heard")), isAbsent: try fields.bool("absent"),
            waitingCount: Int(try fields.integer("waiting", in: 0...Int64.max)),
            clockSeconds: try fields.ifPresent("clock") { (key) throws(JSONFieldError) in try fields.integer(key) })
    }
}
