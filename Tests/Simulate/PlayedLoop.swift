import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support

/// Something a played loop is waiting for: once, if it is a timer.
final class PlayedWatch: ScheduledTimer, LoopWatch {
    private let process: PlayedProcess
    private var action: (() -> Void)?
    private let isDue: () -> Bool
    private let ended: (PlayedWatch) -> Void
    private var isComing = false
    private let description: String

    /// Calls `action` when it was told that it is ready, and again as long as `isDue` says so.
    init(
        _ process: PlayedProcess, _ description: String, isDue: @escaping () -> Bool = { false },
        ended: @escaping (PlayedWatch) -> Void = { _ in }, action: @escaping () -> Void
    ) {
        (self.process, self.description, self.isDue) = (process, description, isDue)
        (self.ended, self.action) = (ended, action)
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
        process.machine.time.after(process.reaction()) { [self] in
            process.perform { [self] in
                isComing = false
                action?()
                if isDue() { isReady() }
            }
        }
    }

    /// Calls `action` once, after so many microseconds.
    fileprivate func fires(after microseconds: Int64) {
        process.machine.time.after(microseconds) { [self] in
            process.perform { [self] in
                let action = action
                cancel()
                action?()
            }
        }
    }
}

/// The loop of a process of the played machine.
final class PlayedLoop: EventLoop {
    private let process: PlayedProcess
    private var machine: Machine { process.machine }
    init(_ process: PlayedProcess) { self.process = process }
    var now: Instant { machine.bootTime }

    func schedule(at instant: Instant, description: String, _ action: @escaping () -> Void) -> any ScheduledTimer {
        let timer = PlayedWatch(process, description, action: action)
        timer.fires(after: max(machine.simulated(instant) - machine.time.now, 0) + process.latency)
        return timer
    }

    @discardableResult
    func afterThis(description: String, _ action: @escaping () -> Void) -> any ScheduledTimer {
        let timer = PlayedWatch(process, description, action: action)
        timer.fires(after: 10)
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
        let ended = { [weak node] (watch: PlayedWatch) -> Void in node?.watches.removeAll { $0 === watch } }
        let watch = PlayedWatch(process, description, ended: ended, action: action)
        node.watches.append(watch)
        return watch
    }

    @discardableResult
    func onDeath(
        of other: ProcessIdentity, description: String, _ action: @escaping () -> Void
    ) throws(SystemError) -> PlayedWatch {
        let watched = machine.processes.last { $0.identity == other && $0.isAlive }
        let ended = { [weak watched] (watch: PlayedWatch) -> Void in watched?.deathWatches.removeAll { $0 === watch } }
        let watch = PlayedWatch(process, description, ended: ended, action: action)
        if let watched { watched.deathWatches.append(watch) } else { watch.isReady() }
        return watch
    }

    func run() { preconditionFailure("a played process never waits for its own loop") }
    func stop() {}
}
