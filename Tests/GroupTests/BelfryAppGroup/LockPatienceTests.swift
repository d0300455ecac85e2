@testable import BelfryAppGroup
@testable import BelfrySyscalls
import BelfryTerms
import Glibc
import Testing

/// How long a lock is waited for.
@Suite struct LockPatienceTests {
    /// When patience with one holder runs out, who is busy as long as that says so, and what is done then.
    private func end(isHolderBusy: (TimeSpan) -> Bool) -> (at: TimeSpan, LockPatience.Advice) {
        let begun = Instant(microseconds: 1_000_000)
        var patience = LockPatience(begun: begun)
        var now = begun
        while true {
            let advice = patience.advice(at: now, file: nil) { isHolderBusy(now - begun) }
            guard case .again(let next) = advice else { return (now - begun, advice) }
            precondition(next > now)
            now = next
        }
    }

    @Test func theLockOfOneThatSleepsOrWasStoppedIsBrokenThatOfOneAtWorkIsNot() {
        #expect(end { _ in false } == (.milliseconds(500), .passOver))
        #expect(end { _ in true } == (.seconds(1), .giveUp(isPassedOn: false)))
    }

    @Test func aHolderThatIsStoppedLaterGetsNoMore() {
        let (end, advice) = end { $0 < .milliseconds(800) }
        #expect(end >= .milliseconds(800) && end <= .milliseconds(800) + LockPatience.intervalMax * 2)
        #expect(advice == .passOver)
    }

    @Test func aHolderThatSleepsAsTheTimeIsUpIsLookedAtOnceMore() {
        let begun = Instant(microseconds: 1_000_000)
        let changed = FileIdentity(stat())
        /// The file changes half a second before the time is up; then the holder sleeps, until `wakes`.
        func end(wakes: TimeSpan) -> (TimeSpan, LockPatience.Advice) {
            var patience = LockPatience(begun: begun)
            _ = patience.advice(at: begun, file: nil) { false }
            _ = patience.advice(at: begun + .milliseconds(499), file: changed) { false }
            var now = begun + .milliseconds(995)
            while true {
                let advice = patience.advice(at: now, file: changed) { now - begun >= wakes }
                guard case .again(let next) = advice else { return (now - begun, advice) }
                now = next
            }
        }
        #expect(end(wakes: .seconds(9)) == (.milliseconds(1_011), .passOver))
        #expect(end(wakes: .milliseconds(1_000)) == (.seconds(1), .giveUp(isPassedOn: false)))
    }

    /// The machine paused, or this process did; and the holder it met has let go by the time it is asked for.
    @Test func oneLookAfterAPauseBreaksNoLock() {
        let begun = Instant(microseconds: 1_000_000)
        var patience = LockPatience(begun: begun)
        _ = patience.advice(at: begun, file: nil) { true }
        let late = begun + .milliseconds(700)
        let again = LockPatience.Advice.again(late + .milliseconds(2))
        #expect(patience.advice(at: late, file: nil) { false } == again)
        #expect(patience.advice(at: late + LockPatience.asleepTime, file: nil) { false } == .passOver)
    }
}
