import BelfryEventLoop
import BelfryEventLoopExecutor
import BelfrySyscalls
import BelfryTerms

/// What comes one after another, each of it kept, and those who wait for some of it: as many as like, at the same time
/// or long after it came.
actor Story<Element: Sendable> {
    /// How it ended.
    enum End: Sendable {
        case done
        case failed(any Error)
    }

    /// What ends a wait.
    enum Outcome: Sendable {
        case met(Element, at: Int)
        case ended
        case tookTooLong
        case cancelled
    }

    private struct Wait {
        let start: Int
        let isMeant: @Sendable (Element) -> Bool
        let timer: (any ScheduledTimer)?
        let continuation: CheckedContinuation<Outcome, Never>
    }

    /// What has come and is still kept.
    private(set) var elements: [Element] = []
    /// How many came before these, and are kept no longer.
    private(set) var forgottenCount = 0
    /// How it ended; nil as long as more may come.
    private(set) var end: End?

    private nonisolated let executor: LoopExecutor
    private let keptMax: Int
    private var waits: [Int: Wait] = [:]
    private var waitsCount = 0

    /// The loop's thread.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// One that keeps the last `keptMax`.
    init(keptMax: Int = .max, on executor: LoopExecutor) {
        self.keptMax = keptMax
        self.executor = executor
    }

    /// How many have come.
    var count: Int { forgottenCount + elements.count }

    func add(_ element: Element) {
        let index = count
        elements.append(element)
        if elements.count > keptMax {
            elements.removeFirst()
            forgottenCount += 1
        }
        for (number, wait) in waits where index >= wait.start && wait.isMeant(element) {
            endWait(number, .met(element, at: index))
        }
    }

    func finish(_ end: End) {
        guard self.end == nil else { return }
        self.end = end
        for number in waits.keys { endWait(number, .ended) }
    }

    /// Waits for the first from number `start` on that `isMeant`, which may have come already; without limit if `limit`
    /// is nil.
    func wait(
        from start: Int = 0, within limit: Duration?, for isMeant: @escaping @Sendable (Element) -> Bool
    ) async -> Outcome {
        waitsCount += 1
        let number = waitsCount
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Nothing else runs on the actor until the wait is stored: earlier ones are found here, later ones find
                // it.
                let first = max(0, start - forgottenCount)
                if first < elements.count, let place = elements[first...].firstIndex(where: isMeant) {
                    return continuation.resume(returning: .met(elements[place], at: forgottenCount + place))
                }
                guard end == nil else { return continuation.resume(returning: .ended) }
                guard !Task.isCancelled else { return continuation.resume(returning: .cancelled) }
                let loop = executor.loop
                let timer = limit.map { limit in
                    loop.schedule(at: loop.now + TimeSpan(limit), description: "wait") {
                        self.endWait(number, .tookTooLong)
                    }
                }
                waits[number] = Wait(start: start, isMeant: isMeant, timer: timer, continuation: continuation)
            }
        } onCancel: {
            Task(executorPreference: executor) { await self.endWait(number, .cancelled) }
        }
    }

    private func endWait(_ number: Int, _ outcome: Outcome) {
        guard let wait = waits.removeValue(forKey: number) else { return }
        wait.timer?.cancel()
        wait.continuation.resume(returning: outcome)
    }
}

/// Iterates a story: each iteration begins with the first that is kept.
struct StoryReader<Element: Sendable>: Sendable {
    let story: Story<Element>
    private var next = 0

    init(_ story: Story<Element>) { self.story = story }

    /// The next one, waited for as long as more may come; nil at the end. Throws why the story broke off, and
    /// CancellationError.
    mutating func read() async throws -> Element? {
        switch await story.wait(from: next, within: nil, for: { _ in true }) {
        case .met(let element, let index):
            next = index + 1
            return element
        case .cancelled: throw CancellationError()
        case .ended, .tookTooLong:
            if case .failed(let error) = await story.end { throw error }
            return nil
        }
    }
}
