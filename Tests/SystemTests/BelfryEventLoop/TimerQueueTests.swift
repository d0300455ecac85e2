import BelfryEventLoop
import BelfryTerms
import Support
import Testing

/// Timers before any loop fires them.
@Suite struct TimerQueueTests {
    private final class Changes {
        var earliest: [Int64?] = []
    }

    private let changes = Changes()
    private let queue: TimerQueue

    init() { queue = TimerQueue { [changes] in changes.earliest.append($0.earliest?.microseconds) } }

    private func add(_ microseconds: Int64) -> any ScheduledTimer {
        queue.add(due: Instant(microseconds: microseconds), description: "\(microseconds)") {}
    }

    private func isTaken(at now: Int64, madeBefore limit: UInt64 = .max) -> Bool {
        queue.takeDue(at: Instant(microseconds: now), madeBefore: limit) != nil
    }

    @Test func whatIsMadeOrCancelledIsToldWithTheQueueAsItIsThen() {
        let timers = [add(20), add(10), add(30)]
        timers[1].cancel()
        timers[1].cancel()
        timers[0].cancel()
        timers[2].cancel()
        #expect(changes.earliest == [20, 10, 10, 20, 30, nil])
        #expect(queue.descriptions.isEmpty && queue.madeCount == 3)
    }

    @Test func whatIsCancelledIsNotInTheWayOfOthers() {
        let (first, second) = (add(10), add(20))
        first.cancel()
        #expect(queue.descriptions == ["20"])
        #expect(isTaken(at: 20) && !isTaken(at: 20))
        second.cancel()
        #expect(changes.earliest == [10, 10, 20], "one that was taken is cancelled without a word")
    }

    @Test func whatWasMadeLaterIsNotTakenYetAlsoIfItIsDueNow() {
        _ = add(10)
        let limit = queue.madeCount
        _ = add(5)
        _ = add(10)
        #expect(isTaken(at: 10, madeBefore: limit))
        #expect(!isTaken(at: 10, madeBefore: limit))
        #expect(queue.descriptions == ["5", "10"])
        #expect(isTaken(at: 10) && isTaken(at: 10) && !isTaken(at: 10))
    }

    @Test func nothingIsTakenBeforeItsTime() {
        _ = add(10)
        #expect(!isTaken(at: 9) && isTaken(at: 10))
    }
}
