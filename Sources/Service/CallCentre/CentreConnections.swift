import BelfryEventLoop
import BelfryLines
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallControl

/// The connections of `calls.sock`: which role each has, by its first line, and what it says.
///
/// Nothing that one of them sends, or leaves unread, disturbs another.
final class CentreConnections {
    /// What comes of a connection.
    enum Input {
        /// A worker hands a push over.
        case push(WorkerNumber, VoIPPush)
        /// A worker says an event.
        case worker(WorkerNumber, Event.Body)
        /// A worker is gone, and what was wrong with it; nil if it has left.
        case workerGone(WorkerNumber, fault: String?)
        /// A process says that it is an app; its number, if the kernel knows it.
        case hello(Link, AppHello, process: Int32?)
        /// An app says something.
        case app(Link, String, AppMessage)
        /// An app has passed the tune of that name; nil if no file came.
        case tone(String, String, PassedFile?)
        /// An app is gone, and what was wrong with it; nil if it has left.
        case appGone(Link, String, fault: String?)
        /// A command asks for something; its process, if the kernel knows it.
        case client(Link, ClientMessage, process: Int32?)
        /// A command is gone.
        case clientGone(Link)
    }

    /// A connection: a number, never twice.
    typealias Link = Int64

    /// How many connections there are at once; those beyond wait until one has left.
    static let connectionsMax = 2_000

    private enum Role: Hashable {
        case unknown
        case worker
        case app(String)
        case client
        case watcher
    }

    private struct Peer {
        let connection: LineConnection
        let process: Int32?
        var role = Role.unknown
        var patience: (any ScheduledTimer)?
    }

    private let loop: Loop
    /// How long a connection has for its first line.
    private let roleMax: TimeSpan
    private let take: (Input) -> Void
    private var listener: SocketListener?
    private var peers: [Link: Peer] = [:]
    private var last: Link = 0

    /// Serves the listening socket `listener`, which stays its owner's.
    init(
        on loop: Loop, listener: Int32, roleMax: TimeSpan, _ take: @escaping (Input) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.roleMax = roleMax
        self.take = take
        self.listener = try SocketListener(
            at: listener, hasRoom: { [unowned self] in peers.count < Self.connectionsMax }, on: loop,
            description: "calls"
        ) { [unowned self] in begin($0) }
    }

    /// Whether nobody is connected.
    var isEmpty: Bool { peers.isEmpty }

    /// Says `order` to a worker; nothing happens if it is gone.
    func say(_ order: WorkerOrder, passing file: PassedFile? = nil, to worker: WorkerNumber) {
        peers[worker.value]?.connection.send(order.line, passing: file)
    }

    /// Says `word` to an app; nothing happens if it is gone.
    func say(_ word: AppWord, to link: Link) { peers[link]?.connection.send(word.line) }

    /// Answers a command, and ends its connection.
    func answer(_ answer: ClientAnswer, to link: Link) {
        peers[link]?.connection.send(answer.line)
        close(link)
    }

    /// Lets the process behind `link` in as the app `id`.
    func accept(_ link: Link, as id: String) { peers[link]?.role = .app(id) }

    /// Refuses the process behind `link`, and ends its connection.
    func refuse(_ link: Link, why: String) {
        peers[link]?.connection.send(AppWord.refused(why).line)
        close(link)
    }

    /// Tells one who watches.
    func tell(_ event: Event, to link: Link) { peers[link]?.connection.send(event.line) }

    /// Tells all who watch.
    func tell(_ event: Event) {
        let line = event.line
        for peer in peers.values where peer.role == .watcher { peer.connection.send(line) }
    }

    private func begin(_ socket: consuming OwnedDescriptor) {
        last += 1
        let link = last
        let process = peer(of: socket.number)?.process
        let limits = LineConnection.Limits(
            lineBytesMax: CallLimits.lineBytesMax, unsentBytesMax: CallLimits.unsentBytesMax, filesMax: 1)
        let connection = LineConnection(socket, limits, on: loop, description: "calls")
        guard (try? connection.listen { [unowned self] in heard($0, from: link) }) != nil else { return }
        peers[link] = Peer(connection: connection, process: process)
        peers[link]?.patience = loop.schedule(at: loop.now + roleMax, description: "calls") { [weak self, roleMax] in
            self?.turnAway(link, why: "no role was named in \(roleMax.wholeSeconds) s")
        }
    }

    private func heard(_ news: LineConnection.News, from link: Link) {
        switch news {
        case .line(let line): take(line, from: link)
        case .taken: break
        case .ended(.left(let rest)): leave(link, fault: rest.isEmpty ? nil : "it left in the middle of a line")
        case .ended(.lineTooLong): leave(link, fault: "a line of it is longer than \(CallLimits.lineBytesMax) bytes")
        case .lost: leave(link, fault: "it does not read what it is told, or is gone")
        }
    }

    private func take(_ line: [UInt8], from link: Link) {
        guard let peer = peers[link] else { return }
        do throws(CallChannelError) {
            switch peer.role {
            case .unknown: try begin(peer, with: line, from: link)
            case .worker:
                switch try WorkerMessage.read(line) {
                case .event(let event): take(.worker(WorkerNumber(link), event.body))
                case .push: throw CallChannelError(detail: "a worker hands one push over")
                case nil: break
                }
            case .app(let id):
                switch try AppMessage.read(line) {
                case .tone(let name): take(.tone(id, name, peer.connection.takeFile()))
                case let message?: take(.app(link, id, message))
                case nil: break
                }
            case .client, .watcher: throw CallChannelError(detail: "a command says one line")
            }
        } catch {
            leave(link, fault: error.detail)
        }
    }

    private func begin(_ peer: Peer, with line: [UInt8], from link: Link) throws(CallChannelError) {
        if case .push(let push)? = try WorkerMessage.read(line) {
            know(link, as: .worker)
            return take(.push(WorkerNumber(link), push))
        }
        if case .hello(let hello)? = try AppMessage.read(line) {
            // Who it is: its driver lets it in, or refuses it.
            know(link, as: .client)
            return take(.hello(link, hello, process: peer.process))
        }
        guard let message = try ClientMessage.read(line) else {
            throw CallChannelError(detail: "the first line names no role")
        }
        know(link, as: message == .watch ? .watcher : .client)
        take(.client(link, message, process: peer.process))
    }

    private func know(_ link: Link, as role: Role) {
        peers[link]?.role = role
        peers[link]?.patience?.cancel()
        peers[link]?.patience = nil
    }

    private func turnAway(_ link: Link, why: String) {
        peers[link]?.connection.send(ClientAnswer.failed(why).line)
        close(link)
    }

    /// The peer is gone, or is to be. One that has not left is answered why.
    private func leave(_ link: Link, fault: String?) {
        let role = peers[link]?.role
        switch role {
        case .unknown, .client, .watcher: if let fault { turnAway(link, why: fault) }
        case .app: if let fault { refuse(link, why: fault) }
        case .worker, nil: break
        }
        close(link)
        switch role {
        case .worker: take(.workerGone(WorkerNumber(link), fault: fault))
        case .app(let id): take(.appGone(link, id, fault: fault))
        case .client, .watcher: take(.clientGone(link))
        case .unknown, nil: break
        }
    }

    private func close(_ link: Link) {
        guard let peer = peers.removeValue(forKey: link) else { return }
        peer.patience?.cancel()
        peer.connection.close()
        // One that waited for a place may come now.
        listener?.resume()
    }
}
