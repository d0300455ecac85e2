public import BelfryEventLoop
import BelfryLines
public import BelfryProtocol
public import BelfrySyscalls
import BelfryTerms
import Glibc
public import RingEar

/// Listens in the folder of a phone's followers to what its workers and its endpoint say of pushes.
///
/// It belongs to its loop's thread. What a request led to comes after it: whoever sent a push is heard before the
/// worker that has read it.
public final class PushListener {
    /// One push, or one request, among those that are heard at the same time.
    public typealias Source = Int

    /// How many connections may wait to be accepted. Beyond that a worker is not followed.
    private static let backlog: Int32 = 4_096
    /// Read at once, in bytes.
    private static let readBytesMax = 64 << 10
    /// How long a line may be: an event's, and what makes a record of it.
    private static let lineBytesMax = LineFraming.lineBytesMax + 64
    /// How many sockets are looked at that may have been left by dead followers.
    private static let namesMax = 1_024

    private let folder: Directory
    private let name: String
    private let socket: OwnedDescriptor
    private let loop: any EventLoop
    private let heard: (PushRecord, Source) -> Void
    private var listener: SocketListener?
    private var connections: [Source: Connection] = [:]
    private var lastSource = 0

    /// The connection of a worker, or of the endpoint for one request.
    private final class Connection {
        let socket: OwnedDescriptor
        var framing = LineFraming(lineBytesMax: PushListener.lineBytesMax)
        var watch: (any LoopWatch)?
        /// The push whose end has not come.
        var unfinished: String?

        init(_ socket: consuming OwnedDescriptor) { self.socket = socket }

        deinit { watch?.cancel() }
    }

    /// Listens in the folder below `runtime`, which is made if it is missing, and calls `heard` with each record.
    /// Throws EUSERS where ``FollowersFolder/followersMax`` follow already: no worker would look for one more.
    public init(
        in runtime: RuntimeDirectory, on loop: any EventLoop, _ heard: @escaping (PushRecord, Source) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.heard = heard
        let directory = try Directory.open(path: runtime.followersPath, makes: true)
        guard Self.others(in: directory) < FollowersFolder.followersMax else {
            throw SystemError(errno: EUSERS, call: "listen", subject: runtime.followersPath)
        }
        let process = ProcessIdentity.current
        name = "\(process.pid)-\(process.startTicks)-\(randomUUID().prefix(8))"
        socket = try listenPrivately(
            at: "/proc/self/fd/\(directory.descriptor.number)/\(name)", backlog: Self.backlog)
        folder = directory
        listener = try SocketListener(at: socket.number, on: loop, description: "followed pushes") { [unowned self] in
            begin($0)
            acceptAll()
        }
    }

    /// Hears what was said before now, and then no more: no worker connects to it from here on.
    public func close() {
        guard listener != nil else { return }
        try? folder.remove(name)
        acceptAll()
        listener = nil
        for source in connections.keys.sorted() {
            while let connection = connections[source], isReady(connection.socket.number, for: POLLIN) { read(source) }
            end(source)
        }
    }

    deinit {
        if listener != nil { try? folder.remove(name) }
    }

    /// How many follow already. Whose process is gone has left its socket, which is removed.
    private static func others(in directory: borrowing Directory) -> Int {
        var count = 0
        for name in (try? directory.names(max: namesMax)) ?? [] {
            count += 1
            let parts = name.split(separator: "-")
            guard parts.count == 3, let pid = Int32(parts[0]), let start = UInt64(parts[1]),
                ProcessIdentity(livingPID: pid)?.startTicks != start
            else { continue }
            try? directory.remove(name)
            count -= 1
        }
        return count
    }

    /// Takes whoever waits, in the order in which they came.
    private func acceptAll() {
        while let next = try? acceptOurs(at: socket.number) { begin(next) }
    }

    private func begin(_ descriptor: consuming OwnedDescriptor) {
        lastSource += 1
        let source = lastSource
        let connection = Connection(descriptor)
        connections[source] = connection
        connection.watch = try? loop.watch(
            descriptor: connection.socket.number, events: .readable, description: "followed push"
        ) { [unowned self] _ in
            // A request comes before its push: it was sent before the push's worker was started.
            acceptAll()
            read(source)
        }
        if connection.watch == nil || isReady(connection.socket.number, for: POLLIN) { read(source) }
    }

    private func read(_ source: Source) {
        guard let connection = connections[source] else { return }
        let (bytes, _) = receiveSome(from: connection.socket.number, bytesMax: Self.readBytesMax)
        guard !bytes.isEmpty, let lines = try? connection.framing.take(bytes) else { return end(source) }
        for line in lines {
            guard let record = PushRecord(line: line) else { continue }
            switch record {
            case .push, .event: connection.unfinished = record.id
            case .end, .request: connection.unfinished = nil
            }
            heard(record, source)
        }
    }

    private func end(_ source: Source) {
        guard let connection = connections.removeValue(forKey: source), let id = connection.unfinished else { return }
        heard(.end(id: id, isWhole: false), source)
    }
}
