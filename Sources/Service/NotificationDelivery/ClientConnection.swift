public import BelfryEventLoop
public import BelfryProtocol
import BelfrySyscalls
public import BelfryTerms
import Glibc

/// One connection of the push socket, or standard input and output: a notification comes in, its events go out.
public final class ClientConnection {
    /// How long a notification may take to arrive (S5).
    public static let notificationPatience = TimeSpan.seconds(5)
    /// How long the connection stays open for a slow client to read, and then for a refused one to go on sending.
    public static let closingPatience = TimeSpan.seconds(1)
    /// How many bytes of a refused client are read and discarded.
    public static let discardedBytesMax = 2 << 20

    /// When the connection was accepted: the notification's budget runs from then (R3).
    public let acceptedAt: Instant

    private let loop: any EventLoop
    private let inputNumber: Int32
    private let outputNumber: Int32
    private let input: PushInput
    private let output: EventOutput
    private var closing: (any ScheduledTimer)?

    /// A connection on two descriptors, which may be the same socket. It does not own them, and closes neither.
    ///
    /// - Parameter acceptedAt: when the connection was accepted; for a process that was started for it, its start.
    public init(loop: any EventLoop, input: Int32, output: Int32, acceptedAt: Instant) {
        self.acceptedAt = acceptedAt
        self.loop = loop
        inputNumber = input
        outputNumber = output
        self.input = PushInput(loop: loop, descriptor: input)
        self.output = EventOutput(loop: loop, descriptor: output)
    }

    /// The user at the other end of a socket; nil if that is unknown, as with a pipe.
    public var peerUser: UInt32? { peer(of: inputNumber)?.user }

    /// Reads the notification; calls `finished` once, perhaps before it returns.
    public func read(finished: @escaping (PushReading) -> Void) {
        input.readNotification(patience: Self.notificationPatience, finished: finished)
    }

    /// Writes `event` without blocking. A client that does not read loses ticks first, then everything (S5).
    public func write(_ event: Event) {
        output.write(event.line, isDroppable: event.isFrequent)
    }

    /// Ends the connection once the client has read what waits for it, or ``closingPatience`` is over; then calls
    /// `closed`.
    ///
    /// If the client was refused, it may finish sending first: if the connection broke while it writes, it could not
    /// read why it was refused.
    public func close(refused: Bool, closed: @escaping () -> Void) {
        closing = loop.schedule(at: loop.now + Self.closingPatience, description: "client unread") { [unowned self] in
            output.clientIsGone()
        }
        output.whenDrained { [unowned self] in
            closing?.cancel()
            guard refused, !output.isGone else { return hangUp(closed) }
            _ = shutdown(outputNumber, Int32(SHUT_WR))
            input.discard(bytesMax: Self.discardedBytesMax, patience: Self.closingPatience) { [unowned self] in
                hangUp(closed)
            }
        }
    }

    /// Ends the connection by shutdown(2), which reaches the client at once. close(2) would not, since the service
    /// manager holds a duplicate of the socket.
    private func hangUp(_ closed: () -> Void) {
        input.drain(bytesMax: Self.discardedBytesMax)
        _ = shutdown(outputNumber, Int32(SHUT_RDWR))
        closed()
    }
}

/// How the reading of a notification ended.
public enum PushReading: Sendable {
    /// The whole notification arrived.
    case complete([UInt8])
    /// The notification is larger than any may be.
    case tooLarge
    /// Only `bytes` bytes arrived in time, and not the end.
    case incomplete(bytes: Int)
}

/// The input from the client: one notification, and then only bytes to be discarded.
final class PushInput {
    /// Bytes read at a time.
    static let chunkBytes = 16 * 1024

    private let loop: any EventLoop
    private let number: Int32
    private let isSocket: Bool
    private var framing = PushFraming()
    private var readable: (any LoopWatch)?
    private var timer: (any ScheduledTimer)?
    private var buffer = [UInt8](repeating: 0, count: PushInput.chunkBytes)

    init(loop: any EventLoop, descriptor: Int32) {
        self.loop = loop
        number = descriptor
        isSocket = fileKind(of: descriptor) == S_IFSOCK
    }

    /// Reads one notification, for `patience` at most; calls `finished` once, perhaps before it returns.
    func readNotification(patience: TimeSpan, finished: @escaping (PushReading) -> Void) {
        timer = loop.schedule(at: loop.now + patience, description: "notification unfinished") { [unowned self] in
            let bytes = framing.receivedBytes
            end()
            finished(.incomplete(bytes: bytes))
        }
        onInput(description: "notification") { [unowned self] chunk in
            let progress = chunk.isEmpty ? framing.endOfInput() : framing.feed(chunk)
            switch progress {
            case .needMore: return true
            case .complete(let bytes):
                end()
                finished(.complete(bytes))
            case .tooLarge:
                end()
                finished(.tooLarge)
            }
            return false
        }
    }

    /// Reads and discards what the client still sends, so that it can finish writing and then read why it was refused.
    func discard(bytesMax: Int, patience: TimeSpan, finished: @escaping () -> Void) {
        var left = bytesMax
        timer = loop.schedule(at: loop.now + patience, description: "discard") { [unowned self] in
            end()
            finished()
        }
        onInput(description: "discard") { [unowned self] chunk in
            left -= chunk.count
            guard chunk.isEmpty || left <= 0 else { return true }
            end()
            finished()
            return false
        }
    }

    /// Discards unread bytes of a socket: if it were closed with bytes in it, the client would get ECONNRESET.
    func drain(bytesMax: Int) {
        guard isSocket else { return }
        var left = bytesMax
        while left > 0, case let count = receive(), count > 0 { left -= count }
    }

    /// Passes each chunk that arrives to `take`, and an empty one at the end of input, until `take` returns false.
    /// Before it does, `take` calls ``end()``.
    private func onInput(description: String, _ take: @escaping (ArraySlice<UInt8>) -> Bool) {
        guard readAvailable(take) else { return }
        readable = try? loop.watch(descriptor: number, events: .readable, description: description) {
            [unowned self] _ in
            _ = readAvailable(take)
        }
        // A descriptor that cannot be watched is a regular file or the like: it never blocks, and was read to its end
        // above.
        if readable == nil { _ = take([]) }
    }

    private func end() {
        timer?.cancel()
        readable?.cancel()
    }

    /// Passes on what can be read without waiting; returns true if more may come later.
    private func readAvailable(_ take: (ArraySlice<UInt8>) -> Bool) -> Bool {
        while isSocket || isReady(number, for: POLLIN) {
            let count = receive()
            if count > 0 {
                guard take(buffer[..<count]) else { return false }
                continue
            }
            // Neither call waits, so that no signal interrupts it.
            if count < 0, errno == EAGAIN { return true }
            return take([])
        }
        return true
    }

    private func receive() -> Int {
        unsafe buffer.withUnsafeMutableBytes { buffer in
            isSocket
                ? unsafe recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                : unsafe read(number, buffer.baseAddress, buffer.count)
        }
    }
}
