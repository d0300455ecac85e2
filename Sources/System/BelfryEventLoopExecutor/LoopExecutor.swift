public import BelfryEventLoop
public import BelfryTerms
import Synchronization

/// Runs Swift's tasks and actors on a loop's thread.
///
/// For the public async edges; the worker is driven synchronously and does not link this. One policy holds: start each
/// root task with this preference, `Task(executorPreference: executor)`, and isolate actors by it. A task without the
/// preference bounces through the global pool's threads at each resumption, and `Task.sleep` does so always: use
/// ``pause(until:)``.
public final class LoopExecutor: TaskExecutor, SerialExecutor {
    private let poster: LoopPoster
    private let access: LoopAccess
    private let endsLoop: Bool
    private let queue = Mutex(Queue())

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
        // The loop takes what is there when it comes round: one message for many jobs.
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
        // One policy for all jobs: told both executors, an actor's call on the same loop costs no enqueueing at all.
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
