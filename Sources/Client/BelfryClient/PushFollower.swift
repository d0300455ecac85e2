import BelfryEventLoopExecutor
import BelfryPush

/// Follows the notifications of a session, on its loop.
actor PushFollower {
    /// Names one notification of a session.
    final class Token: Sendable {}

    /// Where the lines of one notification go.
    typealias Continuation = AsyncThrowingStream<PushConnection.Line, any Error>.Continuation

    private nonisolated let executor: LoopExecutor
    private var connections: [ObjectIdentifier: PushConnection] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// A follower on the loop of `executor`.
    init(_ executor: LoopExecutor) { self.executor = executor }

    /// Pushes `bytes` to `socket` soon, and yields each line of the answer to `continuation`.
    nonisolated func push(_ bytes: [UInt8], to socket: PushSocket, _ token: Token, _ continuation: Continuation) {
        // With the loop as preference, or the task would bounce through the global pool's threads.
        Task(executorPreference: executor) { await self.follow(bytes, socket, token, continuation) }
    }

    /// Stops following a notification whose events are no longer read; it is pushed all the same.
    nonisolated func leave(_ token: Token) {
        Task(executorPreference: executor) { await self.stopFollowing(token) }
    }

    private func follow(_ bytes: [UInt8], _ socket: PushSocket, _ token: Token, _ continuation: Continuation) {
        do throws(PushError) {
            connections[ObjectIdentifier(token)] = try PushConnection(
                to: socket, sending: bytes, on: executor.loop,
                onLine: { line in
                    if case .enqueued = continuation.yield(line) { return }
                    // The buffer is full, or the reader is gone: no further line would be read.
                    let detail = "more than \(PushedNotification.linesMax) events wait to be read"
                    continuation.finish(throwing: PushError(.endedEarly, detail))
                    self.stopFollowing(token)
                },
                onEnd: { error in
                    self.connections[ObjectIdentifier(token)] = nil
                    continuation.finish(throwing: error)
                })
        } catch {
            continuation.finish(throwing: error)
        }
    }

    private func stopFollowing(_ token: Token) { connections[ObjectIdentifier(token)]?.leave() }
}
