import BelfryDevices
public import BelfryEventLoop
import BelfryJSON
public import BelfrySyscalls
import BelfryTerms
import Glibc
import ProviderAPI

/// What testers ask of an endpoint that runs: one JSON object a connection, answered by one.
public enum ControlRequest: Hashable, Sendable {
    /// The next answers are these.
    case fail(AnswerFault)
    /// All clients are sent away.
    case sendAway

    /// How long a request may be.
    static let bytesMax = 4 << 10
    private static let delayMax = TimeSpan.seconds(3_600)

    /// The request as it is sent.
    public var line: [UInt8] {
        var object = JSONObject()
        switch self {
        case .sendAway: object["command"] = "goaway"
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
        guard line.count <= Self.bytesMax, let object = (try? JSONValue.parse(line))?.objectValue else { return nil }
        switch object["command"]?.stringValue {
        case "goaway": self = .sendAway
        case "fail":
            guard let status = object["status"]?.integerValue, (200...599).contains(status),
                let reason = object["reason"]?.stringValue, let times = object["times"]?.integerValue,
                (1...1_000_000).contains(times), let delay = object["delay"]?.integerValue, delay >= 0,
                delay <= Self.delayMax.microseconds
            else { return nil }
            let token = object["token"]?.stringValue.flatMap { DeviceToken(hex: $0) }
            if object["token"] != nil, token == nil { return nil }
            self = .fail(
                AnswerFault(
                    token: token, status: Int(status), reason: reason, times: Int(times),
                    delay: TimeSpan(microseconds: delay)))
        default: return nil
        }
    }
}

/// Serves the control socket of an endpoint: a request a connection, of its own user alone, answered `ok` or `no`.
public final class ControlSocket {
    private static let connectionsMax = 16

    private let loop: Loop
    fileprivate let answer: (ControlRequest) -> Bool
    private var connections: [ObjectIdentifier: ControlConnection] = [:]

    /// Serves whoever connects to `listener`, a socket that does not block and stays its owner's. `answer` tells
    /// whether it has done what is asked.
    public init(_ listener: Int32, on loop: Loop, _ answer: @escaping (ControlRequest) -> Bool) throws(SystemError) {
        self.loop = loop
        self.answer = answer
        _ = try loop.watch(descriptor: listener, events: .readable, description: "control") { [weak self] _ in
            self?.accept(at: listener)
        }
    }

    private func accept(at listener: Int32) {
        guard let socket = try? acceptOurs(at: listener), connections.count < Self.connectionsMax,
            let connection = ControlConnection(socket, of: self, on: loop)
        else { return }
        connections[ObjectIdentifier(connection)] = connection
    }

    fileprivate func forget(_ connection: ControlConnection) { connections[ObjectIdentifier(connection)] = nil }
}

/// One who asks something of an endpoint.
private final class ControlConnection {
    private static let patience = TimeSpan.seconds(5)

    private let socket: OwnedDescriptor
    private unowned let server: ControlSocket
    private var bytes: [UInt8] = []
    private var source: DescriptorSource?
    private var timer: (any ScheduledTimer)?

    init?(_ socket: consuming OwnedDescriptor, of server: ControlSocket, on loop: Loop) {
        let number = socket.number
        self.socket = socket
        self.server = server
        source = try? loop.watch(descriptor: number, events: .readable, description: "control request") {
            [weak self] _ in
            self?.read()
        }
        guard source != nil else { return nil }
        timer = loop.schedule(at: loop.now + Self.patience, description: "control request") { [weak self] in
            self?.end()
        }
    }

    private func read() {
        var chunk = [UInt8](repeating: 0, count: ControlRequest.bytesMax)
        let count = unsafe recv(socket.number, &chunk, chunk.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        bytes += chunk.prefix(max(count, 0))
        let isWhole = bytes.contains(UInt8(ascii: "\n"))
        guard isWhole || count <= 0 || bytes.count > ControlRequest.bytesMax else { return }
        let isDone = ControlRequest(line: bytes).map(server.answer) ?? false
        let said = Array((isDone ? "ok\n" : "no\n").utf8)
        _ = unsafe send(socket.number, said, said.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        end()
    }

    private func end() {
        timer?.cancel()
        source?.cancel()
        server.forget(self)
    }
}
