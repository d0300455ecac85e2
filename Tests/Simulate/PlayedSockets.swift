import BelfrySyscalls
import Glibc

/// One end of a connection of sequenced packets, or what listens for connections.
final class PlayedSocket {
    private(set) var packets: [[UInt8]] = []
    private(set) var peer: PlayedSocket?
    private(set) var isClosed = false
    /// Whether the peer left something unread: then its end reads as a reset.
    private(set) var isReset = false
    /// The connections that wait to be accepted; nil for one that does not listen.
    private(set) var waiting: [PlayedSocket]?
    private var backlog = 0
    var watches: [PlayedWatch] = []

    /// Whether a call would not have to wait.
    var isReadable: Bool { !packets.isEmpty || !(waiting?.isEmpty ?? true) || isClosed || (peer?.isClosed ?? false) }

    func listen(backlog: Int32) { (waiting, self.backlog) = ([], Int(backlog)) }

    /// The errno of a refusal; nil if `client` is connected.
    func connect(_ client: PlayedSocket) -> Int32? {
        guard waiting != nil, !isClosed else { return ECONNREFUSED }
        guard waiting!.count < backlog else { return EAGAIN }
        let other = PlayedSocket()
        (other.peer, client.peer) = (client, other)
        waiting?.append(other)
        wake()
        return nil
    }

    func accept() -> PlayedSocket? { waiting?.isEmpty ?? true ? nil : waiting?.removeFirst() }
    func take() -> [UInt8]? { packets.isEmpty ? nil : packets.removeFirst() }

    func send(_ packet: [UInt8]) -> Bool {
        guard let peer, !peer.isClosed, !isClosed else { return false }
        peer.packets.append(packet)
        peer.wake()
        return true
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        if !packets.isEmpty { peer?.isReset = true }
        for other in waiting ?? [] {
            other.peer?.isReset = true
            other.close()
        }
        peer?.wake()
    }

    private func wake() { for watch in watches { watch.isReady() } }
}

extension Machine {
    func socket() -> Int32 {
        guard step() else { return fail(EIO) }
        guard hasRoomForDescriptor else { return fail(EMFILE) }
        return number(PlayedSocket())
    }

    private func number(_ socket: PlayedSocket) -> Int32 {
        let file = OpenFile(PlayedNode(.socket, inode: 0, modified: 0, isInMemory: true), process: current)
        file.socket = socket
        return number(file)
    }

    /// The directory and the name in `path`, which is `/proc/self/fd/NUMBER/NAME`.
    private func place(_ path: String) -> (directory: PlayedNode, name: String)? {
        let parts = path.split(separator: "/")
        guard parts.count == 5, let number = Int32(parts[3]), let directory = files[number]?.node else { return nil }
        return (directory, String(parts[4]))
    }

    func bind(_ socket: Int32, _ path: String) -> Int32 {
        guard step(), let place = place(path), let end = files[socket]?.socket else { return fail(EIO) }
        guard place.directory.links > 0 else { return fail(ENOENT) }
        guard place.directory.names[place.name] == nil else { return fail(EADDRINUSE) }
        guard !lacks(.memoryFull) else { return fail(ENOSPC) }
        let node = make(.socket, in: place.directory)
        node.listener = end
        set(place.name, in: place.directory, to: node)
        return 0
    }

    func listen(_ socket: Int32, _ backlog: Int32) -> Int32 {
        guard step(), let end = files[socket]?.socket else { return fail(EIO) }
        end.listen(backlog: backlog)
        return 0
    }

    func connect(_ socket: Int32, _ path: String) -> Int32 {
        guard step(), let place = place(path), let end = files[socket]?.socket else { return fail(EIO) }
        guard let node = place.directory.names[place.name] else { return fail(ENOENT) }
        guard let listener = node.listener else { return fail(ECONNREFUSED) }
        guard !lacks(.earsFull) else { return fail(EAGAIN) }
        return listener.connect(end).map(fail) ?? 0
    }

    func accept(_ socket: Int32) -> Int32 {
        guard step(), let listener = files[socket]?.socket else { return fail(EIO) }
        guard hasRoomForDescriptor else { return fail(EMFILE) }
        guard let end = listener.accept() else { return fail(EAGAIN) }
        return number(end)
    }

    func recv(_ socket: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard step(), let end = files[socket]?.socket else { return Int(fail(EIO)) }
        if let packet = end.take() {
            let count = min(packet.count, buffer.count)
            unsafe buffer.copyBytes(from: packet.prefix(count))
            if let current { onPacket(current, packet) }
            return count
        }
        if end.isReset { return Int(fail(ECONNRESET)) }
        guard end.isReadable else { return Int(fail(EAGAIN)) }
        return 0
    }

    func send(_ socket: Int32, _ packet: UnsafeRawBufferPointer) -> Int {
        guard step(), let end = files[socket]?.socket else { return Int(fail(EIO)) }
        if let current { unsafe onPacket(current, Array(packet)) }
        return unsafe end.send(Array(packet)) ? packet.count : Int(fail(EPIPE))
    }

    func shutdown(_ socket: Int32) { files[socket]?.socket?.close() }
}
