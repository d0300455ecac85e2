import BelfryClient
import BelfryEventLoop
import BelfryEventLoopExecutor
public import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
public import Testing

/// A push that is on its way, or done: every event of its worker is kept, whether a test waits for it or not.
///
/// Any number of waits and iterations may look at it, at the same time or long after it is done, and each sees all
/// events.
public actor BellPush {
    /// The call's id, if it is a call or its hangup.
    public nonisolated let callID: String?
    /// Its identifier: that of its events, and of the endpoint its `apns-id` in lower case. Nil of a push of the test's
    /// own that states none.
    public nonisolated let id: String?
    /// What it says outside of its payload; nil if it could not be read.
    public nonisolated let envelope: Envelope?
    /// What it shows, before an extension; `userInfo` is the payload. Nil if it could not be read.
    public nonisolated let content: NotificationContent?
    /// The request by which it came, and its answer; nil if it did not come by the bell's endpoint.
    public nonisolated let request: PushRecord.Request?

    /// How long a wait lasts by default, unless ``BellSettings/patience`` or `BELFRY_TEST_PATIENCE` says otherwise: far
    /// longer than anything but a ring takes, even on a loaded machine.
    public static let patience = Duration.seconds(10)
    /// How many events are kept: far more than the longest ring has.
    public static let eventsMax = PushedNotification.linesMax

    private nonisolated let story: EventStory
    private nonisolated let executor: LoopExecutor
    private let patience: Patience
    /// Held until the worker has closed; it holds this push as long.
    private var connection: PushConnection?
    /// The number of the first event after all that a wait has returned.
    private var next = 0

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// The push `notification` of the test's own, whose calls are described by `names`, as the worker has them.
    init(
        _ notification: [UInt8], callID: String?, names: (CallPayload?) -> CallNames?, patience: Patience,
        on executor: LoopExecutor
    ) {
        let push = try? Push.parse(notification, makeID: { "" }, names: names)
        let id = push?.request.id ?? ""
        self.callID = callID ?? push?.call?.callID
        self.id = id.isEmpty ? nil : id
        envelope = push?.envelope
        content = push?.request.content
        request = nil
        self.patience = patience
        self.executor = executor
        story = EventStory(ending: "the notification was done", on: executor)
    }

    /// The push `taken`, which somebody sent.
    init(
        _ taken: PushRecord.Taken, by request: PushRecord.Request?, patience: Patience, on executor: LoopExecutor
    ) {
        callID = taken.call
        id = taken.id
        envelope = taken.envelope
        content = taken.content
        self.request = request
        self.patience = patience
        self.executor = executor
        story = EventStory(ending: "the notification was done", on: executor)
    }

    /// The events so far.
    public var events: [Event] { get async { await story.events } }

    /// Whether no more events come.
    public var isDone: Bool { get async { await story.story.end != nil } }

    func send(_ notification: [UInt8], to socket: PushSocket) throws(PushError) {
        connection = try PushConnection(
            to: socket, sending: notification, on: executor.loop, onLine: { self.take($0) },
            onEnd: { self.finish($0?.inBell) })
    }

    private func take(_ line: PushConnection.Line) {
        guard let event = line.event else {
            return giveUp(PushError(.notAnEvent, "a line of the worker is no event"))
        }
        take(event)
    }

    func take(_ event: Event) {
        let isFull = story.story.assumeIsolated { story in
            guard story.count < Self.eventsMax else { return true }
            story.add(event)
            return false
        }
        if isFull { giveUp(PushError(.endedEarly, "more than \(Self.eventsMax) events came")) }
    }

    private func giveUp(_ error: PushError) {
        connection?.cancel()
        finish(error)
    }

    /// Ends its story, which broke off if there is an error.
    func finish(_ error: PushError?) {
        connection = nil
        story.finish(error)
    }

    // MARK: Waits

    /// Waits for the first event of `kind` that `isMeant`; it may have come already.
    ///
    /// Throws ``BellError/Code/didNotCome``, which says line by line what came instead, after `patience`, or as soon as
    /// the notification is done without it; CancellationError if the task is cancelled. A test that ends by that is
    /// reported to have failed at the line of the wait.
    @discardableResult
    public func waitFor(
        _ kind: Event.Kind, within patience: Duration? = nil, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column, where isMeant: @escaping @Sendable (Event) -> Bool = { _ in true }
    ) async throws -> Event {
        try await wait(for: kind, from: 0, patience, WaitPlace(fileID, filePath, line, column), isMeant)
    }

    /// The same, for code that gets the place of its test.
    @discardableResult
    public func waitFor(
        _ kind: Event.Kind, within patience: Duration? = nil, sourceLocation: SourceLocation,
        where isMeant: @escaping @Sendable (Event) -> Bool = { _ in true }
    ) async throws -> Event {
        try await wait(for: kind, from: 0, patience, WaitPlace(sourceLocation), isMeant)
    }

    /// Waits for the next event of `kind` that `isMeant`: after all events that a wait has returned of this push. It
    /// may have come already. Throws as ``waitFor(_:within:fileID:filePath:line:column:where:)``.
    @discardableResult
    public func waitFor(
        next kind: Event.Kind, within patience: Duration? = nil, fileID: String = #fileID,
        filePath: String = #filePath, line: Int = #line, column: Int = #column,
        where isMeant: @escaping @Sendable (Event) -> Bool = { _ in true }
    ) async throws -> Event {
        try await wait(for: kind, from: next, patience, WaitPlace(fileID, filePath, line, column), isMeant)
    }

    /// The same, for code that gets the place of its test.
    @discardableResult
    public func waitFor(
        next kind: Event.Kind, within patience: Duration? = nil, sourceLocation: SourceLocation,
        where isMeant: @escaping @Sendable (Event) -> Bool = { _ in true }
    ) async throws -> Event {
        try await wait(for: kind, from: next, patience, WaitPlace(sourceLocation), isMeant)
    }

    /// Waits until the notification is done, and returns all of its events: for its whole time if need be, and a wait's
    /// patience.
    ///
    /// Throws ``BellError/Code/didNotCome`` after `patience`, and if the events break off; CancellationError if the
    /// task is cancelled.
    @discardableResult
    public func waitUntilDone(
        within patience: Duration? = nil, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) async throws -> [Event] {
        try await waitUntilDone(
            within: patience,
            sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// The same, for code that gets the place of its test.
    @discardableResult
    public func waitUntilDone(
        within patience: Duration? = nil, sourceLocation: SourceLocation
    ) async throws -> [Event] {
        try await story.waitUntilDone(within: patience ?? self.patience.forAll, at: WaitPlace(sourceLocation))
    }

    private func wait(
        for kind: Event.Kind, from start: Int, _ patience: Duration?, _ place: WaitPlace,
        _ isMeant: @escaping @Sendable (Event) -> Bool
    ) async throws -> Event {
        let (event, index) = try await story.wait(
            for: kind, from: start, within: patience ?? self.patience.forOne, at: place, isMeant)
        next = Swift.max(next, index + 1)
        return event
    }
}

extension BellPush: AsyncSequence {
    /// Each of its events.
    public typealias Element = Event

    /// One that iterates the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var reader: StoryReader<Event>

        /// The next event, without limit of time; nil once the notification is done. Throws ``PushError`` if its events
        /// break off, and CancellationError.
        public mutating func next() async throws -> Event? { try await reader.read() }
    }

    /// One that begins with the first event.
    public nonisolated func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: StoryReader(story.story)) }
}
