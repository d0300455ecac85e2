import BelfryEventLoop
import BelfryTerms
import Support
import Testing

/// The hand-driven loop keeps the order that the real one keeps.
@Suite struct HandLoopTests {
    @Test func firesInOrderOfDueTimeThenOfMaking() {
        let loop = HandLoop()
        var fired: [String] = []
        let start = loop.now
        for (name, milliseconds) in [("c", 30), ("a", 10), ("b", 20), ("a2", 10), ("past", -5)] {
            _ = loop.schedule(at: start + .milliseconds(Int64(milliseconds)), description: name) {
                fired.append("\(name)@\((loop.now - start).microseconds / 1_000)")
            }
        }
        #expect(loop.pending == ["past", "a", "a2", "b", "c"])
        loop.advance(by: .milliseconds(20))
        #expect(fired == ["past@0", "a@10", "a2@10", "b@20"])
        #expect(loop.pending == ["c"])
        #expect(loop.now == start + .milliseconds(20))
    }

    @Test func cancelledTimersNeverFire() {
        let loop = HandLoop()
        var fired: [String] = []
        let second = loop.schedule(at: loop.now + .seconds(1), description: "second") { fired.append("second") }
        _ = loop.schedule(at: loop.now + .milliseconds(500), description: "first") {
            fired.append("first")
            second.cancel()
            second.cancel()
        }
        loop.advance(by: .seconds(2))
        #expect(fired == ["first"])
        #expect(loop.pending.isEmpty)
    }

    @Test func aTimerMayMakeTheNext() {
        let loop = HandLoop()
        var ticks: [Int64] = []
        let start = loop.now
        func tick(_ number: Int64) {
            _ = loop.schedule(at: start + .seconds(number), description: "tick") {
                ticks.append((loop.now - start).microseconds)
                tick(number + 1)
            }
        }
        tick(1)
        loop.advance(by: .milliseconds(3_500))
        #expect(ticks == [1_000_000, 2_000_000, 3_000_000])
    }
}
