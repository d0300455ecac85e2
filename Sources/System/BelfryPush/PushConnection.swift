public import BelfryEventLoop
public import BelfryProtocol
import BelfrySyscalls
public import BelfryTerms
import Glibc

/// Sends one notification, and calls back for each line that the worker answers.
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

    /// How long we try again while the manager is too busy to accept, or drops connections.
    public static let connectPatience = TimeSpan.seconds(20)

    /// The longest time between two tries: a full socket gives no sign when it has room again.
    private static let retryDelayMax = TimeSpan.milliseconds(100)

    /// Read at once, in bytes.
    private static let chunkBytes = 64 << 10

    private let socket: PushSocket
    private let notification: [UInt8]
    private let loop: Loop
    private let patience: TimeSpan
    private let start: Instant
    private var retryDelay = TimeSpan.milliseconds(1)
    private var retry: (any ScheduledTimer)?
    private var descriptor: OwnedDescriptor
    private var source: DescriptorSource?
    private var unsent: ArraySlice<UInt8>
    /// Whether the other side was gone before everything was sent.
    private var isCutShort = false
    private var isAnswered = false
    /// Ends the connection after ``leave()`` if the worker does not; nil while the caller follows the events.
    private var leaving: (any ScheduledTimer)?
    private var lines = LineFraming()
    private var story = PushStory()
    private let onLine: (Line) -> Void
    private let onEnd: (PushError?) -> Void

    /// Connects to `socket`, sends `notification`, and then shuts down the sending side. Bytes after a complete JSON
    /// object are not sent, since no worker looks at them.
    ///
    /// Tries again, for `patience`, while the socket is full, and if the connection is dropped before a worker can have
    /// taken the notification.
    ///
    /// - Parameters:
    ///   - onLine: called for each line, on the loop.
    ///   - onEnd: called once, when the worker has closed, or with what went wrong, such as a worker that closed before
    ///     it had reported everything; not after ``cancel()``.
    @discardableResult
    public init(
        to socket: PushSocket, sending notification: [UInt8], on loop: Loop, patience: TimeSpan = connectPatience,
        onLine: @escaping (Line) -> Void, onEnd: @escaping (PushError?) -> Void
    ) throws(PushError) {
        self.socket = socket
        self.notification = Self.whatCounts(of: notification)
        self.loop = loop
        self.patience = patience
        start = loop.now
        unsent = self.notification[...]
        self.onLine = onLine
        self.onEnd = onEnd
        descriptor = try Self.makeSocket()
        try connect()
    }

    /// Closes the connection at once: the worker goes on without us, if it has read the notification by then. Does
    /// nothing once the connection has ended.
    public func cancel() {
        source?.cancel()
        source = nil
        retry?.cancel()
        retry = nil
        leaving?.cancel()
        leaving = nil
    }

    /// Closes the connection as soon as the worker's first line shows that it has taken the notification, after
    /// ``connectPatience`` at the latest: for callers that only want the notification pushed.
    public func leave() {
        guard source != nil || retry != nil, leaving == nil else { return }
        guard !isAnswered else { return finish(nil) }
        leaving = loop.schedule(at: loop.now + Self.connectPatience, description: "push left") { self.finish(nil) }
    }

    private static func whatCounts(of notification: [UInt8]) -> [UInt8] {
        var framing = PushFraming()
        guard case .complete(let bytes) = framing.feed(notification) else { return notification }
        return bytes
    }

    private static func makeSocket() throws(PushError) -> OwnedDescriptor {
        do throws(SystemError) {
            return try makeStreamSocket(waits: false)
        } catch {
            throw PushError(.connectionFailed, "no socket can be made", cause: error)
        }
    }

    private func connect() throws(PushError) {
        do throws(SystemError) {
            try connectUnixSocket(descriptor.number, to: socket.path)
        } catch {
            guard error.errno == EAGAIN, tryAgain() else { throw failure(error) }
            return
        }
        // The worker can begin before the loop has had a turn.
        send()
        do throws(SystemError) {
            source = try loop.watch(
                descriptor: descriptor.number, events: unsent.isEmpty ? .readable : [.readable, .writable],
                description: "push"
            ) { readiness in self.ready(readiness) }
        } catch {
            throw PushError(.connectionFailed, "the connection cannot be watched", cause: error)
        }
    }

    /// Connects once more after a delay that doubles each time; false if our patience is over.
    private func tryAgain() -> Bool {
        guard loop.now - start < patience else { return false }
        source?.cancel()
        source = nil
        retry?.cancel()
        retry = loop.schedule(at: loop.now + retryDelay, description: "push again") { self.connectAgain() }
        retryDelay = min(retryDelay + retryDelay, Self.retryDelayMax)
        return true
    }

    private func connectAgain() {
        retry = nil
        unsent = notification[...]
        isCutShort = false
        do throws(PushError) {
            descriptor = try Self.makeSocket()
            try connect()
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
                isCutShort = true
                unsent = []
            }
        }
        // Ends the worker's input: it then refuses an object without its closing brace at once instead of after five
        // seconds.
        shutdown(descriptor.number, Int32(SHUT_WR))
        source?.setEvents(.readable)
    }

    private func receive() {
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        let count = unsafe chunk.withUnsafeMutableBytes { buffer in
            unsafe recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
        }
        if count > 0 { return report(chunk.prefix(count)) }
        let isReset = count < 0 && errno == ECONNRESET
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count == 0 || isReset else {
            let cause = SystemError(errno: errno, call: "recv")
            return finish(PushError(.connectionFailed, "the connection broke", cause: cause))
        }
        // A worker takes a notification with its last byte, and writes before it refuses one. So none has taken this
        // one if nothing was written and that byte was never read: it was not sent, or the kernel reports a reset,
        // which means that the other side closed with bytes unread, or never accepted the connection.
        guard isAnswered || !(isCutShort || isReset) else { return dropped() }
        // After an answer a reset loses nothing.
        end(unfinishedLine: lines.finish())
    }

    private func dropped() {
        if tryAgain() { return }
        let path = Printable.escaped(socket.path)
        let detail = "the push socket at \(path) dropped the connection for \(patience.seconds) s"
        finish(PushError(.connectionFailed, detail, cause: SystemError(errno: ECONNRESET, call: "recv")))
    }

    private func report(_ bytes: ArraySlice<UInt8>) {
        isAnswered = true
        if leaving != nil { return finish(nil) }
        do throws(LineTooLong) {
            for line in try lines.take(bytes) {
                // The callback may cancel although more lines came in the same read.
                guard source != nil else { return }
                pass(line)
            }
        } catch {
            finish(PushError(.lineTooLong, "a line of the worker is longer than \(LineFraming.lineBytesMax) bytes"))
        }
    }

    private func pass(_ line: [UInt8]) {
        let event = try? Event(line: line)
        if let event { story.note(event) }
        onLine(Line(bytes: line, event: event))
    }

    private func end(unfinishedLine: [UInt8]?) {
        if let unfinishedLine { pass(unfinishedLine) }
        guard source != nil else { return }
        finish(story.missing.map { PushError(.endedEarly, "the connection ended before \($0)") })
    }

    private func finish(_ error: PushError?) {
        cancel()
        onEnd(error)
    }

    private func failure(_ error: SystemError) -> PushError {
        let path = Printable.escaped(socket.path)
        switch error.errno {
        case ENOENT, ENOTDIR: return PushError(.noSocket, "there is no push socket at \(path)", cause: error)
        case ECONNREFUSED where !isSocket, EACCES where !isSocket:
            return PushError(.noSocket, "\(path) is no socket", cause: error)
        case ECONNREFUSED: return PushError(.noSocket, "nobody listens on the push socket at \(path)", cause: error)
        case EACCES, EPERM:
            return PushError(.noSocket, "the push socket at \(path) belongs to somebody else", cause: error)
        case EAGAIN:
            return PushError(
                .connectionFailed, "the push socket at \(path) took no connection for \(patience.seconds) s",
                cause: error)
        default: return PushError(.connectionFailed, "cannot connect to \(path): \(error)", cause: error)
        }
    }
}

extension PushConnection {
    /// Whether what stands at the path is a socket.
    private var isSocket: Bool {
        var status = stat()
        return unsafe stat(socket.path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}

/// Which of a notification's events the worker has reported.
struct PushStory {
    private var isRejected = false
    private var isDelivered = false
    private var rings = false

    /// Takes in the next event; by its name, since that counts even if its body cannot be read.
    mutating func note(_ event: Event) {
        switch event.name {
        case "rejected": isRejected = true
        case "delivered": isDelivered = true
        case "ringing": rings = true
        case "ended": rings = false
        default: break
        }
    }

    /// What the worker has yet to report before it may close; nil if nothing.
    var missing: String? {
        if isRejected { return nil }
        if !isDelivered { return "the notification was delivered" }
        return rings ? "the end of the call was told" : nil
    }
}
