public import BelfryDevices
import BelfryJSON
public import BelfryTerms

/// A machine says to all gateways that it is there: `belfry.here.<machine>`.
public struct HereMessage: Hashable, Sendable {
    /// Which of its lives says so, as in ``FleetSaying/agent``.
    public let agent: UInt64
    /// Whether what it could not hand over before can be now.
    public let isBack: Bool
    /// Whether it is one of many by a credential of role ``FleetRole/shared``, which are no wonder under one name.
    public let isShared: Bool
    /// Which devices live by such a one, ``SharedDevices/perAgentMax`` at most.
    public let devices: [String]

    /// The machine is there in its life `agent`.
    public init(agent: UInt64, isBack: Bool, isShared: Bool = false, devices: [String] = []) {
        (self.agent, self.isBack, self.isShared) = (agent, isBack, isShared)
        self.devices = Array(devices.prefix(SharedDevices.perAgentMax))
    }

    /// Asks only whether a gateway answers, as no machine's agent does.
    public static let question = HereMessage(agent: 0, isBack: false)

    /// As a message.
    public var bytes: [UInt8] {
        var fields: JSONObject = ["agent": .string(String(agent)), "back": .bool(isBack)]
        if isShared { fields["shared"] = true }
        if !devices.isEmpty { fields["devices"] = .array(devices.map { .object(["id": .string($0)]) }) }
        return FleetMessage.written(fields)
    }

    /// Reads ``bytes``.
    public init(bytes: [UInt8]) throws(FleetMessageError) {
        self = try FleetMessage.read(bytes) { (fields) throws(JSONFieldError) in
            HereMessage(
                agent: try fields.word("agent", UInt64.init(_:)), isBack: try fields.bool("back"),
                isShared: try fields.ifPresent("shared", fields.bool) ?? false,
                devices: try fields.ifPresent("devices") { (key) throws(JSONFieldError) in
                    try NamedDevice.each(key, fields) { (fields) throws(JSONFieldError) in
                        try NamedDevice.deviceID("id", fields)
                    }
                } ?? [])
        }
    }
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
