/// A way for other threads to tell the loop something: messages in, one call back each on the loop, in order.
public final class Inbox<Message: Sendable>: Sendable {
    private let poster: LoopPoster
    private let receiver: Receiver<Message>

    fileprivate init(poster: LoopPoster, receiver: Receiver<Message>) {
        self.poster = poster
        self.receiver = receiver
    }

    /// Has the receiver called with `message` on the loop. False, and nothing happens, once the loop has ended. Any
    /// thread.
    @discardableResult
    public func post(_ message: Message) -> Bool {
        let receiver = receiver
        return poster.post { receiver.receive(message) }
    }

    /// Ends it: nothing is received any more, not even what is posted already. On the loop.
    public func close() { receiver.close() }
}

extension Loop {
    /// Makes an inbox whose messages `receive` gets on this loop until it is closed.
    public func makeInbox<Message: Sendable>(
        of type: Message.Type = Message.self,
        _ receive: @escaping (Message) -> Void
    ) -> Inbox<Message> {
        assertOnLoop()
        return Inbox(poster: poster, receiver: Receiver(thread: thread, receive: receive))
    }
}

/// A call back of the loop that other threads carry about but only the loop's thread opens.
private final class Receiver<Message>: @unchecked Sendable {
    private let thread: LoopThread
    private var receiveMessage: ((Message) -> Void)?

    init(thread: LoopThread, receive: @escaping (Message) -> Void) {
        self.thread = thread
        receiveMessage = receive
    }

    func receive(_ message: Message) {
        thread.assertCurrent()
        receiveMessage?(message)
    }

    func close() {
        thread.assertCurrent()
        receiveMessage = nil
    }
}
