import BelfryDevices
public import BelfryEventLoop
import BelfryJSON
import BelfryLines
public import BelfrySyscalls
import BelfryTerms
import PushAPI

/// What testers ask of an endpoint that runs: one JSON object a connection, answered by one.
public enum ControlRequest: Hashable, Sendable {
    /// The next answers are these.
    case fail(AnswerFault)
    /// All clients are sent away; if hard, what is on its way meanwhile is lost.
    case sendAway(isHard: Bool)

    /// How long a request may be.
    static let bytesMax = 4 << 10
    private static let delayMax = TimeSpan.seconds(3_600)

    /// The request as it is sent.
    public var line: [UInt8] {
        var object = JSONObject()
        switch self {
        case .sendAway(let isHard): object = ["command": "goaway", "hard": .bool(isHard)]
        case .fail(let fault):
            object = [
                "command": "fail", "status": .integer(Int64(fault.status)), "reason": .string(fault.reason),
                "times": .integer(Int64(fault.times)), "delay": .integer(fault.delay.microseconds),
            ]
            object["token"] = fault.token.map { .string($0.hex) }
        }
        return object.serialized() + [UInt8(ascii: "\n")]
    }

    /// The request in `line`; nil if it is none.
    public init?(line: [UInt8]) {
        guard line.count <= Self.bytesMax, let said = JSONFields(line: line) else { return nil }
        switch try? said.string("command") {
        case "goaway": self = .sendAway(isHard: (try? said.bool("hard")) ?? false)
        case "fail":
            guard let fault = try? Self.fault(said) else { return nil }
            self = .fail(fault)
        default: return nil
        }
    }

    private static func fault(_ said: JSONFields) throws(JSONFieldError) -> AnswerFault {
        AnswerFault(
            token: said.mentions("token") ? try said.word("token") { DeviceToken(hex: $0) } : nil,
            status: Int(try said.integer("status", in: 200...599)), reason: try said.string("reason"),
            times: Int(try said.integer("times", in: 1...1_000_000)),
            delay: TimeSpan(microseconds: try said.integer("delay", in: 0...delayMax.microseconds)))
    }
}

/// Serves the control socket of an endpoint: a request a connection, of its own user alone, answered `ok` or `no`.
public final class ControlSocket {
    private static let connectionsMax = 16
    private static let patience = TimeSpan.seconds(5)
    /// A request's line, and an answer.
    private static let limits = LineConnection.Limits(lineBytesMax: ControlRequest.bytesMax, unsentBytesMax: 16)

    private let loop: Loop
    private let answer: (ControlRequest) -> Bool
    private var listener: SocketListener?
    private var connections: [Int64: (connection: LineConnection, timer: any ScheduledTimer)] = [:]
    private var last: Int64 = 0

    /// Serves the clients that connect to `listener`, a socket that stays its owner's. `answer` returns whether it has
    /// done what was asked.
    public init(_ listener: Int32, on loop: Loop, _ answer: @escaping (ControlRequest) -> Bool) throws(SystemError) {
        self.loop = loop
        self.answer = answer
        self.listener = try SocketListener(at: listener, on: loop, description: "control") { [unowned self] in
            begin(LineConnection($0, Self.limits, on: loop, description: "control request"))
        }
    }

    private func begin(_ connection: LineConnection) {
        guard connections.count < Self.connectionsMax else { return }
        last += 1
        let id = last
        guard (try? connection.listen { [unowned self] in heard($0, from: id) }) != nil else { return }
        let end = loop.now + Self.patience
        let timer = loop.schedule(at: end, description: "control request") { [weak self] in self?.end(id) }
        connections[id] = (connection, timer)
    }

    private func heard(_ news: LineConnection.News, from id: Int64) {
        switch news {
        case .line(let line), .ended(.left(unfinished: let line)): reply(to: line, of: id)
        case .ended(.lineTooLong): reply(to: [], of: id)
        case .taken, .lost: break
        }
    }

    private func reply(to line: [UInt8], of id: Int64) {
        let isDone = ControlRequest(line: line).map(answer) ?? false
        connections[id]?.connection.send(Array((isDone ? "ok\n" : "no\n").utf8))
        end(id)
    }

    private func end(_ id: Int64) {
        guard let (connection, timer) = connections.removeValue(forKey: id) else { return }
        timer.cancel()
        connection.close()
    }
}
