public import BelfryEventLoop
public import BelfrySyscalls
public import BelfryTLS
import BelfryTerms
import CBelfryLinux
import Glibc
import PushAPI

/// Accepts connections at sockets that it was given, and serves HTTP/2 over TLS on them, all on one loop.
public final class HTTP2Listener {
    /// What new connections use; those that are there keep what they have.
    public var tls: TLSServer
    let limits: HTTP2Limits
    let loop: Loop
    let library: HTTP2Library
    let buffers = HTTP2Buffers()
    private(set) weak var service: (any HTTP2Service)?
    private var sources: [DescriptorSource] = []
    private let listeners: [Int32]
    private var places = HTTP2Places()
    /// What is held for all strangers.
    private var strangersBytes = 0
    /// The most connections that there were since memory was given back.
    private var mostCount = 0
    private var connectionCount: UInt64 = 0
    private var heldBytes = 0
    /// Those that have something to send at the end of this turn.
    private var unsent: [HTTP2Connection] = []
    private var accepted: Allowance
    private var isPaused = false
    private var onStop: (() -> Void)?

    /// Serves the clients that connect to `listeners`, sockets that do not block and stay their owner's.
    public init(
        _ listeners: [Int32], tls: TLSServer, limits: HTTP2Limits = HTTP2Limits(), service: any HTTP2Service,
        on loop: Loop
    ) throws(SystemError) {
        self.listeners = listeners
        self.tls = tls
        self.limits = limits
        self.service = service
        self.loop = loop
        library = try HTTP2Library()
        accepted = Allowance(limits.acceptedPerSecond, perSecond: limits.acceptedPerSecond, at: loop.now)
        try listen()
    }

    /// How many connections there are.
    public var count: Int { places.connections.count }

    /// Asks all clients to go elsewhere, with these debug data: what they have sent is answered, and then they are
    /// closed. If `isHard`, what is on its way meanwhile is lost, as Apple does at times.
    public func sendAway(_ debugData: [UInt8], isHard: Bool = false) {
        for connection in places.connections.values { connection.sendAway(debugData, isHard: isHard) }
    }

    /// Accepts no more clients, sends all clients away, and calls `done` when they are gone.
    public func stop(_ debugData: [UInt8], done: @escaping () -> Void) {
        for source in sources { source.cancel() }
        sources = []
        onStop = done
        sendAway(debugData)
        _ = loop.schedule(at: loop.now + limits.endTime, description: "stop") { [weak self] in
            guard let self else { return }
            for connection in places.connections.values { connection.close() }
        }
        stopIfEmpty()
    }

    private func listen() throws(SystemError) {
        for listener in listeners {
            sources.append(
                try loop.watch(descriptor: listener, events: .readable, description: "listener") { [weak self] _ in
                    self?.accept(at: listener)
                })
        }
    }

    private func accept(at listener: Int32) {
        for _ in 0..<HTTP2Limits.acceptedPerTurn {
            guard accepted.take(at: loop.now) else { return pause() }
            let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let number = accept4(listener, nil, nil, flags)
            guard number >= 0 else {
                // The client left before it was accepted: go on with the next.
                if errno == ECONNABORTED || errno == EINTR { continue }
                if errno != EAGAIN { pause() }
                return
            }
            var isOn: Int32 = 1
            _ = unsafe setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
            connectionCount += 1
            makeRoom()
            if let connection = HTTP2Connection(OwnedDescriptor(owning: number), number: connectionCount, of: self) {
                places.add(connection)
                mostCount = max(mostCount, count)
            }
        }
    }

    /// Accepts no client for a while. Clients wait in the socket, which is not watched meanwhile: it would call back
    /// again and again.
    private func pause() {
        guard !isPaused, !sources.isEmpty else { return }
        isPaused = true
        for source in sources { source.setEvents([]) }
        _ = loop.schedule(at: loop.now + .milliseconds(100), description: "listen again") { [weak self] in
            guard let self else { return }
            isPaused = false
            for source in sources { source.setEvents(.readable) }
        }
    }

    /// Makes room for a connection that was just accepted.
    private func makeRoom() {
        let isFull = count >= limits.connectionsMax
        guard isFull || places.strangersCount >= limits.strangersMax else { return }
        if let stranger = places.oldestStranger() {
            stranger.makeRoom()
        } else if isFull {
            places.longestIdle()?.giveWay(Self.idleness)
        }
    }

    private static let idleness = EndpointAnswer.body(reason: EndpointReason.idleTimeout.rawValue)

    /// Notes the credential of one that was a stranger, which may be one too many of those that have shown it.
    func trust(_ connection: HTTP2Connection, for credential: String) {
        guard places.trust(connection, for: credential) > limits.sharesMax else { return }
        // After this turn: the connection is in the middle of its request.
        loop.afterThis(description: "make room") { [weak self] in
            guard let self, let idle = places.longestIdle(of: credential) else { return }
            idle.giveWay(Self.idleness)
        }
    }

    /// Counts what is held for strangers, and if that is too much, ends the oldest of them.
    func chargeStrangers(_ bytes: Int) {
        strangersBytes += bytes
        guard bytes > 0 else { return }
        while strangersBytes > limits.strangersBytesMax, let oldest = places.oldestStranger() { oldest.makeRoom() }
    }

    /// Counts what is held of requests, and if that is too much, ends the stranger that holds most; if there is no
    /// stranger, the connection that wants more.
    func hold(_ bytes: Int, by connection: HTTP2Connection) {
        heldBytes += bytes
        guard bytes > 0, heldBytes > limits.heldBytesMax else { return }
        let stranger = places.connections.values.filter { !$0.isTrusted }.max { $0.heldBytes < $1.heldBytes }
        (stranger ?? connection).closeSoon()
    }

    func release(_ bytes: Int) { heldBytes -= bytes }

    /// Has `connection` send what it has once the requests of this turn are all answered.
    func sendSoon(_ connection: HTTP2Connection) {
        unsent.append(connection)
        guard unsent.count == 1 else { return }
        loop.afterThis(description: "send") { [weak self] in
            guard let self else { return }
            let batch = unsent
            unsent = []
            for connection in batch { connection.sendNow() }
        }
    }

    func forget(_ connection: HTTP2Connection) {
        places.remove(connection)
        giveBackMemory()
        stopIfEmpty()
    }

    /// Each time that half of the connections are gone: what they held is in the allocator's lists, and not given back
    /// by itself.
    private func giveBackMemory() {
        guard mostCount >= Self.manyConnections, count <= mostCount / 2 else { return }
        mostCount = count
        loop.afterThis(description: "give memory back") { _ = malloc_trim(0) }
    }

    private static let manyConnections = 64

    private func stopIfEmpty() {
        guard count == 0, let done = onStop else { return }
        onStop = nil
        _ = loop.afterThis(description: "stopped") { done() }
    }
}

/// Buffers that all connections share, since they are served one after the other.
@safe
final class HTTP2Buffers {
    /// What is read at once: a TLS record.
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)
    /// What is written at once, since a write for each frame would take twice as long.
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    deinit {
        unsafe input.deallocate()
        unsafe output.deallocate()
    }
}
