import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Glibc

/// Something a played loop is waiting for.
final class PlayedWatch: ScheduledTimer, LoopWatch {
    private let process: PlayedProcess
    private var action: (() -> Void)?
    private let isDue: () -> Bool
    private let ended: (PlayedWatch) -> Void
    private var isComing = false
    private let description: String

    /// Calls `action` when it was told that it is ready, if `isDue` says so by then, and again as long as it says so.
    init(
        _ process: PlayedProcess, _ description: String, isDue: @escaping () -> Bool = { false },
        ended: @escaping (PlayedWatch) -> Void,
        action: @escaping () -> Void
    ) {
        self.process = process
        self.description = description
        self.isDue = isDue
        self.ended = ended
        self.action = action
        process.sources[description, default: 0] += 1
    }

    func cancel() {
        guard action != nil else { return }
        action = nil
        process.sources[description, default: 0] -= 1
        ended(self)
    }

    /// Something happened: the process hears of it in a while.
    func isReady() {
        guard action != nil, !isComing else { return }
        isComing = true
        process.machine.time.after(process.reaction()) { [self] in process.perform { self.fire() } }
    }

    private func fire() {
        isComing = false
        action?()
        if isDue() { isReady() }
    }
}

/// The loop of a process of the played machine.
final class PlayedLoop: EventLoop {
    private let process: PlayedProcess
    private var machine: Machine { process.machine }

    init(_ process: PlayedProcess) { self.process = process }

    private final class Timer: ScheduledTimer {
        private let process: PlayedProcess
        private let description: String
        private var action: (() -> Void)?

        init(_ process: PlayedProcess, _ description: String, _ action: @escaping () -> Void) {
            (self.process, self.description, self.action) = (process, description, action)
            process.sources[description, default: 0] += 1
        }

        func cancel() {
            guard action != nil else { return }
            action = nil
            process.sources[description, default: 0] -= 1
        }

        func fire() {
            let action = action
            cancel()
            action?()
        }
    }

    var now: Instant { machine.bootTime }

    func schedule(at instant: Instant, description: String, _ action: @escaping () -> Void) -> any ScheduledTimer {
        let timer = Timer(process, description, action)
        let due = max(machine.simulated(instant), machine.time.now)
        machine.time.at(due + process.latency) { [process] in process.perform { timer.fire() } }
        return timer
    }

    @discardableResult
    func afterThis(description: String, _ action: @escaping () -> Void) -> any ScheduledTimer {
        let timer = Timer(process, description, action)
        machine.time.after(10) { [process] in process.perform { timer.fire() } }
        return timer
    }

    func watch(
        descriptor: Int32, events: Readiness, description: String, _ action: @escaping (Readiness) -> Void
    ) throws(SystemError) -> PlayedWatch {
        guard let socket = machine.files[descriptor]?.socket else {
            throw SystemError(errno: EIO, call: "epoll_ctl", subject: description)
        }
        let watch = PlayedWatch(process, description) {
            socket.isReadable
        } ended: { [weak socket] watch in
            socket?.watches.removeAll { $0 === watch }
        } action: {
            if socket.isReadable { action(.readable) }
        }
        socket.watches.append(watch)
        if socket.isReadable { watch.isReady() }
        return watch
    }

    func watchDirectory(
        _ directory: Int32, description: String, _ action: @escaping () -> Void
    ) throws(SystemError) -> PlayedWatch {
        guard let node = machine.files[directory]?.node else {
            throw SystemError(errno: EIO, call: "F_NOTIFY", subject: description)
        }
        let watch = PlayedWatch(process, description) { [weak node] watch in
            node?.watches.removeAll { $0 === watch }
        } action: {
            action()
        }
        node.watches.append(watch)
        return watch
    }

    @discardableResult
    func onDeath(
        of other: ProcessIdentity, description: String, _ action: @escaping () -> Void
    ) throws(SystemError) -> PlayedWatch {
        let watched = machine.processes.last { $0.identity == other && $0.isAlive }
        let watch = PlayedWatch(process, description) { [weak watched] watch in
            watched?.deathWatches.removeAll { $0 === watch }
        } action: {
            action()
        }
        if let watched { watched.deathWatches.append(watch) } else { watch.isReady() }
        return watch
    }

    func run() { preconditionFailure("a played process never waits for its own loop") }

    func stop() {}
}
