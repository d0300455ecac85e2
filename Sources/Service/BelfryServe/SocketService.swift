import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Glibc

/// A socket whose program is started when somebody connects and none runs, as systemd does for a socket unit:
/// `belfry-extension.socket` and `belfry-calls.socket`. The program accepts at its standard input.
final class SocketService {
    /// How long the program has to end after SIGTERM, as in its unit.
    private static let stopPatience = TimeSpan.seconds(3)
    /// How many clients may wait to be accepted, as in `belfry-extension.socket`.
    private static let backlog: Int32 = 256
    /// How long to wait before trying again to start one.
    private static let shortageDelay = TimeSpan.milliseconds(100)

    private let loop: Loop
    private let path: String
    private let description: String
    private let command: ChildCommand
    private let listener: OwnedDescriptor
    private var source: DescriptorSource?
    private var child: ChildProcess?
    private var timer: (any ScheduledTimer)?
    private var stopped: (() -> Void)?

    /// Listens at `path` for `command`.
    init(at path: String, for command: ChildCommand, on loop: Loop, description: String) throws(SystemError) {
        self.loop = loop
        self.path = path
        self.description = description
        var command = command
        command.leadsGroup = true
        command.streams[STDOUT_FILENO] = .null
        self.command = command
        if let slash = path.lastIndex(of: "/") { _ = try Directory.open(path: String(path[..<slash]), makes: true) }
        listener = try listenPrivately(at: path, backlog: Self.backlog)
        try listen()
    }

    /// Ends the program, and then calls `done`.
    func stop(_ done: @escaping () -> Void) {
        source?.cancel()
        timer?.cancel()
        unsafe unlink(path)
        guard let child else { return done() }
        stopped = done
        try? child.signal(SIGTERM)
        timer = loop.schedule(at: loop.now + Self.stopPatience, description: description) {
            try? child.signal(SIGKILL)
        }
    }

    private func listen() throws(SystemError) {
        source = try loop.watch(descriptor: listener.number, events: .readable, description: description) {
            [unowned self] _ in start()
        }
    }

    private func start() {
        // The program accepts from here on: watching the socket as well would start another one.
        source?.cancel()
        var command = command
        command.streams[STDIN_FILENO] = .descriptor(listener.number)
        do throws(SystemError) {
            let child = try ChildProcess(command)
            try loop.onExit(of: child, description: description) { [weak self] _ in self?.ended() }
            self.child = child
        } catch { listenLater() }
    }

    private func ended() {
        child = nil
        timer?.cancel()
        if let stopped = stopped.take() { return stopped() }
        listenLater()
    }

    private func listenLater() {
        timer = loop.schedule(at: loop.now + Self.shortageDelay, description: description) { [weak self] in
            try? self?.listen()
        }
    }
}
