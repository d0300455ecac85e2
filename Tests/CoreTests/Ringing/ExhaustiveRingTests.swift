import BelfryTerms
@testable import Ringing
import Testing

/// Every sequence of a few inputs, each judged by a ``RingWitness``.
@Suite struct ExhaustiveRingTests {
    static let inputsMax = 5

    @Test(
        "R6 R7 whatever comes in whatever order: one end, silent before it, ticks in order and none at the end",
        arguments: [3500, 2000, 900])
    func everySequence(milliseconds: Int64) {
        var endings = 0
        var firstMistake: String?
        var path: [RingWitness.Input] = []
        func walk(_ witness: RingWitness) {
            guard firstMistake == nil else { return }
            if let mistake = witness.mistakes.first { firstMistake = "\(mistake) in \(path)" }
            endings += witness.endedCount
            guard path.count < Self.inputsMax else { return }
            for input in RingWitness.Input.allCases {
                var next = witness
                path.append(input)
                next.feed(input)
                walk(next)
                path.removeLast()
            }
        }
        walk(RingWitness(length: .milliseconds(milliseconds)))
        #expect(firstMistake == nil)
        #expect(endings > 1000)
    }

    @Test("R7 from any state, the timer alone brings a ring to silence")
    func timerEndsIt() {
        var witness = RingWitness(length: .seconds(3))
        for _ in 0..<3 { witness.feed(.timerOnTime) }
        #expect(witness.isOver && witness.now == RingWitness.start + .seconds(3))
        #expect(witness.mistakes.isEmpty)
    }

    @Test("whatever comes before a ring or after it does nothing")
    func noOps() {
        var machine = RingStateMachine()
        let now = RingWitness.start
        func others() -> [RingStateMachine.Effect] {
            machine.timerFired(at: now + .seconds(99)) + machine.change(to: .loud, at: now)
                + machine.silenced(at: now) + machine.settled(.timeout)
        }
        #expect(others().isEmpty && machine.end(.stopped).isEmpty && !machine.isRinging)
        let window = RingWindow(start: now, end: now + .seconds(1), reasonAtEnd: .timeout)
        #expect(
            !machine.begin(window, interval: .seconds(1), mode: .loud, at: window.start).isEmpty && machine.isRinging)
        _ = machine.end(.declined)
        _ = machine.silenced(at: now)
        #expect(machine.settled(.declined) == [.ended(reason: .declined, rang: .zero, ticks: 0)])
        #expect(others().isEmpty && machine.end(.hangup).isEmpty && !machine.isRinging)
    }

    @Test("R6 a ring is said before it sounds, a tick sounds before it is said, and the timer comes last")
    func order() {
        var machine = RingStateMachine()
        let (start, second) = (RingWitness.start, TimeSpan.seconds(1))
        let window = RingWindow(start: start, end: start + .seconds(9), reasonAtEnd: .timeout)
        #expect(
            machine.begin(window, interval: second, mode: .soft, at: start)
                == [.ringing(mode: .soft), .pulse(mode: .soft), .wake(at: start + second)])
        #expect(
            machine.timerFired(at: start + second)
                == [.pulse(mode: .soft), .tick(n: 1, late: .zero), .wake(at: start + .seconds(2))])
        #expect(machine.change(to: .loud, at: start + second) == [.ringing(mode: .loud), .pulse(mode: .loud)])
    }

    @Test("a ring that is over does not begin again")
    func overIsOver() async {
        await #expect(processExitsWith: .failure) {
            var machine = RingStateMachine()
            let now = Instant(microseconds: 1)
            let window = RingWindow(start: now, end: now + .seconds(1), reasonAtEnd: .timeout)
            _ = machine.begin(window, interval: .seconds(1), mode: .loud, at: now)
            _ = machine.end(.hangup)
            _ = machine.silenced(at: now)
            _ = machine.settled(.hangup)
            _ = machine.begin(window, interval: .seconds(1), mode: .loud, at: now)
        }
    }

    @Test("one machine is one ring, and begins only once")
    func beginsOnce() async {
        await #expect(processExitsWith: .failure) {
            var machine = RingStateMachine()
            let now = Instant(microseconds: 1)
            let window = RingWindow(start: now, end: now + .seconds(1), reasonAtEnd: .timeout)
            _ = machine.begin(window, interval: .seconds(1), mode: .loud, at: window.start)
            _ = machine.begin(window, interval: .seconds(1), mode: .loud, at: window.start)
        }
    }

    @Test("a ring without an interval would tick forever, and is a defect of ours")
    func noInterval() async {
        await #expect(processExitsWith: .failure) {
            var machine = RingStateMachine()
            let now = Instant(microseconds: 1)
            let window = RingWindow(start: now, end: now + .seconds(1), reasonAtEnd: .timeout)
            _ = machine.begin(window, interval: .zero, mode: .loud, at: window.start)
        }
    }
}
