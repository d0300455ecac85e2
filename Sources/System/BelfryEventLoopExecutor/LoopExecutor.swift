// A module of its own, apart from the loop's: importing it links Swift's concurrency runtime, which the worker must not
// load at each of its starts.
public import BelfryEventLoop
public import BelfrySyscalls
public import BelfryTerms
import Glibc

/// Runs Swift's tasks and actors on a loop's thread.
///
/// For the public async edges: the worker is driven synchronously. One policy holds: start each
/// root task with this preference, `Task(executorPreference: executor)`, and isolate actors by it. A task without the
/// preference bounces through the global pool's threads at each resumption, and `Task.sleep` does so always: use
/// ``pause(until:)``.
public final class LoopExecutor: TaskExecutor, SerialExecutor {
    private let poster: LoopPoster
    private let access: LoopAccess
    private let endsLoop: Bool
    private let queue = LockedValue(Queue())

    /// An executor over `loop`, made on its thread. It does not keep the loop.
    public convenience init(_ loop: Loop) { self.init(loop, endsLoop: false) }

    /// An executor over `loop`, which it stops as it ends if `endsLoop`.
    init(_ loop: Loop, endsLoop: Bool) {
        loop.assertOnLoop()
        poster = loop.poster
        access = LoopAccess(loop)
        self.endsLoop = endsLoop
    }

    deinit {
        guard endsLoop else { return }
        poster.post { [access] in access.loop.stop() }
    }

    /// The loop, for those that run on it. Traps elsewhere, and once the loop has ended.
    public var loop: Loop { access.loop }

    /// Has `job` run on the loop, with those that are enqueued before it comes round. Traps once the loop has ended.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = queue.withLock { queue in
            queue.jobs.append(job)
            queue.enqueuedCount += 1
            return queue.jobs.count == 1
        }
        guard isFirst else { return }
        // The loop runs all jobs that are queued by then: one message for many jobs.
        let isPosted = poster.post { self.runJobs() }
        precondition(isPosted, "a task was resumed after its loop had ended: it would never run")
    }

    /// Whether the caller is on the loop's thread.
    public func isIsolatingCurrentContext() -> Bool? { access.isOnLoop }

    /// Traps off the loop's thread.
    public func checkIsolated() {
        precondition(access.isOnLoop, "off the loop's own thread")
    }

    /// This executor; two of one loop are two executors.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    /// How many jobs have ever been enqueued: what a hop costs, for tests.
    package var enqueuedCount: Int { queue.withLock { $0.enqueuedCount } }

    /// Has `action` called on the loop with it.
    func onLoop(_ action: @escaping @Sendable (Loop) -> Void) {
        poster.post { [access] in action(access.loop) }
    }

    /// Jobs that are enqueued meanwhile wait for the next iteration, which keeps timers and descriptors fed.
    private func runJobs() {
        let batch = queue.withLock { queue in
            defer { queue.jobs = [] }
            return queue.jobs
        }
        // With both executors given for every job, an actor's call on the same loop costs no enqueueing at all.
        for job in batch {
            unsafe job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(),
                taskExecutor: asUnownedTaskExecutor()
            )
        }
    }
}

/// Jobs that wait for the loop to come round.
private struct Queue: ~Copyable {
    var jobs: [UnownedJob] = []
    var enqueuedCount = 0
}

/// A loop that other threads carry about but only its own thread reaches.
private final class LoopAccess: @unchecked Sendable {
    private weak var weakLoop: Loop?
    private let thread: LoopThread

    init(_ loop: Loop) {
        weakLoop = loop
        thread = LoopThread()
    }

    var isOnLoop: Bool { thread.isCurrent }

    var loop: Loop {
        precondition(isOnLoop, "off the loop's own thread")
        guard let weakLoop else { preconditionFailure("the loop has ended") }
        return weakLoop
    }
}

extension LoopExecutor {
    /// Suspends the task until `instant` of CLOCK_BOOTTIME, 1 µs accuracy, never resuming before it; what `Task.sleep`
    /// is elsewhere, without the global pool that it starts. Throws as soon as the task is cancelled.
    public func pause(until instant: Instant) async throws {
        let pause = Pause()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                onLoop { pause.begin(on: $0, until: instant, continuation) }
            }
        } onCancel: {
            onLoop { _ in pause.cancel() }
        }
    }
}

/// One pause; touched on the loop's thread only.
private final class Pause: @unchecked Sendable {
    private var continuation: CheckedContinuation<Void, any Error>?
    private var timer: (any ScheduledTimer)?
    private var isCancelled = false

    func begin(on loop: Loop, until instant: Instant, _ continuation: CheckedContinuation<Void, any Error>) {
        guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
        self.continuation = continuation
        timer = loop.schedule(at: instant, description: "pause") {
            self.end(.success(()))
        }
    }

    func cancel() {
        isCancelled = true
        end(.failure(CancellationError()))
    }

    private func end(_ result: Result<Void, any Error>) {
        timer?.cancel()
        timer = nil
        continuation?.resume(with: result)
        continuation = nil
    }
}

extension LoopExecutor {
    /// An executor over a loop on a thread of its own, which ends with it. Tasks that prefer it keep it.
    public static func onOwnThread() throws(SystemError) -> LoopExecutor {
        let start = ThreadStart(ready: try DescriptorPair.pipe())
        let box = unsafe Unmanaged.passRetained(start)
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { userdata in
                guard let userdata = unsafe userdata else { return nil }
                unsafe Unmanaged<ThreadStart>.fromOpaque(userdata).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            unsafe box.release()
            throw SystemError(errno: result, call: "pthread_create")
        }
        pthread_detach(thread)
        return try start.waitUntilReady()
    }
}

/// The start of a thread with a loop.
private final class ThreadStart: Sendable {
    private let made = LockedValue<Result<LoopExecutor, SystemError>?>(nil)
    private let ready: DescriptorPair

    init(ready: consuming DescriptorPair) { self.ready = ready }

    /// What the thread does: makes the loop, says so, and runs it until its executor ends.
    func run() {
        do throws(SystemError) {
            let loop = try Loop()
            finish(.success(LoopExecutor(loop, endsLoop: true)))
            loop.run()
        } catch {
            finish(.failure(error))
        }
    }

    func waitUntilReady() throws(SystemError) -> LoopExecutor {
        var byte: UInt8 = 0
        try checked("read") { unsafe read(ready.reading.number, &byte, 1) }
        // Taken out, so that this object does not keep the executor alive.
        guard
            let result = made.withLock({ made in
                defer { made = nil }
                return made
            })
        else { preconditionFailure("a thread said that it was ready before it was") }
        return try result.get()
    }

    private func finish(_ result: Result<LoopExecutor, SystemError>) {
        made.withLock { $0 = result }
        var byte: UInt8 = 1
        let count = unsafe write(ready.writing.number, &byte, 1)
        precondition(count == 1, "writing to a pipe of our own: errno \(errno)")
    }
}
