import BelfryAppleGround
import BelfryProtocol
import BelfrySyscalls
import CBelfryLinux
import CallChannel
import Glibc

/// An app's connection to `belfry-calls`: one thread of its own reads, any thread writes. If the peer is gone, it
/// connects again with back-off.
final class CentreConnection: @unchecked Sendable {
    /// What happened to the connection, told by its thread.
    enum News: Sendable {
        /// The peer said something.
        case word(AppWord)
        /// It said what cannot be read, and why.
        case nonsense(String)
        /// The peer is gone, or said what cannot be read; whether it had welcomed this app.
        case lost(wasWelcome: Bool)
        /// The time that was asked for by ``wake(by:)`` has come.
        case time
    }

    /// How long it waits before it connects again, in milliseconds: doubled each time, from the first to the last.
    struct BackOff: Sendable {
        let first: Int32
        let last: Int32
    }

    private let path: String
    private let backOff: BackOff
    private let greeting: @Sendable () -> [(message: AppMessage, file: PassedFile?)]
    private let heard: @Sendable (News) -> Void
    /// Written to make the thread look again.
    private let bell: Int32
    private let lock = NSLock()
    /// The socket; negative if there is none. Guarded by the lock, as all below.
    private var socket: Int32 = -1
    /// The lines that wait, each with the file that is passed beside it.
    private var unsent: [(rest: ArraySlice<UInt8>, file: PassedFile?)] = []
    private var unsentBytes = 0
    private var isClosed = false
    private var isWelcome = false
    private var wakeUp: Int64?
    private var hasStarted = false

    /// A connection to the socket at `path`, which begins with what `greeting` says.
    init(
        path: String, backOff: BackOff, greeting: @escaping @Sendable () -> [(message: AppMessage, file: PassedFile?)],
        heard: @escaping @Sendable (News) -> Void
    ) {
        self.path = path
        self.backOff = backOff
        self.greeting = greeting
        self.heard = heard
        bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit { if bell >= 0 { Glibc.close(bell) } }

    /// Connects at once, so that what is said next is sent, and starts the thread. False, and nothing, the second time.
    func start() -> Bool {
        let isFirst = lock.withLock {
            defer { hasStarted = true }
            return !hasStarted
        }
        guard isFirst else { return false }
        connect()
        let thread = Thread { self.serve() }
        thread.name = "belfry-calls"
        thread.start()
        return true
    }

    /// Sends `line`, and beside it `file`; false if there is no connection. What the peer does not take now waits.
    func say(_ line: [UInt8], passing file: PassedFile? = nil) -> Bool { lock.withLock { send(line, file) } }

    /// Ends the connection and the thread.
    func close() {
        // The thread closes the socket: it may be waiting for it, and another file could get its number.
        lock.withLock {
            isClosed = true
            if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        ring()
    }

    /// Has the thread tell ``News/time`` at `microseconds` of the clock since boot, or earlier.
    func wake(by microseconds: Int64) {
        let isEarlier = lock.withLock {
            if let wakeUp, wakeUp <= microseconds { return false }
            wakeUp = microseconds
            return true
        }
        if isEarlier { ring() }
    }

    // MARK: What the lock guards

    private func send(_ line: [UInt8], _ file: PassedFile?) -> Bool {
        guard socket >= 0, !isClosed else { return false }
        // The line that the peer is taking does not count: a long one is no sign that it does not read.
        guard unsentBytes - (unsent.first?.rest.count ?? 0) <= CallLimits.unsentBytesMax else {
            // It does not read: as good as gone. The thread sees the end of the socket.
            shutdown(socket, Int32(SHUT_RDWR))
            return false
        }
        unsent.append((line[...], file))
        unsentBytes += line.count
        guard unsent.count == 1 else { return true }
        guard sendWhatWaits() else { return false }
        if !unsent.isEmpty { ring() }
        return true
    }

    private func sendWhatWaits() -> Bool {
        while let (rest, file) = unsent.first {
            switch sendSome(rest, passing: file?.descriptor.number, to: socket) {
            case .wrote(let count):
                unsentBytes -= count
                if count == rest.count { unsent.removeFirst() } else { unsent[0] = (rest.dropFirst(count), nil) }
            case .full: return true
            case .failed:
                (unsent, unsentBytes) = ([], 0)
                return false
            }
        }
        return true
    }

    private func disconnect() {
        if socket >= 0 { Glibc.close(socket) }
        (socket, unsent, unsentBytes) = (-1, [], 0)
    }

    // MARK: The thread

    private func serve() {
        var framing = LineFraming(lineBytesMax: CallLimits.lineBytesMax)
        var pause = backOff.first
        var nextTry = bootTimeMicroseconds() + Int64(pause) * 1_000
        while true {
            let (socket, hasClosed, hasUnsent, timeout) = lock.withLock {
                (self.socket, isClosed, !unsent.isEmpty, millisecondsToWakeUp)
            }
            if hasClosed { return lock.withLock { disconnect() } }
            guard socket >= 0 else {
                framing = LineFraming(lineBytesMax: CallLimits.lineBytesMax)
                let left = nextTry - bootTimeMicroseconds()
                if left > 0 {
                    let milliseconds = Int32(left / 1_000 + 1)
                    wait(for: -1, 0, milliseconds: timeout < 0 ? milliseconds : min(milliseconds, timeout))
                    tellTime()
                } else {
                    connect()
                    pause = min(pause * 2, backOff.last)
                    nextTry = bootTimeMicroseconds() + Int64(pause) * 1_000
                }
                continue
            }
            let events = wait(for: socket, hasUnsent ? POLLIN | POLLOUT : POLLIN, milliseconds: timeout)
            tellTime()
            if events & Int16(POLLOUT) != 0 { lock.withLock { _ = sendWhatWaits() } }
            guard events & ~Int16(POLLOUT) != 0 else { continue }
            let (bytes, _) = receiveSome(from: socket, bytesMax: 64 << 10)
            guard !bytes.isEmpty, let lines = try? framing.take(bytes), hear(lines) else {
                lose()
                nextTry = bootTimeMicroseconds() + Int64(pause) * 1_000
                continue
            }
            if lock.withLock({ isWelcome }) { pause = backOff.first }
        }
    }

    /// Tells what `lines` say; false if one of them cannot be read.
    private func hear(_ lines: [[UInt8]]) -> Bool {
        for line in lines {
            do throws(CallChannelError) {
                // A word that a later version has added is passed over.
                guard let word = try AppWord.read(line) else { continue }
                if case .welcome = word { lock.withLock { isWelcome = true } }
                heard(.word(word))
            } catch {
                heard(.nonsense(error.detail))
                return false
            }
        }
        return true
    }

    private func lose() {
        let wasWelcome: Bool? = lock.withLock {
            guard !isClosed else { return nil }
            disconnect()
            defer { isWelcome = false }
            return isWelcome
        }
        if let wasWelcome { heard(.lost(wasWelcome: wasWelcome)) }
    }

    private func connect() {
        guard let made = try? connectStream(to: path, waits: false) else { return }
        // Before anything else can be said on it.
        let number = made.release()
        lock.withLock {
            guard !isClosed else {
                Glibc.close(number)
                return
            }
            socket = number
            for (message, file) in greeting() { _ = send(message.line, file) }
        }
    }

    private var millisecondsToWakeUp: Int32 {
        guard let wakeUp else { return -1 }
        return Int32(clamping: max(wakeUp - bootTimeMicroseconds(), 0) / 1_000 + 1)
    }

    private func tellTime() {
        let isTime = lock.withLock {
            guard let due = wakeUp, due <= bootTimeMicroseconds() else { return false }
            wakeUp = nil
            return true
        }
        if isTime { heard(.time) }
    }

    /// Waits until the socket or the bell has something, and returns what the socket has.
    @discardableResult
    private func wait(for socket: Int32, _ events: Int32, milliseconds: Int32) -> Int16 {
        var watched = [
            pollfd(fd: bell, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: Int16(events), revents: 0),
        ]
        guard unsafe poll(&watched, nfds_t(watched.count), milliseconds) > 0 else { return 0 }
        if watched[0].revents != 0 {
            var count: eventfd_t = 0
            unsafe eventfd_read(bell, &count)
        }
        return watched[1].revents
    }

    private func ring() { eventfd_write(bell, 1) }
}
