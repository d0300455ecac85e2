import BelfryEventLoopExecutor
public import BelfryJSON
public import BelfryProtocol
// A session's socket and errors come from this module; programs with a loop of their own use it directly.
@_exported public import BelfryPush
import BelfrySyscalls
import BelfryTerms

/// Pushes notifications from async code, and follows each: for integration tests of apps and push servers.
///
/// ```swift
/// let session = try PushSession(PushSocket(environment: environment))
/// let call = session.push(Array(json.utf8))
/// let events = try await call.events(until: { $0.kind == .delivered })
/// ```
///
/// A session has one thread of its own with one event loop, however many notifications it follows; it ends when
/// neither the session nor one of its notifications is held any more. On a loop of your own use ``PushConnection``.
public final class PushSession: Sendable {
    private let socket: PushSocket
    private let follower: PushFollower

    /// Makes a session; nothing is connected before the first push. Fails if threads or descriptors have run out.
    public init(_ socket: PushSocket) throws(PushError) {
        self.socket = socket
        do throws(SystemError) {
            follower = PushFollower(try LoopExecutor.onOwnThread())
        } catch {
            throw PushError(.connectionFailed, "no thread with a loop can be made", cause: error)
        }
    }

    /// Pushes `notification`, a payload or an envelope in JSON, as it is.
    ///
    /// It is sent whole even if its events are never read: dropping the returned value loses only the events, and the
    /// call rings on. A program that ends at once may cut the push off, and should await one event first. The events
    /// throw failures.
    public func push(_ notification: [UInt8]) -> PushedNotification {
        let (stream, continuation) = AsyncThrowingStream<PushConnection.Line, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(PushedNotification.linesMax))
        let token = PushFollower.Token()
        continuation.onTermination = { [follower] reason in
            if case .cancelled = reason { follower.leave(token) }
        }
        follower.push(notification, to: socket, token, continuation)
        return PushedNotification(events: PushEvents(stream, of: self))
    }

    /// Pushes a payload in an envelope; see ``push(_:)``.
    public func push(payload: JSONObject, in envelope: Envelope = Envelope()) -> PushedNotification {
        push(JSONValue.object(envelope.enclosing(payload)).serialized())
    }

    /// Pushes a call request; see ``push(_:)``.
    public func push(_ request: CallRequest, in envelope: Envelope = Envelope()) -> PushedNotification {
        push(payload: request.payload(), in: envelope)
    }

    /// Pushes a hangup; see ``push(_:)``.
    public func push(_ hangup: Hangup, in envelope: Envelope = Envelope()) -> PushedNotification {
        push(payload: hangup.payload(), in: envelope)
    }
}

/// A notification that was pushed: its events as they come, once.
public struct PushedNotification: Sendable {
    /// How many events may wait for their reader: far more than the longest ring has.
    public static let linesMax = 10_000

    /// The events until the worker closes, in the order of the contract, each of them once.
    ///
    /// Events and code words of a newer worker come through: see ``Event/Body/unknown(_:)`` and ``CodeWord``. Throws
    /// ``PushError`` if the socket cannot be reached, the connection breaks, a line is no event at all, or the worker
    /// closed before it had reported everything; CancellationError if the task is cancelled. The next iteration goes on
    /// where the last one stopped; two at the same time, or one after the end, get ``PushError/Code/readTwice``.
    public let events: PushEvents

    /// The events up to and with the first for which `isLast` holds.
    ///
    /// Throws ``PushError/Code/endedEarly`` if the worker closes before, and what ``events`` throws.
    public func events(until isLast: (Event) throws -> Bool) async throws -> [Event] {
        var seen: [Event] = []
        for try await event in events {
            seen.append(event)
            if try isLast(event) { return seen }
        }
        let last = seen.last.map { "after \($0.name)" } ?? "without a word"
        throw PushError(.endedEarly, "the worker closed \(last)")
    }

    /// Every event until the worker closes. Throws what ``events`` throws.
    public func allEvents() async throws -> [Event] {
        var seen: [Event] = []
        for try await event in events { seen.append(event) }
        return seen
    }
}

/// The events of one notification, each of them once.
public struct PushEvents: AsyncSequence, Sendable {
    /// One that iterates them.
    public struct Iterator: AsyncIteratorProtocol {
        private let reading: Reading
        private var isAtEnd = false

        fileprivate init(_ reading: Reading) { self.reading = reading }

        /// The next event; nil once the worker has closed.
        public mutating func next() async throws -> Event? {
            guard !isAtEnd else { return nil }
            guard let line = try await reading.next() else {
                isAtEnd = true
                return nil
            }
            guard let event = line.event else {
                let text = Printable.escaped(String(decoding: line.bytes.prefix(200), as: UTF8.self))
                throw PushError(.notAnEvent, "a line of the worker is no event: \(text)")
            }
            return event
        }
    }

    private let reading: Reading

    init(_ lines: AsyncThrowingStream<PushConnection.Line, any Error>, of session: PushSession) {
        reading = Reading(lines, of: session)
    }

    /// One that goes on where the last one stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(reading) }

    /// Reads the lines for one iterator at a time: the stream itself traps if two read.
    fileprivate final class Reading: Sendable {
        private enum State {
            case free, taken, ended
        }

        private let lines: AsyncThrowingStream<PushConnection.Line, any Error>
        /// Held so that the session's thread lives as long as these events are held.
        private let session: PushSession
        private let state = LockedValue(State.free)

        init(_ lines: AsyncThrowingStream<PushConnection.Line, any Error>, of session: PushSession) {
            self.lines = lines
            self.session = session
        }

        func next() async throws -> PushConnection.Line? {
            try Task.checkCancellation()
            try state.withLock { state throws(PushError) in
                switch state {
                case .free: state = .taken
                case .taken: throw PushError(.readTwice, "two read the events of one notification at a time")
                case .ended: throw PushError(.readTwice, "the events of this notification have all been read")
                }
            }
            var isEnded = true
            defer { state.withLock { $0 = isEnded ? .ended : .free } }
            var lines = lines.makeAsyncIterator()
            guard let line = try await lines.next() else {
                // The stream returns nil to a cancelled reader as well.
                try Task.checkCancellation()
                return nil
            }
            isEnded = false
            return line
        }
    }
}
