import BelfryTerms
import Fleet
import Support
import Testing

/// A machine says that it is there, and finds out where it is heard.
@Suite struct PresenceTests {
    private var machine = PresenceStateMachine(countingFrom: 100)
    private var random = SeededRandom(seed: 1)
    private let start = Instant(microseconds: 1_000_000)

    @Test("it is said as a line comes up, then every 25 to 35 s as long as it is answered")
    mutating func beats() throws {
        #expect(machine.wakeAt == nil)
        #expect(machine.lineIsUp(1, at: start, random: &random) == [.say(1, 101)])
        machine.answered(101, by: 1)
        var now = start
        for number in UInt64(102)..<122 {
            let next = try #require(machine.wakeAt)
            #expect(next - now >= .seconds(25) && next - now <= .seconds(35))
            #expect(machine.wake(at: next + .milliseconds(-1), random: &random).isEmpty)
            now = next
            #expect(machine.wake(at: now, random: &random) == [.say(1, number)])
            machine.answered(number, by: 1)
        }
        machine.lineIsDown(1)
        #expect(machine.wakeAt == nil)
    }

    @Test("a line by which nobody answers for 10 s is given up, and asked again where it cannot move")
    mutating func unanswered() {
        _ = machine.lineIsUp(0, at: start, random: &random)
        _ = machine.lineIsUp(1, at: start, random: &random)
        // That of the other line, which came by this one, says nothing of it.
        machine.answered(102, by: 0)
        machine.answered(102, by: 1)
        #expect(machine.wake(at: start + .seconds(9), random: &random).isEmpty)
        #expect(machine.wake(at: start + .seconds(10), random: &random) == [.say(0, 103), .unanswered(0)])
        #expect(machine.wake(at: start + .seconds(19), random: &random).isEmpty)
        #expect(machine.wake(at: start + .seconds(20), random: &random) == [.say(0, 104), .unanswered(0)])
    }

    @Test("what is said between does not put off the end of the patience")
    mutating func between() {
        _ = machine.lineIsUp(0, at: start, random: &random)
        #expect(machine.sayNow(at: start + .seconds(9), random: &random) == [.say(0, 102)])
        #expect(machine.wake(at: start + .seconds(10), random: &random) == [.say(0, 103), .unanswered(0)])
        machine.answered(102, by: 0)
        #expect(machine.wakeAt == start + .seconds(20), "an answer to what was said before is none to this")
        machine.answered(103, by: 0)
        #expect(machine.wake(at: start + .seconds(20), random: &random).isEmpty)
    }
}
