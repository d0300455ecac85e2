public import BootTime
import CLinux
public import EventLoop
public import Events
import Glibc

/// One connection of the push socket, or standard input and output: a notification in, its events out.
public final class ClientConnection {
    /// How long a notification may take to arrive.
    public static let notificationPatience = TimeSpan.seconds(5)
    /// How long a refused client may go on sending, and a slow one reading, before the connection closes.
    public static let closingPatience = TimeSpan.seconds(1)
    /// How many bytes a refused client may go on sending.
    public static let discardedBytesMax = 2 << 20

    private let loop: Loop
    private let inputNumber: Int32
    private let outputNumber: Int32
    private let input: PushInput
    private let output: EventOutput
    private var closing: (any ScheduledTimer)?

    /// A connection on two descriptors, which may be the same socket; it does not own them.
    public init(loop: Loop, input: Int32, output: Int32) {
        self.loop = loop
        inputNumber = input
        outputNumber = output
        self.input = PushInput(loop: loop, descriptor: input)
        self.output = EventOutput(loop: loop, descriptor: output)
    }

    /// The user at the other end of a socket; nil where there is no telling, as behind a pipe.
    public var peerUser: UInt32? {
        var user: UInt32 = 0
        return unsafe clinux_peer_user(inputNumber, &user) == 0 ? user : nil
    }

    /// Reads the notification; calls `finished` once, perhaps before it returns.
    public func read(finished: @escaping (PushReading) -> Void) {
        input.readNotification(patience: Self.notificationPatience, finished: finished)
    }

    /// Writes `event`; a client that does not read loses ticks first, then everything.
    public func write(_ event: Event) {
        guard !output.isGone else { return }
        var isTick = false
        if case .tick = event.body { isTick = true }
        output.write(event.line, isDroppable: isTick)
    }

    /// Ends the connection once the client has read what waits for it, or its time is up; then calls `closed`.
    ///
    /// A refused client may finish sending first: it could not read why if the connection went down under its write.
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

    /// shutdown(2) reaches the client at once; close(2) would not, since the service manager holds a duplicate.
    private func hangUp(_ closed: () -> Void) {
        input.drain(bytesMax: Self.discardedBytesMax)
        _ = shutdown(outputNumber, Int32(SHUT_RDWR))
        closed()
    }
}
