public import BelfryEventLoop
import BelfryLines
public import BelfrySyscalls
import BelfryTerms
public import PushAPI

/// Serves the control socket of an endpoint: a request a connection, of its own user alone, and a line that answers it.
public final class ControlSocket {
    private static let connectionsMax = 16
    private static let patience = TimeSpan.seconds(5)
    /// A request's line, and an answer.
    private static let limits = LineConnection.Limits(
        lineBytesMax: ControlRequest.bytesMax, unsentBytesMax: ControlAnswer.bytesMax)

    private let loop: Loop
    private let answer: (ControlRequest) -> ControlAnswer
    private var listener: SocketListener?
    private var connections: [Int64: (connection: LineConnection, timer: any ScheduledTimer)] = [:]
    private var last: Int64 = 0

    /// Serves the clients that connect to `listener`, a socket that stays its owner's. `answer` does what was asked.
    public init(
        _ listener: Int32, on loop: Loop, _ answer: @escaping (ControlRequest) -> ControlAnswer
    ) throws(SystemError) {
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
        let answer = ControlRequest(line: line).map(answer) ?? .refused
        // The kernel takes all of it at once: an answer is shorter than what a socket holds.
        connections[id]?.connection.send(answer.line)
        end(id)
    }

    private func end(_ id: Int64) {
        guard let (connection, timer) = connections.removeValue(forKey: id) else { return }
        timer.cancel()
        connection.close()
    }
}
