import BelfryTerms
import BelfryEventLoopExecutor
public import BelfryJSON
public import BelfryProtocol
public import BelfrySyscalls
import Glibc

/// Pushes notifications from async code, and follows each: for integration tests of apps and push servers.
///
/// ```swift
/// let session = try PushSession(PushSocket(environment: environment))
/// let call = session.push(Array(json.utf8))
/// let events = try await call.events { if case .delivered = $0.body { true } else { false } }
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
    /// It is sent whole, whoever reads its events: to drop what is returned loses these alone, and the call rings on.
    /// Only a program that ends at once may take it along; it awaits an event before. Failures are thrown by the
    /// events.
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

/// Where the push socket is.
public struct PushSocket: Hashable, Sendable {
    /// The longest path that a socket address holds, in bytes (`sun_path` of unix(7), less its final NUL).
    public static let pathBytesMax = 107

    /// The socket's path.
    public let path: String

    /// The socket at `path`.
    public init(path: String) throws(PushError) {
        guard path.utf8.count <= Self.pathBytesMax, !path.utf8.contains(0) else {
            throw PushError(.pathTooLong, "the socket's path is longer than \(Self.pathBytesMax) bytes, or holds a NUL")
        }
        self.path = path
    }

    /// The socket that `environment` names: `BELFRY_SOCKET`, else `belfry/push.sock` in `XDG_RUNTIME_DIR`.
    public init(environment: [String: String]) throws(PushError) {
        if let path = environment["BELFRY_SOCKET"], !path.isEmpty {
            try self.init(path: path)
        } else if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") {
            try self.init(path: "\(folder)/belfry/push.sock")
        } else {
            throw PushError(.noPath, "there is no telling where the push socket is")
        }
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
    /// closed before it had told everything; CancellationError if the task is cancelled. Whoever iterates next goes on
    /// where the last one stopped; two at a time, or one after the end, get ``PushError/Code/readTwice``.
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

    /// Who reads the lines: the stream itself traps if two do.
    fileprivate final class Reading: Sendable {
        private enum State {
            case free, taken, ended
        }

        private let lines: AsyncThrowingStream<PushConnection.Line, any Error>
        /// Held so that the session's thread lives as long as somebody reads these events.
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
                // To the stream a cancelled reader has come to its end.
                try Task.checkCancellation()
                return nil
            }
            isEnded = false
            return line
        }
    }
}

/// Why a notification could not be pushed or followed.
public struct PushError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: String, CaseIterable, Sendable {
        /// No path was given, and the environment names no runtime directory.
        case noPath
        /// The path does not fit a socket address.
        case pathTooLong
        /// There is no socket, or nobody listens on it.
        case noSocket
        /// The connection failed on the way.
        case connectionFailed
        /// A line is longer than 1 MiB.
        case lineTooLong
        /// A line is no event.
        case notAnEvent
        /// Two read the events at a time, or somebody after all have been read.
        case readTwice
        /// The connection ended before what was waited for, before the delivery, or before the end of a ring was told.
        case endedEarly
    }

    /// What kind of failure it is.
    public let code: Code
    /// What failed, for people; text from outside in it is escaped.
    public let detail: String
    /// The system call that failed; nil if none did.
    public let cause: SystemError?

    /// An error.
    public init(_ code: Code, _ detail: String, cause: SystemError? = nil) {
        self.code = code
        self.detail = detail
        self.cause = cause
    }

    /// What to do about it; may be empty.
    public var remedy: String {
        switch code {
        case .noPath: "set XDG_RUNTIME_DIR or BELFRY_SOCKET, or give the socket's path"
        case .pathTooLong: "use a shorter path"
        case .noSocket:
            userManagerRuns()
                ? "start it with: systemctl --user enable --now belfry.socket"
                : "no user manager runs here: run your tests in: belfry serve -- COMMAND"
        case .connectionFailed, .endedEarly: "see what the worker says: journalctl --user -t belfry-worker"
        case .lineTooLong, .notAnEvent: "is something other than Belfry listening there?"
        case .readTwice: "keep the events that were read"
        }
    }

    /// The exit status of a program that ends because of it, of sysexits(3).
    public var exitStatus: Int32 {
        switch code {
        case .pathTooLong: 64
        case .noPath, .noSocket: 69
        case .lineTooLong, .notAnEvent, .readTwice: 70
        case .connectionFailed, .endedEarly: 75
        }
    }

    /// One line for people.
    public var description: String { remedy.isEmpty ? detail : "\(detail): \(remedy)" }
}

/// Whether this user has a systemd user manager, by the socket that systemctl(1) asks it at.
private func userManagerRuns() -> Bool {
    guard let folder = unsafe getenv("XDG_RUNTIME_DIR") else { return false }
    return unsafe access("\(String(cString: folder))/systemd/private", F_OK) == 0
}
