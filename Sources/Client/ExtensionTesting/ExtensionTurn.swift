import BelfrySyscalls

/// Which test has the turn in this process. Code on threads that it made itself cannot be assigned to a test, so tests
/// of extensions run one after the other, in the order in which they came.
final class ExtensionTurn: Sendable {
    /// The turns of this process.
    static let ofProcess = ExtensionTurn()

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

    /// The test that has the turn; nil if none has it.
    var holder: String? { state.withLock { $0.holder } }
    /// How often the turn was passed on.
    var passes: Int { state.withLock { $0.passes } }

    /// A number to wait with.
    func makeID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Waits for the turn; false if the task was cancelled or ``giveUp(_:)`` called before it came.
    func take(_ id: Int, as name: String) async -> Bool {
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

    /// Ends the wait of `id`, also before it has begun.
    func giveUp(_ id: Int) {
        let continuation = state.withLock { state in
            let place = state.waiting.firstIndex { $0.id == id }
            if place == nil { state.givenUp.insert(id) }
            return place.map { state.waiting.remove(at: $0).continuation }
        }
        continuation?.resume(returning: false)
    }

    /// Passes the turn to the test that has waited longest.
    func pass() {
        let next = state.withLock { state in
            state.passes += 1
            let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            state.holder = next?.name
            return next?.continuation
        }
        next?.resume(returning: true)
    }
}
