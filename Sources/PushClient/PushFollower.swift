import EventLoop
import EventLoopExecutor

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

    /// Pushes `bytes` to `socket` soon, and tells `continuation` what comes.
    nonisolated func push(_ bytes: [UInt8], to socket: PushSocket, _ token: Token, _ continuation: Continuation) {
        // With the loop as preference, or the task would bounce through the global pool's threads.
        Task(executorPreference: executor) { await self.follow(bytes, socket, token, continuation) }
    }

    /// Leaves a notification that nobody reads any more.
    nonisolated func leave(_ token: Token) {
        Task(executorPreference: executor) { await self.cancel(token) }
    }

    private func follow(_ bytes: [UInt8], _ socket: PushSocket, _ token: Token, _ continuation: Continuation) {
        do throws(PushError) {
            connections[ObjectIdentifier(token)] = try PushConnection(
                to: socket, sending: bytes, on: executor.loop,
                onLine: { line in
                    if case .enqueued = continuation.yield(line) { return }
                    // Full, or nobody reads any more: whatever else comes would be read for nobody.
                    self.cancel(token)
                    let detail = "more than \(PushedNotification.linesMax) events wait to be read"
                    continuation.finish(throwing: PushError(.endedEarly, detail))
                },
                onEnd: { error in
                    self.connections[ObjectIdentifier(token)] = nil
                    continuation.finish(throwing: error)
                })
        } catch {
            continuation.finish(throwing: error)
        }
    }

    private func cancel(_ token: Token) { connections.removeValue(forKey: ObjectIdentifier(token))?.cancel() }
}
