public import BelfryDevices
import BelfryJSON
public import BelfryTerms

/// A machine says to all gateways that it is there: `belfry.here.<machine>`.
public struct HereMessage: Hashable, Sendable {
    /// Which of its lives says so, as in ``FleetSaying/agent``.
    public let agent: UInt64
    /// Whether what it could not hand over before can be now.
    public let isBack: Bool
    /// The version of its program.
    public let program: String
    /// Since when it runs.
    public let since: WallTime

    /// The machine is there in its life `agent`.
    public init(agent: UInt64, isBack: Bool, program: String, since: WallTime) {
        self.agent = agent
        self.isBack = isBack
        self.program = program
        self.since = since
    }

    /// As a message.
    public var bytes: [UInt8] {
        FleetMessage.written([
            "agent": .string(String(agent)), "back": .bool(isBack), "program": .string(program),
            "since": .integer(since.microseconds),
        ])
    }

    /// Reads ``bytes``.
    public init(bytes: [UInt8]) throws(FleetMessageError) {
        self = try FleetMessage.read(bytes) { (fields) throws(JSONFieldError) in
            HereMessage(
                agent: try fields.word("agent", UInt64.init(_:)), isBack: try fields.bool("back"),
                program: try fields.word("program", { $0.utf8.count <= Self.programMax ? $0 : nil }),
                since: WallTime(microseconds: try fields.integer("since")))
        }
    }

    private static let programMax = 64
}

/// What a gateway answers to ``HereMessage``.
public struct HereAnswer: Hashable, Sendable {
    /// Who answers.
    public let gateway: FleetName
    /// Its time.
    public let time: WallTime

    /// The gateway `gateway` has heard it at `time`.
    public init(gateway: FleetName, time: WallTime) { (self.gateway, self.time) = (gateway, time) }

    /// As a message.
    public var bytes: [UInt8] {
        FleetMessage.written(["gateway": .string(gateway.text), "time": .integer(time.microseconds)])
    }

    /// Reads ``bytes``.
    public init(bytes: [UInt8]) throws(FleetMessageError) {
        self = try FleetMessage.read(bytes) { (fields) throws(JSONFieldError) in
            HereAnswer(
                gateway: try fields.word("gateway", { FleetName($0) }),
                time: WallTime(microseconds: try fields.integer("time")))
        }
    }
}
