import BelfryTerms
import Testing
@testable import BelfryAppGroup

/// How long a lock is waited for.
@Suite struct LockPatienceTests {
    /// When patience with one holder runs out, who is busy as long as that says so.
    private func end(isHolderBusy: (TimeSpan) -> Bool) -> TimeSpan {
        let begun = Instant(microseconds: 1_000_000)
        var patience = LockPatience(begun: begun)
        var now = begun
        while let next = patience.nextTry(at: now, file: nil, isHolderBusy: { isHolderBusy(now - begun) }) {
            precondition(next > now)
            now = next
        }
        return now - begun
    }

    @Test func aHolderAtWorkGetsMoreTimeThanOneThatSleepsOrWasStopped() {
        #expect(end { _ in false } == .milliseconds(500))
        #expect(end { _ in true } == .seconds(2))
    }

    @Test func aHolderThatIsStoppedLaterGetsNoMore() {
        let end = end { $0 < .milliseconds(800) }
        #expect(end >= .milliseconds(800) && end <= .milliseconds(800) + LockPatience.intervalMax)
    }
}
