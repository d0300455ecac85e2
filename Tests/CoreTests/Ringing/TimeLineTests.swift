import BelfryTerms
@testable import Ringing
import Testing

/// Rings as time-line diagrams; ``TimeLine`` says how to read them. A column is half a second.
@Suite struct TimeLineTests {
    @Test("R6 six seconds at one second have ticks 1 to 5, and none at the end")
    func sixSeconds() {
        TimeLine().expect(
            inputs: "-------------",
            says: "L-1-2-3-4-5-t",
            sound: "l-l-l-l-l-l-.")
    }

    @Test("R6 the sound begins with `ringing`, at once; a ring shorter than the interval has no tick")
    func shorterThanOneInterval() {
        TimeLine(duration: .milliseconds(500)).expect(inputs: "--", says: "Lt", sound: "l.")
        TimeLine(duration: .seconds(1)).expect(inputs: "---", says: "L-t", sound: "l-.")
    }

    @Test("R6 an end that is no multiple of the interval cuts the last interval short")
    func unevenEnd() {
        TimeLine(duration: .milliseconds(2500)).expect(inputs: "------", says: "L-1-2t", sound: "l-l-l.")
        TimeLine(step: .milliseconds(100), interval: .milliseconds(200), duration: .seconds(1))
            .expect(inputs: "-----------", says: "L-1-2-3-4-t", sound: "l-l-l-l-l-.")
    }

    @Test("R6 lateness never adds up: each tick is late alone")
    func latenessDoesNotAddUp() {
        TimeLine(duration: .seconds(4), lateness: .milliseconds(500)).expect(
            inputs: "----------",
            says: "L--1-2-3-t",
            sound: "l--l-l-l-.")
    }

    @Test("R6 ticks that a stopped process missed are not made up in a burst, and keep their numbers")
    func stalled() {
        TimeLine().expect(
            inputs: "---=====------",
            says: "L-1-----4-5-t",
            sound: "l-l-----l-l-.")
        TimeLine().expect(
            inputs: "---======-----",
            says: "L-1------45-t",
            sound: "l-l------ll-.")
    }

    @Test("R6 a process stopped between its admission and its ring begins late, without a burst, or not at all")
    func beginsLate() {
        TimeLine(duration: .seconds(4), begins: 5).expect(inputs: "-----------", says: "-----L3-t", sound: "-----ll-.")

        var machine = RingStateMachine()
        let window = RingWindow(start: TimeLine.start, end: TimeLine.start + .seconds(2), reasonAtEnd: .expired)
        #expect(
            machine.begin(window, interval: .seconds(1), mode: .loud, at: window.end) == [
                .ringing(mode: .loud), .wake(at: window.end),
            ])
        #expect(machine.isRinging && machine.timerFired(at: window.end) == [.silence])
        #expect(machine.silenced(at: window.end) == [.settle(.expired)])
    }

    @Test("R6 a process stopped past its end ends at once and makes no tick")
    func stalledPastTheEnd() {
        TimeLine().expect(inputs: "-=================-", says: "L-----------------t", sound: "l-----------------.")
    }

    @Test("R7 a hangup ends it at once")
    func hangup() {
        TimeLine().expect(inputs: "-----h--", says: "L-1-2h--", sound: "l-l-l.--")
    }

    @Test(
        "R7 each end silences at once and is said as what it is",
        arguments: ["a", "d", "f", "s", "h"])
    func eachEnd(letter: String) {
        TimeLine().expect(inputs: "---\(letter)----", says: "L-1\(letter)", sound: "l-l.")
    }

    @Test("R7 the first end counts, and no other is reported after it")
    func firstEndCounts() {
        TimeLine().expect(inputs: "---ahdfs-----", says: "L-1a", sound: "l-l.")
        TimeLine().expect(inputs: "-------------a", says: "L-1-2-3-4-5-t", sound: "l-l-l-l-l-l-.")
    }

    @Test("R7 if several ends meet, the one that the group file settled is reported")
    func settledByTheFile() {
        TimeLine(winner: .answered).expect(inputs: "---h", says: "L-1a", sound: "l-l.")
        TimeLine(duration: .seconds(1), winner: .hangup).expect(inputs: "---", says: "L-h", sound: "l-.")
    }

    @Test("R7 a ring that reaches the end of the budget ends with it as timeout")
    func budgetReached() {
        TimeLine(duration: .seconds(2), budget: .seconds(2)).expect(inputs: "-----", says: "L-1-t", sound: "l-l-.")
        TimeLine(duration: .seconds(3), budget: .seconds(2)).expect(inputs: "-----", says: "L-1-t", sound: "l-l-.")
    }

    @Test("R7 a ring that the budget cuts short by more than a second is expired")
    func budgetCutsShort() {
        TimeLine(duration: .milliseconds(3001), budget: .seconds(2))
            .expect(inputs: "-----", says: "L-1-x", sound: "l-l-.")
    }

    @Test("R9 a request sent two seconds ago rings for what is left")
    func youngerRequest() {
        TimeLine(duration: .seconds(4), age: .seconds(2)).expect(inputs: "-----", says: "L-1-t", sound: "l-l-.")
        TimeLine(duration: .seconds(4), age: .seconds(4)).expect(inputs: "-----", says: "", sound: "")
    }

    @Test("R10 when the loud ring ends, the soft one is reported again as loud; its end and tick numbers stay")
    func becomesLoud() {
        TimeLine(mode: .soft).expect(
            inputs: "-----l-------",
            says: "O-1-2L3-4-5-t",
            sound: "o-o-oll-l-l-.")
    }

    @Test("R10 a mode that is not new is not reported again")
    func sameMode() {
        TimeLine(mode: .soft).expect(inputs: "-o-ool-ll----", says: "O-1-2L3-4-5-t", sound: "o-o-oll-l-l-.")
        TimeLine(mode: .silent).expect(inputs: "-qoq---------", says: "Q-*Q2-3-4-5-t", sound: "q-*qq-q-q-q-.")
    }

    @Test("R10 a change read after the end, before the timer, is the end and sounds no more")
    func changeAfterTheEnd() {
        var machine = RingStateMachine()
        let window = RingWindow(
            start: TimeLine.start, end: TimeLine.start + .seconds(2), reasonAtEnd: .timeout)
        _ = machine.begin(window, interval: .seconds(1), mode: .soft, at: window.start)
        #expect(machine.change(to: .loud, at: window.end) == [.silence])
        #expect(machine.silenced(at: window.end) == [.settle(.timeout)])
    }

    @Test("R15 a ring knows no wall clock: the same window gives the same ring")
    func wallClock() {
        let day = TimeSpan.seconds(86_400)
        let windows = [TimeLine.wall, TimeLine.wall + day, WallTime(microseconds: 0)].map { wall in
            RingWindow.of(
                duration: .seconds(30), sentAt: wall, expiration: nil, start: TimeLine.start, wall: wall,
                deadline: TimeLine.start + .seconds(30))
        }
        #expect(Set(windows).count == 1)
        #expect(windows[0]?.end == TimeLine.start + .seconds(30))
    }
}
