import BelfrySyscalls
import Support
import Synchronization

/// Runs many seeds on four threads, two for each processor that there is at least: each waits while a played process
/// that can stand still is run on a `Strand`.
final class Search: Sendable {
    /// How it goes: how many seeds were run, the first that failed, and what was seen how often.
    struct State {
        fileprivate var next: UInt64
        fileprivate(set) var done = 0
        fileprivate(set) var failing: UInt64?
        fileprivate(set) var seen: [String: Int] = [:]
    }

    private let state: Mutex<State>
    private let meets: Bool
    private let end: UInt64
    private let deadline: Int64

    /// Runs the plans of the seeds from `start` on, `count` of them, for so many seconds at most; stops at the first
    /// that fails.
    init(from start: UInt64, count: UInt64, seconds: Int64, meets: Bool) {
        self.meets = meets
        state = Mutex(State(next: start))
        end = start.addingReportingOverflow(count).partialValue
        deadline = seconds == 0 ? .max : bootTimeMicroseconds() + seconds * 1_000_000
    }

    func run() -> State {
        let threads = (0..<4).map { _ in PosixThread { [self] in while let seed = next() { run(seed) } } }
        for thread in threads { thread.join() }
        return state.withLock(\.self)
    }

    private func next() -> UInt64? {
        guard bootTimeMicroseconds() < deadline else { return nil }
        return state.withLock { state in
            guard state.failing == nil, state.next != end else { return nil }
            defer { state.next &+= 1 }
            return state.next
        }
    }

    private func run(_ seed: UInt64) {
        let world = World(Plan(seed: seed, meets: meets))
        let mistake = world.run()
        let seen = world.oracle.seen
        state.withLock { state in
            state.done += 1
            if mistake != nil { state.failing = min(seed, state.failing ?? .max) }
            state.seen.merge(seen) { $0 + $1 }
        }
    }
}
