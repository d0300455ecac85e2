public import BelfryEventLoop
import BelfryLines
public import BelfrySyscalls
public import BelfryTerms
import Glibc

/// Serves a push socket where no service manager does: starts a worker for each connection, as `belfry.socket` and its
/// units do, and tidies up after one that died.
///
/// It belongs to its loop's thread. Nothing outlives it except a worker that a signal cannot end.
public final class PushServer {
    /// How many connections may wait to be accepted, as in `belfry.socket`.
    private static let backlog: Int32 = 256
    /// How many workers run at once, as in `belfry.socket`; fewer where descriptors are few. The others wait.
    private static let workersMax = 4_096
    /// Descriptors that are not for workers.
    private static let descriptorsKept = 64
    /// How long to wait before trying again to start a worker, if descriptors, memory or processes ran out.
    private static let shortageDelay = TimeSpan.milliseconds(100)
    /// How long a worker has to end after SIGTERM, as in `belfry@.service`.
    private static let stopPatience = TimeSpan.seconds(3)
    /// How long tidying may take, as in `belfry-tidy.service`.
    private static let tidyingMax = TimeSpan.seconds(30)
    /// What a worker ends with if all is well: it handled the notification, or rejected it.
    private static let goodExits: [ChildExit] = [.exited(code: 0), .exited(code: 65)]

    private let loop: Loop
    private let path: String
    private let worker: ChildCommand
    private let lifetimeMax: TimeSpan
    private let socket: OwnedDescriptor
    private let workersMax: Int
    private var listener: SocketListener?
    private var shortage: (any ScheduledTimer)?
    private var children: [Int32: Running] = [:]
    /// A connection that was accepted and has no worker yet.
    private var unserved: OwnedDescriptor?
    private var isTidyingDue = false
    private var stopped: (() -> Void)?
    /// What workers may connect to, in the order in which it ends.
    private var services: [SocketService] = []

    /// A child process, and what ends it.
    private struct Running {
        let child: ChildProcess
        let isTidier: Bool
        var end: any ScheduledTimer
    }

    /// Listens at `path`, which must be free, and serves from the loop's next iteration on.
    ///
    /// - Parameters:
    ///   - worker: the worker's program and environment; the connection becomes its standard input and output.
    ///   - keeperSocketPath: where workers look for the keeper of a foreign extension; nil if they need none.
    ///   - calls: what knows the calls of apps, and where workers and apps look for it; nil if there is none.
    ///   - lifetimeMax: after so long a worker is ended by SIGTERM, and if need be killed.
    public init(
        at path: String, worker: ChildCommand, keeperSocketPath: String? = nil, calls: ServedCalls? = nil,
        lifetimeMax: TimeSpan, on loop: Loop
    ) throws(SystemError) {
        self.loop = loop
        self.path = path
        self.worker = worker
        self.lifetimeMax = lifetimeMax
        workersMax = min(Self.workersMax, max(1, sysconf(Int32(_SC_OPEN_MAX)) - Self.descriptorsKept))
        socket = try listenPrivately(at: path, backlog: Self.backlog)
        if let keeperSocketPath {
            var keeper = worker
            keeper.arguments = ["--host"]
            services.append(
                try SocketService(at: keeperSocketPath, for: keeper, on: loop, description: "extension host"))
        }
        if let calls {
            services.append(
                try SocketService(at: calls.socketPath, for: calls.command, on: loop, description: "calls"))
        }
        // Each worker checks its client's user itself.
        listener = try SocketListener(
            at: socket.number, for: .everybody, hasRoom: { [unowned self] in children.count < self.workersMax },
            on: loop, description: "push socket"
        ) { [unowned self] in start($0) }
    }

    /// Ends all workers, by SIGTERM and if need be SIGKILL, and accepts no more clients. Then calls `done`, and keeps
    /// itself alive until that.
    public func stop(_ done: @escaping () -> Void) {
        stopped = { withExtendedLifetime(self, done) }
        listener?.pause()
        shortage?.cancel()
        unserved = nil
        unsafe unlink(path)
        for pid in children.keys { end(pid) }
        leaveIfIdle()
    }

    private func start(_ connection: consuming OwnedDescriptor) {
        var command = worker
        command.streams[STDIN_FILENO] = .descriptor(connection.number)
        command.streams[STDOUT_FILENO] = .descriptor(connection.number)
        do throws(SystemError) {
            try run(command, isTidier: false, timeMax: lifetimeMax)
        } catch {
            unserved = consume connection
            listener?.pause()
            shortage = loop.schedule(at: loop.now + Self.shortageDelay, description: "push socket") { [weak self] in
                self?.resume()
            }
        }
    }

    private func run(_ command: ChildCommand, isTidier: Bool, timeMax: TimeSpan) throws(SystemError) {
        var command = command
        command.leadsGroup = true
        let child = try ChildProcess(command)
        let pid = child.pid
        try loop.onExit(of: child, description: "worker") { [weak self] in self?.ended(pid, $0) }
        let end = loop.schedule(at: loop.now + timeMax, description: "worker") { [weak self] in self?.end(pid) }
        children[pid] = Running(child: child, isTidier: isTidier, end: end)
    }

    private func resume() {
        guard stopped == nil else { return }
        if let connection = unserved.take() { start(connection) }
        if unserved == nil { listener?.resume() }
    }

    private func end(_ pid: Int32) {
        guard let child = children[pid]?.child else { return }
        try? child.signal(SIGTERM)
        children[pid]?.end.cancel()
        children[pid]?.end = loop.schedule(at: loop.now + Self.stopPatience, description: "worker") {
            try? child.signal(SIGKILL)
        }
    }

    private func ended(_ pid: Int32, _ exit: ChildExit) {
        guard let child = children.removeValue(forKey: pid) else { return }
        child.end.cancel()
        // A tidier began too early for workers that died while it ran: run another one.
        if child.isTidier ? isTidyingDue : !Self.goodExits.contains(exit) { tidy() }
        resume()
        leaveIfIdle()
    }

    /// Records the missed calls of workers that died; one run covers all that died before it began.
    private func tidy() {
        guard stopped == nil else { return }
        isTidyingDue = children.values.contains { $0.isTidier }
        guard !isTidyingDue else { return }
        var command = worker
        command.arguments = ["--tidy"]
        command.streams[STDIN_FILENO] = .null
        command.streams[STDOUT_FILENO] = .null
        // Fails if processes have run out: the next worker that dies is as good an occasion.
        try? run(command, isTidier: true, timeMax: Self.tidyingMax)
    }

    private func leaveIfIdle() {
        guard children.isEmpty, let stopped = stopped.take() else { return }
        // These end last, since workers wait for them.
        end(services[...], stopped)
    }

    private func end(_ services: ArraySlice<SocketService>, _ done: @escaping () -> Void) {
        guard let first = services.first else { return done() }
        first.stop { self.end(services.dropFirst(), done) }
    }
}
