import BelfryEventLoop
import BelfryLines
import BelfrySyscalls
import Fleet

/// The endpoints that are connected to a relay: one, or two while one of them starts anew.
final class EndpointConnections {
    /// What an endpoint does.
    enum Input {
        /// It asks for something.
        case question(RelayQuestion)
        /// It is a command, and wants to be told how this relay stands.
        case status
        /// It is a command, and wants what the bucket lacks written into it.
        case restore
        /// It is gone.
        case gone
    }

    private static let connectionsMax = 8
    private static let limits = LineConnection.Limits(
        lineBytesMax: RelayQuestion.lineBytesMax, unsentBytesMax: 64 << 20)

    private let loop: Loop
    private let take: (Input, PushAsking.Asker) -> Void
    private var listener: SocketListener?
    private var connections: [PushAsking.Asker: LineConnection] = [:]
    private var last: PushAsking.Asker = 0

    /// Serves those who connect to `listener`, which stays its owner's.
    init(
        _ listener: Int32, on loop: Loop, _ take: @escaping (Input, PushAsking.Asker) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.take = take
        self.listener = try SocketListener(
            at: listener, hasRoom: { [unowned self] in connections.count < Self.connectionsMax }, on: loop,
            description: "endpoint"
        ) { [unowned self] in begin(LineConnection($0, Self.limits, on: loop, description: "endpoint")) }
    }

    /// Tells one endpoint; nothing happens if it is gone.
    func tell(_ news: RelayNews, _ id: PushAsking.Asker) { connections[id]?.send(news.line) }

    /// Tells each endpoint.
    func tellAll(_ news: RelayNews) { for id in connections.keys.sorted() { tell(news, id) } }

    private func begin(_ connection: LineConnection) {
        last += 1
        let id = last
        guard (try? connection.listen { [unowned self] in heard($0, from: id) }) != nil else { return }
        connections[id] = connection
    }

    private func heard(_ news: LineConnection.News, from id: PushAsking.Asker) {
        switch news {
        case .line(let line):
            guard line != FleetStatus.question else { return take(.status, id) }
            guard line != FleetRestoration.question else { return take(.restore, id) }
            // One of a later version may ask for more.
            if let question = RelayQuestion(line: line) { take(.question(question), id) }
        case .taken: break
        case .ended, .lost: end(id)
        }
    }

    /// Answers a command by `line`, with which it leaves.
    func answer(_ line: [UInt8], to id: PushAsking.Asker) {
        connections[id]?.send(line)
        connections[id]?.endSending()
    }

    private func end(_ id: PushAsking.Asker) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        // After this callback, which the connection itself makes.
        loop.afterThis(description: "endpoint left") { connection.close() }
        take(.gone, id)
        listener?.resume()
    }
}
