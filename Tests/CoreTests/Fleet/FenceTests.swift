import BelfryTerms
import Fleet
import Testing

/// When it is certain that nobody has a token.
@Suite struct FenceTests {
    typealias Machine = FenceStateMachine
    private let start = Instant(microseconds: 1_000_000)

    /// A gateway whose mirror is whole, and has read up to 100.
    private func whole() -> Machine {
        var machine = Machine()
        #expect(machine.heed(.whole, reached: 100, at: start).isEmpty)
        return machine
    }

    private func at(_ milliseconds: Int64) -> Instant { start + .milliseconds(milliseconds) }

    @Test("the first makes a fence, which is certain once the mirror is past it")
    func one() {
        var machine = whole()
        #expect(machine.ask(1, at: start) == [.write(1)])
        #expect(machine.written(1, sequence: 105, at: at(1)).isEmpty)
        #expect(machine.heed(.whole, reached: 104, at: at(1)).isEmpty)
        #expect(machine.heed(.whole, reached: 105, at: at(2)) == [.answer(1, .certain)])
        #expect(machine.wakeAt == nil)
        // The mirror may be there before the answer is.
        #expect(machine.ask(2, at: at(3)) == [.write(2)])
        #expect(machine.heed(.whole, reached: 106, at: at(4)).isEmpty)
        #expect(machine.written(2, sequence: 106, at: at(5)) == [.answer(2, .certain)])
    }

    @Test("those that come while one is on its way share the next")
    func shared() {
        var machine = whole()
        #expect(machine.ask(1, at: start) == [.write(1)])
        #expect(machine.ask(2, at: start).isEmpty && machine.ask(3, at: start).isEmpty)
        #expect(machine.written(1, sequence: 101, at: at(1)).isEmpty)
        #expect(machine.heed(.whole, reached: 101, at: at(1)) == [.answer(1, .certain), .write(2)])
        #expect(machine.ask(4, at: at(1)).isEmpty)
        // A late answer to the first says nothing of the second.
        #expect(machine.written(1, sequence: 101, at: at(1)).isEmpty)
        #expect(machine.heed(.whole, reached: 102, at: at(2)).isEmpty)
        #expect(
            machine.written(2, sequence: 102, at: at(2))
                == [.answer(2, .certain), .answer(3, .certain), .write(3)])
    }

    @Test("after 2 s it is unavailable, and the next is tried; so it is at once where the bucket was not read")
    func unavailable() {
        var machine = whole()
        _ = machine.ask(1, at: start)
        _ = machine.ask(2, at: at(500))
        #expect(machine.wakeAt == at(2_000) && machine.wake(at: at(1_999)).isEmpty)
        #expect(machine.wake(at: at(2_000)) == [.answer(1, .unavailable), .write(2)])
        #expect(machine.wakeAt == at(2_500))
        #expect(machine.wake(at: at(2_500)) == [.answer(2, .unavailable)])
        for standing in MirrorStateMachine.Standing.allCases where standing != .whole {
            var unread = Machine()
            #expect(unread.heed(standing, reached: 100, at: start).isEmpty)
            #expect(unread.ask(1, at: start) == [.answer(1, .unavailable)] && unread.wakeAt == nil)
            var lost = whole()
            _ = lost.ask(1, at: start)
            _ = lost.ask(2, at: start)
            #expect(
                lost.heed(standing, reached: 0, at: start)
                    == [.answer(1, .unavailable), .answer(2, .unavailable)])
        }
        var never = Machine()
        #expect(never.ask(1, at: start) == [.answer(1, .unavailable)])
    }

    @Test("one that could not be written is followed by the next, by ten a second")
    func failed() {
        var machine = whole()
        #expect(machine.ask(1, at: start) == [.write(1)])
        for number in 1..<10 { #expect(machine.fail(number, at: start) == [.write(number + 1)]) }
        #expect(machine.fail(9, at: start).isEmpty)
        #expect(machine.fail(10, at: start).isEmpty && machine.wakeAt == at(1_000))
        #expect(machine.wake(at: at(999)).isEmpty && machine.wake(at: at(1_000)) == [.write(11)])
    }

    @Test("a fence that is not after what the mirror has read is in another bucket: nothing is certain by it")
    func otherBucket() {
        var machine = whole()
        _ = machine.ask(1, at: start)
        #expect(machine.written(1, sequence: 3, at: start) == [.doubt, .write(2)])
        #expect(machine.written(2, sequence: 100, at: start) == [.doubt, .write(3)])
        #expect(machine.heed(.unread, reached: 0, at: start) == [.answer(1, .unavailable)])
    }

    @Test("10,000 wrong tokens in a second make ten fences at most, and each is certain within 2 s")
    func flood() {
        var machine = whole()
        var (writes, answers): ([Instant], [UInt64: Instant]) = ([], [:])
        var onItsWay: (number: Int, until: Instant)?
        var reached: UInt64 = 100
        func perform(_ effects: [Machine.Effect], at now: Instant) {
            for effect in effects {
                switch effect {
                case .write(let number):
                    writes.append(now)
                    onItsWay = (number, now + .milliseconds(1))
                case .answer(let question, let answer):
                    #expect(answer == .certain && answers[question] == nil)
                    answers[question] = now
                case .doubt: Issue.record("the bucket is the same")
                }
            }
        }
        for microseconds in stride(from: Int64(0), through: 3_000_000, by: 100) {
            let now = start + TimeSpan(microseconds: microseconds)
            if let (number, until) = onItsWay, until <= now {
                onItsWay = nil
                reached += 1
                perform(machine.written(number, sequence: reached, at: now), at: now)
                perform(machine.heed(.whole, reached: reached, at: now), at: now)
            }
            if microseconds < 1_000_000 { perform(machine.ask(UInt64(microseconds), at: now), at: now) }
            if let wakeAt = machine.wakeAt, wakeAt <= now { perform(machine.wake(at: now), at: now) }
        }
        #expect(answers.count == 10_000)
        let longest = answers.map { $0.value - (start + TimeSpan(microseconds: Int64($0.key))) }.max()
        #expect(longest.map { $0 < .milliseconds(1_100) } ?? false)
        for (index, write) in writes.enumerated() {
            let later = writes[index...].prefix { $0 - write < .seconds(1) }
            #expect(later.count <= 10)
        }
        #expect(writes.count <= 20)
    }

    @Test("no more than 32,768 wait")
    func waiting() {
        #expect(Machine.Limits().waitingMax == 32_768)
        var limits = Machine.Limits()
        limits.waitingMax = 2
        var machine = Machine(limits: limits)
        _ = machine.heed(.whole, reached: 1, at: start)
        _ = machine.ask(1, at: start)
        _ = machine.ask(2, at: start)
        #expect(machine.ask(3, at: start) == [.answer(3, .unavailable)])
    }
}
