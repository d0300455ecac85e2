import BelfryEventLoop
import BelfryEventLoopExecutor
import BelfryTerms
import Glibc
import Support
import Synchronization
import Testing

/// Swift's tasks on the loop, with a test for each trap that was measured with Swift 6.3.1: under the one policy
/// (preference for every root task, all jobs run for both executors) nothing leaves the loop's thread.
@Suite struct LoopExecutorTests {
    /// A bare `Task {}` in an async `main` never runs while the thread sits in the loop; one with the preference does.
    @Test func aRootTaskWithThePreferenceRunsOnTheLoop() throws {
        let loop = try Loop()
        #expect(loop.runUntilReturned { $0.loop.isOnLoop })
    }

    @Test func everySuspensionResumesOnTheLoop() throws {
        let loop = try Loop()
        let strays = loop.runUntilReturned { executor -> [String] in
            var strays: [String] = []
            func check(_ name: String) { if !executor.isOnLoop { strays.append(name) } }
            await withCheckedContinuation { continuation in
                PosixThread { continuation.resume() }.join()
            }
            check("continuation from a foreign thread")
            let (stream, feed) = AsyncStream<Int>.makeStream()
            feed.yield(1)
            let feeder = PosixThread {
                feed.yield(2)
                feed.finish()
            }
            for await _ in stream { check("stream") }
            feeder.join()
            check("stream's end")
            async let child = executor.isOnLoop
            if await !child { strays.append("async let") }
            check("after async let")
            let group = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { executor.isOnLoop } }
                return await group.reduce(true) { $0 && $1 }
            }
            if !group { strays.append("group's children") }
            check("after a group")
            if await !concurrently({ executor.isOnLoop }) { strays.append("@concurrent") }
            check("after @concurrent")
            await Task.yield()
            check("yield")
            _ = await Task(executorPreference: executor) { 1 }.value
            check("value of another task")
            return strays
        }
        #expect(strays.isEmpty)
    }

    /// Unstructured tasks do not inherit the preference: should this ever fail, the rule can be relaxed.
    @Test func anUnstructuredTaskWithoutThePreferenceLeavesTheLoop() async {
        // The loop has a thread of its own: the task needs one of those that tests run on, which may be two.
        var thread: PosixThread?
        let isOnLoop = await withCheckedContinuation { continuation in
            thread = PosixThread {
                let isOnLoop = (try? Loop())?.runUntilReturned { executor in await Task { executor.isOnLoop }.value }
                continuation.resume(returning: isOnLoop)
            }
        }
        thread?.join()
        #expect(isOnLoop == false)
    }

    /// Run by `runSynchronously(on:)` instead, 1,000 calls from actor to actor cost 2,000 enqueueings. A call out of no
    /// actor at all costs one.
    @Test func callsAmongActorsOfTheSameLoopCostNoEnqueueing() throws {
        let loop = try Loop()
        let (count, cost) = loop.runUntilReturned { executor in
            let (first, second) = (Counter(executor), Counter(executor))
            let cost = await first.incrementing(second, times: 1_000)
            return (await second.value, cost)
        }
        #expect(count == 1_000)
        #expect(cost == 0)
    }

    /// A merged fix (swift#88157) concerns code that resumed off its isolation here; it could not be provoked, yet stay
    /// tested.
    @Test func anActorIsStillIsolatedAfterAContinuation() throws {
        let loop = try Loop()
        let isIsolated = loop.runUntilReturned { executor in await Counter(executor).isIsolatedAfterContinuations() }
        #expect(isIsolated)
    }

    /// The way from a C call back to an actor's state: no task, no hop.
    @Test func aCallBackOfTheLoopMayAssumeTheActorsIsolation() throws {
        let loop = try Loop()
        let counter = Counter(LoopExecutor(loop))
        for _ in 0..<3 {
            _ = loop.schedule(at: loop.now, description: "call back") {
                counter.assumeIsolated { $0.increment() }
            }
        }
        loop.runUntilIdle()
        #expect(counter.assumeIsolated { $0.value } == 3)
    }

    @Test func offTheLoopThatAssumptionTraps() async {
        await #expect(processExitsWith: .failure) {
            let loop = try Loop()
            let counter = Counter(LoopExecutor(loop))
            PosixThread { counter.assumeIsolated { $0.increment() } }.join()
        }
    }

    /// Where a call back must await, `Task.immediate` begins in it.
    @Test func animmediateTaskBeginsInsideTheCallBackAndGoesOnOnTheLoop() throws {
        let loop = try Loop()
        let executor = LoopExecutor(loop)
        let steps = Steps()
        _ = loop.schedule(at: loop.now, description: "call back") {
            Task.immediate(executorPreference: executor) {
                steps.add("begun")
                try? await executor.pause(until: executor.loop.now)
                steps.add(executor.isOnLoop ? "on the loop" : "astray")
            }
            steps.add("returned")
        }
        while steps.all.count < 3 { loop.runUntilIdle() }
        #expect(steps.all == ["begun", "returned", "on the loop"])
    }

    /// sd-event stays fed while tasks enqueue each other without end.
    @Test func tasksThatNeverRestDoNotStarveTimers() throws {
        let loop = try Loop()
        let executor = LoopExecutor(loop)
        let task = Task(executorPreference: executor) {
            while !Task.isCancelled { await Task.yield() }
        }
        var ticks = 0
        func tick() {
            _ = loop.schedule(at: loop.now, description: "tick") {
                ticks += 1
                if ticks == 20 { loop.stop() } else { tick() }
            }
        }
        tick()
        loop.run()
        task.cancel()
        loop.runUntilIdle()
        #expect(ticks == 20)
    }

    @Test func resumingATaskAfterItsLoopHasEndedTraps() async {
        await #expect(processExitsWith: .failure) {
            var loop: Loop? = try Loop()
            let executor = LoopExecutor(loop!)
            loop = nil
            Task(executorPreference: executor) {}
        }
    }

    @concurrent private func concurrently(_ body: @Sendable () -> Bool) async -> Bool { body() }
}

/// Pauses and threads of their own.
@Suite struct LoopExecutorPauseTests {
    @Test func aPauseEndsOnTheLoopAndNeverEarly() throws {
        let loop = try Loop()
        let (late, isOnLoop) = loop.runUntilReturned { executor in
            let due = executor.loop.now + .milliseconds(5)
            try? await executor.pause(until: due)
            return (executor.loop.now - due, executor.isOnLoop)
        }
        #expect(late >= .zero)
        #expect(isOnLoop)
    }

    @Test func aCancelledPauseThrowsAtOnceAlsoIfItWasCancelledBefore() throws {
        let loop = try Loop()
        let start = loop.now
        let thrown = loop.runUntilReturned { executor in
            let task = Task(executorPreference: executor) {
                do {
                    try await executor.pause(until: start + .seconds(3_600))
                    return false
                } catch {
                    return error is CancellationError
                }
            }
            try? await executor.pause(until: executor.loop.now + .milliseconds(1))
            task.cancel()
            let first = await task.value
            let second = Task(executorPreference: executor) { () -> Bool in
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                do {
                    try await executor.pause(until: start + .seconds(3_600))
                    return false
                } catch {
                    return error is CancellationError
                }
            }
            return (first, await second.value)
        }
        #expect(thrown == (true, true))
        #expect(loop.now - start < .seconds(60))
    }

    @Test func aThreadOfItsOwnServesManyTasksAndEndsWithItsExecutor() async throws {
        var executor: LoopExecutor? = try LoopExecutor.onOwnThread()
        weak let held = executor
        let counter = Counter(try #require(executor))
        await withTaskGroup { group in
            for _ in 0..<100 { group.addTask { await counter.increment() } }
        }
        #expect(await counter.value == 100)
        executor = nil
        _ = counter
        #expect(held != nil)
    }
}

extension LoopExecutor {
    fileprivate var isOnLoop: Bool { isIsolatingCurrentContext() == true }
}

extension Loop {
    /// Runs until `body`, a task on this loop, has returned; what it returned.
    fileprivate func runUntilReturned<Success: Sendable>(
        _ body: @escaping @Sendable (LoopExecutor) async -> Success
    ) -> Success {
        let executor = LoopExecutor(self)
        let answer = Answer<Success>()
        Task(executorPreference: executor) {
            let value = await body(executor)
            answer.value.withLock { $0 = value }
            executor.loop.stop()
        }
        while true {
            run()
            // Something else may have stopped the loop first.
            if let value = answer.value.withLock({ $0 }) { return value }
        }
    }
}

/// What a task returned.
private final class Answer<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}

/// An actor on a loop.
private actor Counter {
    private(set) var value = 0
    private let executor: LoopExecutor

    init(_ executor: LoopExecutor) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    func increment() {
        preconditionIsolated()
        value += 1
    }

    /// How many enqueueings that cost.
    func incrementing(_ other: Counter, times count: Int) async -> Int {
        let before = executor.enqueuedCount
        for _ in 0..<count { await other.increment() }
        return executor.enqueuedCount - before
    }

    func isIsolatedAfterContinuations() async -> Bool {
        for _ in 0..<20 {
            await withCheckedContinuation { continuation in PosixThread { continuation.resume() }.join() }
            guard executor.isOnLoop else { return false }
            await withCheckedContinuation { $0.resume() }
            guard executor.isOnLoop else { return false }
        }
        return true
    }
}

/// What happened, in order.
private final class Steps: Sendable {
    private let steps = Mutex<[String]>([])

    var all: [String] { steps.withLock { $0 } }

    func add(_ step: String) { steps.withLock { $0.append(step) } }
}
