import BelfryAppGroup
import BelfryPropertyList
import BelfryTerms

/// The files of apps' notification centres, and the queue on which they are read and written, with locks, waiting and
/// atomic replacement. A process uses one file, unless tests run in it.
final class CenterFile: @unchecked Sendable {
    private let queue = DispatchQueue(label: "belfry.notification-center")
    /// The file that was used last; touched only on the queue.
    private var last: GroupFile?

    /// Calls `action` on the queue.
    func perform(_ action: @escaping @Sendable () -> Void) { KeeperDoor.current.run(on: queue, action) }

    /// Calls `body` on the queue with the current state.
    func read(_ body: @escaping @Sendable (CenterState) -> Void) { perform { body(self.current()) } }

    /// The current state.
    func state() async -> CenterState {
        await withCheckedContinuation { continuation in read { continuation.resume(returning: $0) } }
    }

    /// Changes the state, and then calls `done` on the queue.
    func change(
        _ body: @escaping @Sendable (inout CenterState) -> Void, then done: @escaping @Sendable () -> Void = {}
    ) {
        perform {
            self.write(body)
            done()
        }
    }

    /// Changes the state, and waits for it.
    func changeAndWait(_ body: @escaping @Sendable (inout CenterState) -> Void) async {
        await withCheckedContinuation { continuation in change(body) { continuation.resume() } }
    }

    /// Waits until everything that was asked for so far is done.
    func finish() { queue.sync {} }

    /// The file of the calling code; nil if there is no place for its state.
    private var file: GroupFile? {
        let file = KeeperDoor.file(in: "centers")
        if file?.path != last?.path { last = file }
        return last
    }

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
        transaction.map(KeeperDoor.report)
    }
}
