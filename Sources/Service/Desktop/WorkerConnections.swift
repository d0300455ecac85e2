import BelfryEventLoop
import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import DesktopChannel
import Glibc
import ServiceHost

/// The desktop's socket: workers come, say whose events follow, and are told what became of them.
final class WorkerConnections {
    /// How many workers are heard at once; those beyond wait until one has left.
    static let connectionsMax = 2_000
    /// How many connections are accepted, and how many lines read, before others have their turn.
    private static let turn = 16
    /// When connections are tried again for which there is no descriptor.
    private static let retryInterval = TimeSpan.milliseconds(100)

    private let loop: Loop
    private let listener: Int32
    private let take: (Input) -> Void
    private var source: DescriptorSource?
    private var connections: [Int64: WorkerConnection] = [:]
    private var last: Int64 = 0

    /// What comes of a worker.
    enum Input {
        /// It says whose events follow; to be answered by the first report.
        case came(link: Int64, DesktopHello)
        /// It tells an event.
        case told(link: Int64, DesktopHello, Event)
        /// It has left.
        case left(link: Int64)
    }

    /// Serves the listening socket `listener`, which stays its owner's.
    init(on loop: Loop, listener: Int32, _ take: @escaping (Input) -> Void) throws(SystemError) {
        self.loop = loop
        self.listener = listener
        self.take = take
        source = try loop.watch(descriptor: listener, events: .readable, description: "workers") {
            [unowned self] _ in accept()
        }
    }

    /// Whether no worker is connected.
    var isEmpty: Bool { connections.isEmpty }

    /// Tells the worker behind `link`; nothing happens if it has left.
    func report(_ report: DesktopReport, to link: Int64) {
        connections[link]?.send(report.line)
    }

    /// Tells all workers of calls.
    func reportToAll(_ report: DesktopReport) {
        for connection in connections.values { connection.send(report.line) }
    }

    private func accept() {
        for _ in 0..<Self.turn {
            // Asked first, since the manager hands over a socket that may wait, whose flags are the manager's too.
            guard connections.count < Self.connectionsMax, isReady(listener, for: POLLIN) else { break }
            let descriptor: OwnedDescriptor
            do throws(SystemError) {
                guard let accepted = try acceptOurs(at: listener) else { break }
                descriptor = accepted
            } catch {
                return rest()
            }
            last += 1
            let link = last
            let connection = WorkerConnection(descriptor, on: loop) { [unowned self] in heard($0, from: link) }
            connections[link] = connection
            connection.begin()
        }
        if connections.count >= Self.connectionsMax { source?.setEvents([]) }
    }

    /// Without a descriptor for those who wait, the loop would call again and again.
    private func rest() {
        source?.setEvents([])
        _ = loop.schedule(at: loop.now + Self.retryInterval, description: "workers") { [weak self] in
            self?.source?.setEvents(.readable)
        }
    }

    private func heard(_ saying: WorkerConnection.Saying, from link: Int64) {
        switch saying {
        case .hello(let hello): take(.came(link: link, hello))
        case .event(let hello, let event): take(.told(link: link, hello, event))
        case .left:
            guard connections.removeValue(forKey: link) != nil else { return }
            source?.setEvents(.readable)
            take(.left(link: link))
        }
    }
}

/// One worker's connection.
private final class WorkerConnection {
    enum Saying {
        case hello(DesktopHello)
        case event(DesktopHello, Event)
        case left
    }

    private static let chunkBytes = 16 << 10

    private let descriptor: OwnedDescriptor
    private let loop: Loop
    private let output: EventOutput
    private let heard: (Saying) -> Void
    private var source: DescriptorSource?
    private var lines = LineFraming()
    private var hello: DesktopHello?

    init(_ descriptor: consuming OwnedDescriptor, on loop: Loop, _ heard: @escaping (Saying) -> Void) {
        output = EventOutput(loop: loop, descriptor: descriptor.number)
        self.descriptor = descriptor
        self.loop = loop
        self.heard = heard
    }

    deinit { source?.cancel() }

    func begin() {
        source = try? loop.watch(descriptor: descriptor.number, events: .readable, description: "worker") {
            [unowned self] _ in read()
        }
        if source == nil { heard(.left) } else { read() }
    }

    func send(_ line: [UInt8]) { output.write(line, isDroppable: false) }

    private func read() {
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        let count = unsafe chunk.withUnsafeMutableBytes {
            unsafe recv(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0, let found = try? lines.take(chunk[..<count]) else { return leave() }
        for line in found {
            guard take(line) else { return leave() }
        }
    }

    /// False for what no worker of ours says.
    private func take(_ line: [UInt8]) -> Bool {
        guard let hello else {
            guard case .object(let object)? = try? JSONValue.parse(line), let hello = DesktopHello(object) else {
                return false
            }
            self.hello = hello
            heard(.hello(hello))
            return true
        }
        guard let event = try? Event(line: line) else { return false }
        heard(.event(hello, event))
        return true
    }

    private func leave() {
        source?.cancel()
        source = nil
        heard(.left)
    }
}
