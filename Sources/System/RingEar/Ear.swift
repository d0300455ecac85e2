public import BelfryEventLoop
import BelfryLines
public import BelfrySyscalls
import BelfryTerms
public import CallLedger
import Glibc

/// The ear of a process that rings: a socket in the group's folder, over which other processes reach its ring at once.
///
/// The group file alone would do, but another process may hold its lock, and the disk may be full. The ear is named
/// after the ring's owner as the file names it, so that a reader of the file can find the ear. It listens from before
/// the ring is admitted until the process leaves. A connection carries one message and one answer.
///
/// A process rings one call and has one ear. A second ear in the same folder would take the name of the first, whose
/// ring could not be ended any more: making one is a defect of ours and traps.
public final class Ear {
    /// How many connections may wait to be heard.
    private static let backlog: Int32 = 64
    /// How many connections are open at most; then the oldest is closed.
    private static let connectionsMax = 16
    /// How long a connection may take to say something.
    private static let patience = TimeSpan.seconds(1)

    private let folder: RingFolder
    private let name: String
    private let socket: OwnedDescriptor
    private var listener: SocketListener?
    private var heard: ((RingMessage, @escaping (RingAnswer?) -> Void) -> Void)?
    private var connections: [Connection] = []

    /// The name of the ear of the process that `owner` names.
    static func name(of owner: Owner) -> String { "\(owner.pid)-\(owner.start)\(ending)" }

    private static let ending = ".ear"

    /// The process of this boot whose ear `name` is; nil if it is none's.
    static func owner(named name: String) -> Owner? {
        guard name.hasSuffix(ending) else { return nil }
        let parts = name.dropLast(ending.count).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let pid = Int64(parts[0]), let start = Int64(parts[1]) else { return nil }
        return Owner(bootID: bootID(), pid: pid, start: start)
    }

    /// Makes the ear of `owner` in `folder`. Connections wait until ``listen(on:_:)``.
    public init(of owner: Owner, in folder: RingFolder) throws(SystemError) {
        self.folder = folder
        name = Self.name(of: owner)
        socket = try makePacketSocket()
        do throws(SystemError) {
            try bind()
        } catch  where error.errno == ENOENT {
            // The last process to leave the folder removes it, perhaps just now.
            try bind()
        } catch  where error.errno == EADDRINUSE {
            precondition(!isOfThisProcess(), "a second ear of one process, which would make the first one deaf")
            // Any other socket with this name has no living owner.
            try folder.directory?.remove(name)
            try bind()
        }
        try BelfrySyscalls.listen(at: socket.number, backlog: Self.backlog)
    }

    /// Whether this process listens at the ear that is there.
    private func isOfThisProcess() -> Bool {
        guard let visitor = try? makePacketSocket(), let address = try? folder.address(of: name),
            (try? connectUnixSocket(visitor.number, to: address)) != nil
        else { return false }
        return isListenedToHere(visitor.number)
    }

    private func bind() throws(SystemError) {
        try folder.open(makes: true)
        try bindUnixSocket(socket.number, to: folder.address(of: name))
    }

    /// Listens on `loop`: `heard` gets each message, and calls the closure with the ring's answer once the ring is
    /// silent, or with nil if there is nothing to answer.
    ///
    /// A message that makes no sense or comes from another user is dropped.
    public func listen(
        on loop: any EventLoop, _ heard: @escaping (RingMessage, @escaping (RingAnswer?) -> Void) -> Void
    ) throws(SystemError) {
        self.heard = heard
        // With a spare descriptor, since a ring must not be deaf when the process has no other left (R22).
        listener = try SocketListener(at: socket.number, keepsSpare: true, on: loop, description: "ear") {
            [weak self] in self?.hear($0, on: loop)
        }
    }

    /// Stops listening, and removes the ear. Closing twice does nothing.
    public func close() {
        listener = nil
        heard = nil
        for connection in connections { connection.close() }
        try? folder.directory?.remove(name)
    }

    private func hear(_ descriptor: consuming OwnedDescriptor, on loop: any EventLoop) {
        if connections.count == Self.connectionsMax { connections.first?.close() }
        let connection = Connection(descriptor)
        connections.append(connection)
        // Dropping the connection closes its descriptor at once: reading how the ring ended may need one.
        connection.closed = { [weak self, unowned connection] in self?.connections.removeAll { $0 === connection } }
        connection.read(on: loop, patience: Self.patience) { [weak self] message in
            self?.heard?(message) { [weak connection] in connection?.answer($0) }
        }
    }

    /// The connection of a process that asks.
    private final class Connection {
        private let descriptor: OwnedDescriptor
        private var source: (any LoopWatch)?
        private var timer: (any ScheduledTimer)?
        private var isClosed = false
        var closed: () -> Void = {}

        init(_ descriptor: consuming OwnedDescriptor) {
            self.descriptor = descriptor
        }

        /// Calls `heard` with the message, now if it is here already.
        func read(on loop: any EventLoop, patience: TimeSpan, heard: @escaping (RingMessage) -> Void) {
            guard !take(heard) else { return }
            source = try? loop.watch(descriptor: descriptor.number, events: .readable, description: "asker") {
                [weak self] _ in _ = self?.take(heard)
            }
            timer = loop.schedule(at: loop.now + patience, description: "asker") { [weak self] in self?.close() }
        }

        /// True if the connection has said all it will.
        private func take(_ heard: (RingMessage) -> Void) -> Bool {
            do throws(SystemError) {
                guard let packet = try receivePacket(from: descriptor.number, bytesMax: RingMessage.bytesMax) else {
                    return false
                }
                stopReading()
                if let message = RingMessage(packet) { heard(message) } else { close() }
            } catch {
                close()
            }
            return true
        }

        func answer(_ answer: RingAnswer?) {
            guard !isClosed else { return }
            // An asker that has left does not get the answer.
            if let answer { try? sendPacket(answer.packet, to: descriptor.number) }
            close()
        }

        func close() {
            guard !isClosed else { return }
            isClosed = true
            stopReading()
            endConnection(descriptor.number)
            closed()
        }

        private func stopReading() {
            source?.cancel()
            source = nil
            timer?.cancel()
            timer = nil
        }
    }
}
