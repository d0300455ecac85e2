import BelfryAppGroup
import BelfryPropertyList
import BelfryTerms

/// The file in which an app's notification centre is kept, with its lock, its patience and its atomic replacement, and
/// the queue on which it is read and written.
final class CenterFile: @unchecked Sendable {
    private let queue = DispatchQueue(label: "belfry.notification-center")
    /// Touched on the queue alone; nil if there is no place for state.
    private lazy var file = HostDoor.file(in: "centers")

    /// Calls `action` on the queue.
    func perform(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }

    /// Calls `body` on the queue with what is known now.
    func read(_ body: @escaping @Sendable (CenterState) -> Void) { queue.async { body(self.current()) } }

    /// What is known now.
    func state() async -> CenterState {
        await withCheckedContinuation { continuation in read { continuation.resume(returning: $0) } }
    }

    /// Changes what is known, and then calls `done` on the queue.
    func change(
        _ body: @escaping @Sendable (inout CenterState) -> Void, then done: @escaping @Sendable () -> Void = {}
    ) {
        queue.async {
            self.write(body)
            done()
        }
    }

    /// Changes what is known.
    func changeAndWait(_ body: @escaping @Sendable (inout CenterState) -> Void) async {
        await withCheckedContinuation { continuation in change(body) { continuation.resume() } }
    }

    /// Waits until everything so far is done.
    func finish() { queue.sync {} }

    private func current() -> CenterState {
        var state = CenterState(file?.snapshot().root ?? [:])
        state.settle(at: Date())
        return state
    }

    private func write(_ body: @escaping (inout CenterState) -> Void) {
        let transaction = file?.transactBlocking { edit in
            var state = CenterState(edit.root)
            state.settle(at: Date())
            body(&state)
            state.write(to: &edit.root)
        }
        transaction.map(HostDoor.report)
    }
}
