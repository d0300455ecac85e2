public import BootTime
internal import EventLoop

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
