import BelfryJSON

/// What commands ask of an endpoint that runs: one JSON object a connection, answered by a line.
public enum ControlRequest: Hashable, Sendable {
    /// The next answers are these.
    case fail(AnswerFault)
    /// The next answers are what they are by themselves.
    case clearFaults
    /// What the next answers are to be is asked.
    case listFaults
    /// All clients are sent away; if hard, what is on its way meanwhile is lost.
    case sendAway(isHard: Bool)

    /// A device is switched off, or on again.
    case setOffline(Bool, device: String)

    /// How many pushes wait for each other machine is asked.
    case countWaiting

    /// How long a request may be.
    public static let bytesMax = 4 << 10

    /// The request as it is sent.
    public var line: [UInt8] {
        var object = JSONObject()
        switch self {
        case .sendAway(let isHard): object = ["command": "goaway", "hard": .bool(isHard)]
        case .setOffline(let isOffline, let device):
            object = ["command": "device", "device": .string(device), "offline": .bool(isOffline)]
        case .clearFaults: object = ["command": "clear"]
        case .listFaults: object = ["command": "faults"]
        case .countWaiting: object = ["command": "waiting"]
        case .fail(let fault):
            object = ["command": "fail"]
            for member in fault.json.members { object[member.key] = member.value }
        }
        return object.serialized() + [UInt8(ascii: "\n")]
    }

    /// The request in `line`; nil if it is none.
    public init?(line: [UInt8]) {
        guard line.count <= Self.bytesMax, let said = JSONFields(line: line) else { return nil }
        switch try? said.string("command") {
        case "clear": self = .clearFaults
        case "faults": self = .listFaults
        case "waiting": self = .countWaiting
        case "goaway": self = .sendAway(isHard: (try? said.bool("hard")) ?? false)
        case "device":
            guard let device = try? said.string("device"), let isOffline = try? said.bool("offline") else { return nil }
            self = .setOffline(isOffline, device: device)
        case "fail":
            guard let fault = AnswerFault(json: said) else { return nil }
            self = .fail(fault)
        default: return nil
        }
    }
}
