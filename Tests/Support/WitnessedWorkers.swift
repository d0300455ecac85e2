import BelfryConfinement
import BelfryJSON
import BelfrySyscalls
import CBelfryLinux
import Glibc
import Synchronization

/// A push socket whose real workers are overheard: what each writes goes to its client, if that still listens, and how
/// often each notification was taken and rang is counted.
public final class WitnessedWorkers: Sendable {
    private struct Heard {
        var begunCount = 0
        var taken: [String: Int] = [:]
        var rung: [String: Int] = [:]
        /// Threads that have ended, to be joined.
        var ended: [Int] = []
    }

    private let listener: Int32
    private let environment: [String: String]
    private let heard = Mutex(Heard())
    private let accepting = Mutex<PosixThread?>(nil)
    /// An eventfd, which is never full.
    private let news: OwnedDescriptor

    /// Listens at `path`; workers have `environment`.
    public init(at path: String, environment: [String: String]) throws {
        self.environment = environment
        // Three for each of hundreds of workers; a user has 1,024.
        try ResourceLimit.descriptors.raise(to: 4_096)
        news = OwnedDescriptor(owning: try checked("eventfd") { eventfd(0, Int32(EFD_CLOEXEC)) })
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        try bindUnixSocket(listener, to: path)
        precondition(listen(listener, 256) == 0)
        let thread = PosixThread { [unowned self] in acceptAll() }
        accepting.withLock { $0 = thread }
    }

    /// Ends after its workers.
    public func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        accepting.withLock { $0.take() }?.join()
        close(listener)
    }

    /// How many workers have been begun.
    public var begunCount: Int { heard.withLock { $0.begunCount } }

    /// How many notifications were taken, each counted once.
    public var takenCount: Int { heard.withLock { $0.taken.count } }

    /// How often each notification was taken, by its id.
    public var taken: [String: Int] { heard.withLock { $0.taken } }

    /// How often each call rang, by its id.
    public var rung: [String: Int] { heard.withLock { $0.rung } }

    /// Waits until a worker has begun or told something since this was called last; false if none does for two minutes.
    public func waitForNews() -> Bool {
        var request = pollfd(fd: news.number, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, 120_000) == 1 else { return false }
        var count: UInt64 = 0
        return unsafe read(news.number, &count, 8) == 8
    }

    private func acceptAll() {
        var threads: [Int: PosixThread] = [:]
        var number = 0
        while true {
            let connection = accept4(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
            guard connection >= 0 else {
                // As ``stop()`` has it.
                precondition(errno == EINVAL, "accept4: errno \(errno)")
                break
            }
            number += 1
            threads[number] = PosixThread { [unowned self, number] in
                serve(connection)
                heard.withLock { $0.ended.append(number) }
            }
            let ended = heard.withLock { heard in
                defer { heard.ended = [] }
                return heard.ended
            }
            for number in ended { threads.removeValue(forKey: number)?.join() }
        }
        for thread in threads.values { thread.join() }
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        guard let output = try? DescriptorPair.pipe() else { return }
        var command = ChildCommand(path: testedProgram("belfry-worker"), environment: environment)
        command.streams = [0: .descriptor(connection), 1: .descriptor(output.writing.number)]
        guard let child = try? ChildProcess(command) else { return }
        output.writing.close()
        note { $0.begunCount += 1 }
        let lines = LineReader(output.reading)
        var hasRung = false
        while let line = lines.next(within: 120_000) {
            ScriptedWorker.write("\(line)\n", to: connection)
            guard case .object(let event)? = try? JSONValue.parse(Array(line.utf8)) else { continue }
            switch event["event"]?.stringValue {
            case "received": note { $0.taken[event["id"]?.stringValue ?? "", default: 0] += 1 }
            // The same worker says it again as its ring becomes loud (R10).
            case "ringing" where !hasRung:
                hasRung = true
                note { $0.rung[event["call"]?.stringValue ?? "", default: 0] += 1 }
            default: break
            }
        }
        _ = try? child.waitUntilExit()
    }

    private func note(_ change: (inout Heard) -> Void) {
        heard.withLock { change(&$0) }
        var one: UInt64 = 1
        _ = unsafe write(news.number, &one, 8)
    }
}
