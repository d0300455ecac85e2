import BelfryEventLoop
import BelfryLines
import BelfrySyscalls
import BelfryTerms
import Fleet

/// Serves the commands that ask for devices, or how the agent stands: a question a connection, of the agent's own user
/// alone, and a line that answers it.
final class AgentSocket {
    private static let connectionsMax = 64
    /// Longer than the fleet's gateways have.
    private static let patience = TimeSpan.seconds(15)
    private static let limits = LineConnection.Limits(
        lineBytesMax: DeviceQuestion.bytesMax, unsentBytesMax: DeviceQuestion.bytesMax)

    private let loop: Loop
    private let ask: (DeviceQuestion, @escaping (DeviceAnswer) -> Void) -> Void
    private let status: () -> FleetStatus
    private var listener: SocketListener?
    private var connections: [Int64: (connection: LineConnection, timer: any ScheduledTimer)] = [:]
    private var last: Int64 = 0

    /// Serves those who connect to `listener`, which stays its owner's.
    init(
        _ listener: Int32, on loop: Loop, status: @escaping () -> FleetStatus,
        _ ask: @escaping (DeviceQuestion, @escaping (DeviceAnswer) -> Void) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.ask = ask
        self.status = status
        self.listener = try SocketListener(
            at: listener, hasRoom: { [unowned self] in connections.count < Self.connectionsMax }, on: loop,
            description: "agent"
        ) { [unowned self] in begin(LineConnection($0, Self.limits, on: loop, description: "device command")) }
    }

    private func begin(_ connection: LineConnection) {
        last += 1
        let id = last
        guard (try? connection.listen { [unowned self] in heard($0, from: id) }) != nil else { return }
        let timer = loop.schedule(at: loop.now + Self.patience, description: "device command") { [weak self] in
            self?.end(id)
        }
        connections[id] = (connection, timer)
    }

    private func heard(_ news: LineConnection.News, from id: Int64) {
        switch news {
        case .line(FleetStatus.question): answer(status().line, to: id)
        case .line(let line):
            guard let question = try? DeviceQuestion.read(line) else {
                return answer(.refused(.malformed, detail: "this agent does not know the question"), to: id)
            }
            ask(question) { [weak self] in self?.answer($0, to: id) }
        case .ended(.lineTooLong): end(id)
        case .lost: end(id)
        case .taken, .ended: break
        }
    }

    private func answer(_ answer: DeviceAnswer, to id: Int64) {
        self.answer(answer.bytes + [UInt8(ascii: "\n")], to: id)
    }

    private func answer(_ line: [UInt8], to id: Int64) {
        connections[id]?.connection.send(line)
        // The kernel takes all of it at once: an answer is shorter than what a socket holds.
        end(id)
    }

    private func end(_ id: Int64) {
        guard let (connection, timer) = connections.removeValue(forKey: id) else { return }
        timer.cancel()
        // It may be this connection's own call.
        loop.afterThis(description: "device command") { connection.close() }
        listener?.resume()
    }
}
