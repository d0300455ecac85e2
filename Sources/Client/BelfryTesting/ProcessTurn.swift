package import BelfryEventLoop
import BelfrySyscalls
package import BelfryTerms

/// Which test has the turn in this process. Code on threads that it made itself cannot be assigned to a test, so tests
/// of extensions and of apps run one after the other, in the order in which they came.
package final class ProcessTurn: Sendable {
    /// The turns of this process.
    package static let ofProcess = ProcessTurn()
    /// How long one test may hold the turn before the waiting tests give up. Far longer than a budget: Swift Testing
    /// begins all tests before it lets one go on, and on a slow machine each wait of the test that has the turn takes
    /// that long.
    package static let patience = TimeSpan.seconds(1_800)

    /// Whether the task has the turn: then it cannot wait for another one.
    @TaskLocal package static var isMine = false

    private struct State {
        /// The test that has the turn, for people.
        var holder: String?
        var waiting: [(id: Int, name: String, continuation: CheckedContinuation<Bool, Never>)] = []
        /// The ids that gave up before they began to wait.
        var givenUp: Set<Int> = []
        var lastID = 0
        var passes = 0
    }

    private let state = LockedValue(State())

    /// Turns, of which none is taken.
    package init() {}

    /// The test that has the turn; nil if none has it.
    package var holder: String? { state.withLock { $0.holder } }
    /// How often the turn was passed on.
    package var passes: Int { state.withLock { $0.passes } }

    /// A number to wait with.
    package func makeID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Waits for the turn; false if the task was cancelled or ``giveUp(_:)`` called before it came.
    package func take(_ id: Int, as name: String) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isMine: Bool? = state.withLock { state in
                    if state.givenUp.remove(id) != nil { return false }
                    guard state.holder != nil else {
                        state.holder = name
                        return true
                    }
                    state.waiting.append((id, name, continuation))
                    return nil
                }
                if let isMine { continuation.resume(returning: isMine) }
            }
        } onCancel: {
            giveUp(id)
        }
    }

    /// Waits for the turn, as `holder`; gives up if the queue does not move for `patience`.
    ///
    /// - Parameter loop: that of the calling thread.
    package func take(
        as holder: String, patience: TimeSpan, on loop: Loop, isolation: isolated (any Actor)? = #isolation
    ) async throws(BellError) {
        guard !Self.isMine else {
            throw BellError(
                .notServed, "this test has an app or an extension in its process already: one at a time runs there")
        }
        let id = makeID()
        let watch = TurnWatch(id, of: self, patience, on: loop)
        let isTaken = await take(id, as: holder)
        watch.end()
        guard !isTaken else { return }
        throw BellError(
            .notServed,
            "one app or extension at a time runs in a process, and that of \(self.holder ?? "none") still does")
    }

    /// Ends the wait of `id`, also before it has begun.
    package func giveUp(_ id: Int) {
        let continuation = state.withLock { state in
            let place = state.waiting.firstIndex { $0.id == id }
            if place == nil { state.givenUp.insert(id) }
            return place.map { state.waiting.remove(at: $0).continuation }
        }
        continuation?.resume(returning: false)
    }

    /// Passes the turn to the test that has waited longest.
    package func pass() {
        let next = state.withLock { state in
            state.passes += 1
            let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            state.holder = next?.name
            return next?.continuation
        }
        next?.resume(returning: true)
    }
}

/// Gives up a wait for the turn once that has not been passed on for too long. It belongs to a loop's thread.
private final class TurnWatch {
    private let id: Int
    private let turn: ProcessTurn
    private let patience: TimeSpan
    private let loop: Loop
    private var timer: (any ScheduledTimer)?

    init(_ id: Int, of turn: ProcessTurn, _ patience: TimeSpan, on loop: Loop) {
        (self.id, self.turn, self.patience, self.loop) = (id, turn, patience, loop)
        watch()
    }

    func end() { timer?.cancel() }

    private func watch() {
        let passes = turn.passes
        timer = loop.schedule(at: loop.now + patience, description: "turn") { [self] in
            // If the turn was passed on in the meantime, the queue moves: wait on.
            if turn.passes == passes { turn.giveUp(id) } else { watch() }
        }
    }
}
