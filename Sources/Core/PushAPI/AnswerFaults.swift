public import BelfryDevices
import BelfryJSON
public import BelfryTerms

/// What a tester wants the next answers to be.
public struct AnswerFault: Hashable, Sendable {
    /// The device token whose pushes are answered so; nil for all.
    public let token: DeviceToken?
    /// `:status`.
    public let status: Int
    /// `reason`.
    public let reason: String
    /// How often; the rest is answered as ever.
    public var times: Int
    /// How long the answer takes.
    public let delay: TimeSpan

    /// A fault.
    public init(token: DeviceToken?, status: Int, reason: String, times: Int, delay: TimeSpan) {
        self.token = token
        self.status = status
        self.reason = reason
        self.times = times
        self.delay = delay
    }
}

extension AnswerFault {
    /// The longest delay.
    private static let delayMax = TimeSpan.seconds(3_600)

    /// The fault as the control socket has it.
    var json: JSONObject {
        var object: JSONObject = [
            "status": .integer(Int64(status)), "reason": .string(reason), "times": .integer(Int64(times)),
            "delay": .integer(delay.microseconds),
        ]
        object["token"] = token.map { .string($0.hex) }
        return object
    }

    /// The fault that `json` has; nil if it has none.
    init?(json: JSONFields) {
        do throws(JSONFieldError) {
            self.init(
                token: json.mentions("token") ? try json.word("token") { DeviceToken(hex: $0) } : nil,
                status: Int(try json.integer("status", in: 200...599)), reason: try json.string("reason"),
                times: Int(try json.integer("times", in: 1...1_000_000)),
                delay: TimeSpan(microseconds: try json.integer("delay", in: 0...Self.delayMax.microseconds)))
        } catch {
            return nil
        }
    }
}

/// The faults that are to come, the oldest first.
public struct AnswerFaults {
    /// How many there may be.
    static let countMax = 1_000
    /// The faults.
    public private(set) var faults: [AnswerFault] = []

    /// None yet.
    public init() {}

    /// Adds one; false if there are too many.
    public mutating func add(_ fault: AnswerFault) -> Bool {
        guard faults.count < Self.countMax, fault.times > 0 else { return false }
        faults.append(fault)
        return true
    }

    /// What the answer to `request` is to be; nil for what it would be.
    public mutating func take(for request: EndpointRequest) -> AnswerFault? {
        guard !faults.isEmpty else { return nil }
        let token = EndpointConnection.deviceToken(of: request)
        guard let index = faults.firstIndex(where: { $0.token == nil || $0.token == token }) else { return nil }
        let fault = faults[index]
        faults[index].times -= 1
        if faults[index].times == 0 { faults.remove(at: index) }
        return fault
    }
}
