import BelfryEventLoop
import BelfrySyscalls
import BelfryTLS
import BelfryTerms
import Glibc

/// The bytes of one connection to a broker: a socket that never blocks, in plain text at first and by TLS from then on.
///
/// What is said is sent once all that is ready now has had its turn, many words in one record of TLS.
final class LineStream {
    /// What was there to be read.
    enum Piece {
        case bytes([UInt8])
        /// Nothing, for now.
        case nothing
        /// Nothing any more; why.
        case end(String)
    }

    /// How much is read at once: a record of TLS.
    private static let pieceBytesMax = 16 << 10
    /// What is not kept waiting.
    private static let burstBytes = 64 << 10
    /// How many pieces are read that nobody wants any more.
    private static let lastPiecesMax = 64

    private let loop: Loop
    private let socket: OwnedDescriptor
    private var watch: DescriptorSource?
    private var ready: (() -> Void)?
    private var tls: TLSClient?
    private var output: [UInt8] = []
    /// How many bytes of `output` have been sent.
    private var sentCount = 0
    private var isSendingSoon = false
    private var awaitsRoom = true
    /// Whether nothing can be sent any more. What has come can still be read.
    private var isBroken = false

    /// Begins to connect to `address`. From now on `ready` is called whenever there is something to do: first, once it
    /// is connected or failed to.
    init(to address: SocketAddress, on loop: Loop, ready: @escaping () -> Void) throws(SystemError) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = OwnedDescriptor(owning: try checked("socket") { Glibc.socket(address.family, kind, 0) })
        let number = socket.number
        self.loop = loop
        self.socket = socket
        self.ready = ready
        var isImmediate: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        try checked("setsockopt", on: "TCP_NODELAY") {
            unsafe setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &isImmediate, size)
        }
        try address.connect(number)
        watch = try loop.watch(descriptor: number, events: .writable, description: "line") { [weak self] _ in
            self?.ready?()
        }
    }

    /// Throws unless it is connected. Then it is listened to.
    func finishConnecting() throws(SystemError) {
        let number = socket.number
        var failure: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        try checked("getsockopt", on: "SO_ERROR") {
            unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &failure, &size)
        }
        guard failure == 0 else { throw SystemError(errno: failure, call: "connect") }
        awaitRoom(false)
    }

    /// Listens to the peer, and waits for room to write as well or not.
    private func awaitRoom(_ awaitsRoom: Bool) {
        guard awaitsRoom != self.awaitsRoom else { return }
        self.awaitsRoom = awaitsRoom
        watch?.setEvents(awaitsRoom ? [.readable, .writable] : .readable)
    }

    /// All is TLS from now on, to a peer that has a certificate for `host` of one of the authorities; it begins with
    /// ``handshake()``.
    func startTLS(to host: String, trusting authority: [UInt8]) throws(TLSFailure) {
        tls = try TLSClient(to: host, trusting: authority, socket: socket.number)
    }

    /// Goes on with the handshake; true once it is complete.
    func handshake() throws(LineEnd) -> Bool {
        guard let tls else { preconditionFailure("a handshake before TLS") }
        switch tls.handshake() {
        case .done:
            awaitRoom(false)
            return true
        case .wantsToRead: awaitRoom(false)
        case .wantsToWrite: awaitRoom(true)
        case .ended, .failed: throw Self.end(of: tls.failure)
        }
        return false
    }

    /// Until when the peer's certificate is valid; nil before the handshake.
    var certificateEnd: WallTime? { tls?.certificateEnd }

    private static func end(of failure: TLSClient.Failure?) -> LineEnd {
        switch failure {
        case .untrusted(let why), .other(let why): .untrusted(why)
        case .noTLS: .untrusted("no TLS")
        case .left, nil: .unreachable("it ended the connection during the handshake of TLS")
        }
    }

    /// Reads what is there, at most one piece.
    func read() -> Piece {
        var outcome = TLSConnection.Outcome.failed
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceBytesMax) { room, count in
            unsafe outcome = receive(into: UnsafeMutableRawBufferPointer(room))
            if case .done(let done) = outcome { count = done }
        }
        switch outcome {
        case .done: return .bytes(bytes)
        case .wantsToRead:
            if waitingBytes == 0 { awaitRoom(false) }
            return isBroken ? .end("it takes nothing more") : .nothing
        case .wantsToWrite:
            awaitRoom(true)
            return .nothing
        case .ended, .failed: return .end("it ended the connection")
        }
    }

    private func receive(into room: UnsafeMutableRawBufferPointer) -> TLSConnection.Outcome {
        if let tls { return unsafe tls.read(into: room) }
        while true {
            let count = unsafe recv(socket.number, room.baseAddress, room.count, 0)
            if count > 0 { return .done(count) }
            if count == 0 { return .ended }
            if errno == EAGAIN { return .wantsToRead }
            if errno != EINTR { return .failed }
        }
    }

    /// How many bytes wait to be sent.
    var waitingBytes: Int { output.count - sentCount }

    /// Has sent what `add` adds, behind all that was said before; false if it adds nothing.
    @discardableResult
    func say(_ add: (inout [UInt8]) -> Bool) -> Bool {
        guard !isBroken, add(&output) else { return false }
        if waitingBytes >= Self.burstBytes, !awaitsRoom {
            send()
        } else if !isSendingSoon {
            isSendingSoon = true
            loop.afterReady(description: "say") { [weak self] in
                self?.isSendingSoon = false
                self?.send()
            }
        }
        return true
    }

    /// Sends what waits, as much as the peer takes now.
    func send() {
        while let tls, waitingBytes > 0 {
            let outcome = unsafe output.withUnsafeBytes { bytes in
                unsafe tls.write(UnsafeRawBufferPointer(rebasing: bytes[sentCount...]))
            }
            switch outcome {
            case .done(let count): sentCount += count
            case .wantsToRead, .wantsToWrite:
                if sentCount > output.count / 2 {
                    output.removeFirst(sentCount)
                    sentCount = 0
                }
                return awaitRoom(true)
            case .ended, .failed: return fail()
            }
        }
        (output, sentCount) = ([], 0)
        awaitRoom(false)
    }

    /// Tells so when it is read next, after what the peer said last.
    private func fail() {
        isBroken = true
        (output, sentCount) = ([], 0)
        awaitRoom(false)
        loop.afterThis(description: "line") { [weak self] in self?.ready?() }
    }

    /// Ends it, and calls nobody from now on. What the kernel takes at once of what waits is sent.
    func close() {
        if waitingBytes > 0 { send() }
        tls?.close()
        ready = nil
        watch?.cancel()
        watch = nil
        // A byte that nobody reads would turn the end into a reset, which overtakes what was sent.
        for _ in 0..<Self.lastPiecesMax { guard case .bytes = read() else { return } }
    }
}
