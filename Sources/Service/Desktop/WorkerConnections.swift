import BelfryEventLoop
import BelfryLines
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import DesktopChannel

/// The desktop's socket: workers connect, say whose events follow, and get reports of what became of them.
/// `belfry-calls` connects for each call that goes on.
final class WorkerConnections {
    /// How many workers are heard at once; those beyond wait until one has left.
    static let connectionsMax = 2_000
    /// How many bytes of reports may wait for a worker, which counts as deaf with more (S5).
    private static let unreadBytesMax = 64 << 10

    private let loop: Loop
    private let take: (Input) -> Void
    private var listener: SocketListener?
    private var connections: [Int64: Worker] = [:]
    private var last: Int64 = 0

    private struct Worker {
        let connection: LineConnection
        var hello: DesktopHello?
    }

    /// What comes of a worker.
    enum Input {
        /// It says whose events follow; to be answered by the first report.
        case came(link: Int64, DesktopHello)
        /// It has written an event.
        case event(link: Int64, DesktopHello, Event)
        /// It says of a call that this goes on, for the first time or again. It is no worker, and gets no first report.
        case goesOn(link: Int64, DesktopHello, OngoingCall)
        /// It has left.
        case left(link: Int64)
    }

    /// Serves the listening socket `listener`, which stays its owner's.
    init(on loop: Loop, listener: Int32, _ take: @escaping (Input) -> Void) throws(SystemError) {
        self.loop = loop
        self.take = take
        self.listener = try SocketListener(
            at: listener, hasRoom: { [unowned self] in connections.count < Self.connectionsMax }, on: loop,
            description: "workers"
        ) { [unowned self] in begin($0) }
    }

    /// Whether no worker is connected.
    var isEmpty: Bool { connections.isEmpty }

    /// Whether a worker of `group` is connected.
    func hasWorker(of group: GroupName) -> Bool { connections.values.contains { $0.hello?.group == group } }

    /// Writes `report` to the worker behind `link`; nothing happens if it has left.
    func report(_ report: DesktopReport, to link: Int64) {
        connections[link]?.connection.send(report.line)
    }

    /// Writes `report` to all workers, also to those that have not said hello.
    func reportToAll(_ report: DesktopReport) {
        for worker in connections.values where worker.hello?.ongoing == nil { worker.connection.send(report.line) }
    }

    private func begin(_ socket: consuming OwnedDescriptor) {
        last += 1
        let link = last
        let limits = LineConnection.Limits(unsentBytesMax: Self.unreadBytesMax)
        let connection = LineConnection(socket, limits, on: loop, description: "worker")
        guard (try? connection.listen { [unowned self] in heard($0, from: link) }) != nil else { return }
        connections[link] = Worker(connection: connection)
    }

    private func heard(_ news: LineConnection.News, from link: Int64) {
        switch news {
        case .line(let line): if !take(line, from: link) { leave(link) }
        case .ended: leave(link)
        // What it said before counts: it ends with that.
        case .taken, .lost: break
        }
    }

    /// False for what no worker of ours says.
    private func take(_ line: [UInt8], from link: Int64) -> Bool {
        let known = connections[link]?.hello
        // Such a connection says nothing else, and no other becomes one.
        guard let hello = known, hello.ongoing == nil else {
            guard let hello = DesktopHello(line: line), known == nil || hello.ongoing != nil else { return false }
            connections[link]?.hello = hello
            if let ongoing = hello.ongoing {
                take(.goesOn(link: link, hello, ongoing))
            } else {
                take(.came(link: link, hello))
            }
            return true
        }
        guard let event = try? Event(line: line) else { return false }
        take(.event(link: link, hello, event))
        return true
    }

    private func leave(_ link: Int64) {
        guard let worker = connections.removeValue(forKey: link) else { return }
        worker.connection.close()
        // One that waited for a place may come now.
        listener?.resume()
        take(.left(link: link))
    }
}
