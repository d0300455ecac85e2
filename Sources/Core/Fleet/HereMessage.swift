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
    /// What it says of itself.
    public let introduction: FleetIntroduction

    /// The machine is there in its life `agent`.
    public init(
        agent: UInt64, isBack: Bool, isShared: Bool = false, devices: [String] = [],
        introduction: FleetIntroduction = .none
    ) {
        (self.agent, self.isBack, self.isShared) = (agent, isBack, isShared)
        self.devices = Array(devices.prefix(SharedDevices.perAgentMax))
        self.introduction = introduction
    }

    /// Asks only whether a gateway answers, as no machine's agent does.
    public static let question = HereMessage(agent: 0, isBack: false)

    /// As a message.
    public var bytes: [UInt8] {
        var fields = introduction.fields
        fields["agent"] = .string(String(agent))
        fields["back"] = .bool(isBack)
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
                } ?? [],
                introduction: try FleetIntroduction(fields))
        }
    }
}

/// What a gateway answers to ``HereMessage``, and writes at its own key of the bucket for the other gateways.
public struct HereAnswer: Hashable, Sendable {
    /// Who answers.
    public let gateway: FleetName
    /// Its time.
    public let time: WallTime

    /// Since when it runs; nil where an earlier version does not say.
    public let since: WallTime?
    /// What it says of itself.
    public let introduction: FleetIntroduction
    /// Whether it hears two machines by the name of the one that is answered.
    public let isTwice: Bool

    /// The gateway `gateway`, which runs `since` then, has heard it at `time`.
    public init(
        gateway: FleetName, time: WallTime, since: WallTime? = nil, introduction: FleetIntroduction = .none,
        isTwice: Bool = false
    ) {
        (self.gateway, self.time, self.since) = (gateway, time, since)
        (self.introduction, self.isTwice) = (introduction, isTwice)
    }

    /// As a message.
    public var bytes: [UInt8] {
        var fields = introduction.fields
        fields["gateway"] = .string(gateway.text)
        fields["time"] = .integer(time.microseconds)
        fields["since"] = since.map { .integer($0.microseconds) }
        if isTwice { fields["twice"] = true }
        return FleetMessage.written(fields)
    }

    /// Reads ``bytes``.
    public init(bytes: [UInt8]) throws(FleetMessageError) {
        self = try FleetMessage.read(bytes) { (fields) throws(JSONFieldError) in
            HereAnswer(
                gateway: try fields.word("gateway", { FleetName($0) }),
                time: WallTime(microseconds: try fields.integer("time")),
                since: try fields.ifPresent("since") { (key) throws(JSONFieldError) in
                    WallTime(microseconds: try fields.integer(key))
                },
                introduction: try FleetIntroduction(fields),
                isTwice: try fields.ifPresent("twice", fields.bool) ?? false)
        }
    }
}
