public import BelfryEventLoop
public import BelfryProtocol
import BelfrySyscalls
public import BelfryTerms
public import DesktopChannel
import Glibc
import NotificationDelivery

/// A worker's connection to the desktop: its events go there as to its client, and reports come back.
///
/// Only the beginning of a loud ring waits for it, and that for 100 ms at most. If it is missing, full or slow, the
/// call goes on without it. A ring that has no connection, or has lost it, tries again with each tick, and sends its
/// story anew.
public final class DesktopConnection: RingDesktop {
    /// How long a ring waits for the first report.
    public static let patience = TimeSpan.milliseconds(100)
    private static let chunkBytes = 4_096

    private let path: String
    private let hello: DesktopHello
    private let listens: Bool
    private let loop: any EventLoop
    private var socket: OwnedDescriptor?
    private var output: EventOutput?
    private var listening: (any ScheduledTimer)?
    private var readable: (any LoopWatch)?
    private var lines = LineFraming()
    /// The events that a desktop needs if it comes in the middle of a ring; nil once the ring is over.
    private var story: [Event]? = []
    private var firstWord: DesktopWord?
    /// Whether do-not-disturb is on, as it said last.
    private var isMuted: Bool?
    private var waiting: (() -> Void)?
    private var timer: (any ScheduledTimer)?
    private var mutedChanged: (Bool) -> Void = { _ in }

    /// Gets what the desktop reports, as events.
    public var onReport: (Event.Body) -> Void = { _ in }

    /// Connects to the desktop's socket at `path`, and says `hello`.
    ///
    /// - Parameter listens: whether its reports are of use: to a call's worker, which lives while it rings.
    public init(to path: String, saying hello: DesktopHello, listens: Bool, on loop: any EventLoop) {
        self.path = path
        self.hello = hello
        self.listens = listens
        self.loop = loop
        connect()
    }

    /// Whether there is a connection.
    public var isConnected: Bool { output != nil }

    /// Sends `event` to the desktop. Ticks are not sent; they bring back a connection that is gone.
    public func write(_ event: Event) {
        switch event.body {
        case .tick:
            if output == nil, listens, story != nil { connect() }
            return
        case .notification, .vibration: return
        case .received, .ringing, .caller: remember(event, insteadOf: event.kind)
        case .attachment: remember(event, insteadOf: nil)
        case .ended, .missed: story = nil
        case .silent, .sound, .delivered, .warning, .extensionProcess, .asked, .app, .call, .action, .rejected,
            .unknown:
            break
        }
        send(event.line, isDroppable: event.isFrequent)
    }

    private func remember(_ event: Event, insteadOf kind: Event.Kind?) {
        story?.removeAll { $0.kind == kind }
        story?.append(event)
    }

    private func send(_ line: [UInt8], isDroppable: Bool = false) {
        output?.write(line, isDroppable: isDroppable)
        if output?.isGone == true { disconnect() }
    }

    private func connect() {
        do throws(SystemError) {
            let socket = try connectStream(to: path, waits: false)
            output = EventOutput(loop: loop, descriptor: socket.number)
            self.socket = consume socket
        } catch {
            // No desktop listens, or too many clients wait already: the call goes on.
            return disconnect()
        }
        send(hello.line)
        for event in story ?? [] { send(event.line) }
        // One iteration later: what the client waits for comes first.
        if listens { listening = loop.afterThis(description: "desktop") { [weak self] in self?.listen() } }
    }

    private func disconnect() {
        listening?.cancel()
        listening = nil
        readable?.cancel()
        readable = nil
        output = nil
        socket = nil
        lines = LineFraming()
        // A ring may be waiting for the first report, which cannot come any more.
        begin()
    }

    private func listen() {
        guard let number = socket?.number else { return }
        readable = try? loop.watch(descriptor: number, events: .readable, description: "desktop") { [weak self] _ in
            self?.read(number)
        }
    }

    private func read(_ number: Int32) {
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        let count = unsafe chunk.withUnsafeMutableBytes {
            unsafe recv(number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0, let found = try? lines.take(chunk[..<count]) else { return disconnect() }
        for line in found { if let report = DesktopReport(line: line) { take(report) } }
    }

    private func take(_ report: DesktopReport) {
        switch report {
        case .first(let isMuted, let vibrates):
            firstWord = DesktopWord(isMuted: isMuted, vibrates: vibrates)
            self.isMuted = isMuted
            begin()
            mutedChanged(isMuted)
        case .muted(let isMuted):
            self.isMuted = isMuted
            mutedChanged(isMuted)
        // A ring's notification has other buttons.
        case .chosen: break
        case .notification(let state, let detail): onReport(.notification(state: state, detail: detail))
        case .vibration(let state, let detail): onReport(.vibration(state: state, detail: detail))
        }
    }

    // MARK: The ring

    /// The desktop's first report on this connection, or on the one before.
    public var word: DesktopWord { firstWord ?? .none }

    /// Calls `begin` once there is a ``word``, or after ``patience`` without it.
    public func beforeRing(_ begin: @escaping () -> Void) {
        guard firstWord == nil, output != nil else { return begin() }
        waiting = begin
        timer = loop.schedule(at: loop.now + Self.patience, description: "desktop") { [weak self] in self?.begin() }
    }

    /// Calls `changed` whenever do-not-disturb goes on or off, and if the first report comes too late; at once if the
    /// state is known already.
    public func onMuted(_ changed: @escaping (Bool) -> Void) {
        mutedChanged = changed
        if let isMuted { changed(isMuted) }
    }

    private func begin() {
        timer?.cancel()
        timer = nil
        let begin = waiting
        waiting = nil
        begin?()
    }
}
