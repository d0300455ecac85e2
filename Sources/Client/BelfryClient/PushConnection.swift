public import BelfryEventLoop
import BelfryEventLoopExecutor
public import BelfryProtocol
import BelfrySyscalls
public import BelfryTerms
import Glibc

/// One notification on its way: sends it, and calls back for each line that the worker answers.
///
/// It belongs to its loop's thread, keeps itself alive until the connection ends, and never blocks.
public final class PushConnection {
    /// A line of the worker.
    public struct Line: Sendable {
        /// The line as it came, without its newline.
        public let bytes: [UInt8]
        /// The event that it is, also one that this version does not know; nil if the line is no event.
        public let event: Event?
    }

    /// How long we try again to connect while the manager is too busy to accept.
    public static let connectPatience = TimeSpan.seconds(5)

    /// The longest time between two tries: a full backlog gives no sign when it has room again.
    private static let retryDelayMax = TimeSpan.milliseconds(32)

    /// Read at once, in bytes.
    private static let chunkBytes = 64 << 10

    private let descriptor: OwnedDescriptor
    private let socket: PushSocket
    private let loop: Loop
    private var source: DescriptorSource?
    private var retry: (any ScheduledTimer)?
    private var unsent: ArraySlice<UInt8>
    private var lines = EventLines()
    private let onLine: (Line) -> Void
    private let onEnd: (PushError?) -> Void

    /// Connects to `socket`, sends `notification`, and then shuts down the sending side.
    ///
    /// - Parameters:
    ///   - onLine: called for each line, on the loop.
    ///   - onEnd: called once, when the worker has closed, or with what went wrong; not after ``cancel()``.
    @discardableResult
    public init(
        to socket: PushSocket, sending notification: [UInt8], on loop: Loop,
        onLine: @escaping (Line) -> Void, onEnd: @escaping (PushError?) -> Void
    ) throws(PushError) {
        self.socket = socket
        self.loop = loop
        unsent = notification[...]
        self.onLine = onLine
        self.onEnd = onEnd
        do throws(SystemError) {
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            descriptor = OwnedDescriptor(owning: try checked("socket") { Glibc.socket(AF_UNIX, kind, 0) })
        } catch {
            throw PushError(.connectionFailed, "no socket can be made", cause: error)
        }
        try connect(since: loop.now, delay: .milliseconds(1))
    }

    /// Closes the connection; the worker goes on without us. Does nothing once the connection has ended.
    public func cancel() {
        source?.cancel()
        source = nil
        retry?.cancel()
        retry = nil
    }

    /// Connects; if the manager's backlog is full, tries again after `delay`, which doubles each time.
    private func connect(since start: Instant, delay: TimeSpan) throws(PushError) {
        do throws(SystemError) {
            try connectUnixSocket(descriptor.number, to: socket.path)
        } catch {
            guard error.errno == EAGAIN, loop.now - start < Self.connectPatience else { throw failure(error) }
            retry = loop.schedule(at: loop.now + delay, description: "push again") { self.connectAgain(start, delay) }
            return
        }
        do throws(SystemError) {
            source = try loop.watch(
                descriptor: descriptor.number, events: [.readable, .writable], description: "push"
            ) { readiness in self.ready(readiness) }
        } catch {
            throw PushError(.connectionFailed, "the connection cannot be watched", cause: error)
        }
    }

    private func connectAgain(_ start: Instant, _ delay: TimeSpan) {
        retry = nil
        do throws(PushError) {
            try connect(since: start, delay: min(delay + delay, Self.retryDelayMax))
        } catch {
            finish(error)
        }
    }

    private func ready(_ readiness: Readiness) {
        if readiness.contains(.writable), source != nil { send() }
        if !readiness.isDisjoint(with: [.readable, .hangup, .error]), source != nil { receive() }
    }

    private func send() {
        while !unsent.isEmpty {
            let count = unsafe unsent.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                unsent = unsent.dropFirst(count)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                // A worker that rejects stops reading; its answer can still be read.
                unsent = []
            }
        }
        // The end of our input: an object that lacks its brace is refused at once instead of after five seconds.
        shutdown(descriptor.number, Int32(SHUT_WR))
        source?.setEvents(.readable)
    }

    private func receive() {
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        let count = unsafe chunk.withUnsafeMutableBytes { buffer in
            unsafe recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
        }
        if count > 0 { return report(chunk.prefix(count)) }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        // A worker that closed without reading all of it makes this a reset; nothing of its answer is lost by that.
        if count == 0 || errno == ECONNRESET { return end(unfinishedLine: lines.finish()) }
        finish(PushError(.connectionFailed, "the connection broke", cause: SystemError(errno: errno, call: "recv")))
    }

    private func report(_ bytes: ArraySlice<UInt8>) {
        do throws(PushError) {
            for line in try lines.take(bytes) {
                // The callback may cancel although more lines came in the same read.
                guard source != nil else { return }
                onLine(Line(bytes: line, event: try? Event(line: line)))
            }
        } catch {
            finish(error)
        }
    }

    private func end(unfinishedLine: [UInt8]?) {
        if let unfinishedLine { onLine(Line(bytes: unfinishedLine, event: try? Event(line: unfinishedLine))) }
        guard source != nil else { return }
        finish(nil)
    }

    private func finish(_ error: PushError?) {
        cancel()
        onEnd(error)
    }

    private func failure(_ error: SystemError) -> PushError {
        let path = Printable.escaped(socket.path)
        switch error.errno {
        case ENOENT, ENOTDIR: return PushError(.noSocket, "there is no push socket at \(path)", cause: error)
        case ECONNREFUSED: return PushError(.noSocket, "nobody listens on the push socket at \(path)", cause: error)
        case EACCES, EPERM:
            return PushError(.noSocket, "the push socket at \(path) belongs to somebody else", cause: error)
        case EAGAIN:
            let patience = Self.connectPatience.seconds
            return PushError(
                .connectionFailed, "the push socket at \(path) took no connection for \(patience) s", cause: error)
        default: return PushError(.connectionFailed, "cannot connect to \(path): \(error)", cause: error)
        }
    }
}

/// Follows the notifications of a session, on its loop.
actor PushFollower {
    /// Names one notification of a session.
    final class Token: Sendable {}

    /// Where the lines of one notification go.
    typealias Continuation = AsyncThrowingStream<PushConnection.Line, any Error>.Continuation

    private nonisolated let executor: LoopExecutor
    private var connections: [ObjectIdentifier: PushConnection] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// A follower on the loop of `executor`.
    init(_ executor: LoopExecutor) { self.executor = executor }

    /// Pushes `bytes` to `socket` soon, and yields each line of the answer to `continuation`.
    nonisolated func push(_ bytes: [UInt8], to socket: PushSocket, _ token: Token, _ continuation: Continuation) {
        // With the loop as preference, or the task would bounce through the global pool's threads.
        Task(executorPreference: executor) { await self.follow(bytes, socket, token, continuation) }
    }

    /// Closes the connection of a notification that nobody reads any more.
    nonisolated func leave(_ token: Token) {
        Task(executorPreference: executor) { await self.cancel(token) }
    }

    private func follow(_ bytes: [UInt8], _ socket: PushSocket, _ token: Token, _ continuation: Continuation) {
        do throws(PushError) {
            connections[ObjectIdentifier(token)] = try PushConnection(
                to: socket, sending: bytes, on: executor.loop,
                onLine: { line in
                    if case .enqueued = continuation.yield(line) { return }
                    // Full, or nobody reads any more: whatever else comes would be read for nobody.
                    self.cancel(token)
                    let detail = "more than \(PushedNotification.linesMax) events wait to be read"
                    continuation.finish(throwing: PushError(.endedEarly, detail))
                },
                onEnd: { error in
                    self.connections[ObjectIdentifier(token)] = nil
                    continuation.finish(throwing: error)
                })
        } catch {
            continuation.finish(throwing: error)
        }
    }

    private func cancel(_ token: Token) { connections.removeValue(forKey: ObjectIdentifier(token))?.cancel() }
}

/// Cuts what a worker writes into lines, with a bound on each.
struct EventLines {
    /// A line may not be longer, in bytes: an event of a 64 KiB notification is far below (S5).
    static let lineBytesMax = 1 << 20

    private var pending: [UInt8] = []
    /// How many bytes of `pending` are known to hold no newline.
    private var searched = 0

    /// Takes `bytes` and returns the lines that are complete now, without their newlines; empty ones are dropped.
    mutating func take(_ bytes: some Sequence<UInt8>) throws(PushError) -> [[UInt8]] {
        pending.append(contentsOf: bytes)
        var lines: [[UInt8]] = []
        var start = 0
        while let end = pending[max(start, searched)...].firstIndex(of: UInt8(ascii: "\n")) {
            if end > start { lines.append(Array(pending[start..<end])) }
            start = end + 1
            searched = start
            guard (lines.last?.count ?? 0) <= Self.lineBytesMax else { throw Self.tooLong }
        }
        pending.removeFirst(start)
        searched = pending.count
        guard pending.count <= Self.lineBytesMax else { throw Self.tooLong }
        return lines
    }

    /// The line without a newline at the end of the connection; nil if it ended with a complete line.
    mutating func finish() -> [UInt8]? {
        defer { self = EventLines() }
        return pending.isEmpty ? nil : pending
    }

    private static var tooLong: PushError {
        PushError(.lineTooLong, "a line of the worker is longer than \(lineBytesMax) bytes")
    }
}
