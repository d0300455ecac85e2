import BelfryDevices
import BelfryTerms
import Fleet
import Testing

/// A gateway's questions, in virtual time.
@Suite struct AskingTests {
    typealias Effect = AskingStateMachine.Effect
    private static let (kiosk, other) = (FleetName("kiosk")!, FleetName("other")!)
    private let kiosk = Self.kiosk

    /// A gateway, and what it does.
    private struct Gateway {
        var machine = AskingStateMachine(at: Instant(microseconds: 0))
        var now = Instant(microseconds: 0)

        /// A gateway with these lines.
        init(lines: [Int]) { for line in lines { _ = machine.lineIsUp(line, at: now) } }

        mutating func ask(_ number: UInt64, of name: FleetName = AskingTests.kiosk) -> [Effect] {
            machine.ask(name, toTake: number, at: now)
        }

        mutating func hear(
            _ word: FleetSaying.Word, of number: UInt64 = 1, by agent: UInt64 = 7, place: Int64 = 0,
            from name: FleetName = AskingTests.kiosk, over line: Int = 0
        ) -> [Effect] {
            machine.hear(FleetSaying(word, by: agent, place: place), of: number, by: name, over: line, at: now)
        }

        /// Lets `span` pass, with all that comes due, each with when it was.
        mutating func pass(_ span: TimeSpan) -> [(at: Double, effects: [Effect])] {
            let end = now + span
            var story: [(Double, [Effect])] = []
            while let wakeAt = machine.wakeAt, wakeAt <= end {
                now = max(now, wakeAt)
                let effects = machine.wake(at: now)
                if !effects.isEmpty { story.append((now.seconds, effects)) }
            }
            now = end
            return story
        }
    }

    @Test("a push that is taken and received is asked once; its events are told once, until it is over")
    func once() {
        var gateway = Gateway(lines: [0, 1])
        #expect(gateway.ask(1) == [.ask(1, kiosk, 0)])
        #expect(gateway.hear(.taken).isEmpty && gateway.hear(.taken).isEmpty)
        #expect(gateway.hear(.received) == [.tell(1, .said(.received))])
        // By the other line.
        #expect(gateway.hear(.received).isEmpty)
        let ringing = FleetSaying.Word.event("ringing", code: "loud")
        #expect(gateway.hear(ringing, place: 1) == [.tell(1, .said(ringing))])
        #expect(gateway.hear(ringing, place: 1).isEmpty)
        let ended = FleetSaying.Word.event("ended", code: nil)
        #expect(gateway.hear(ended, place: 2) == [.tell(1, .said(ended))])
        #expect(gateway.hear(.over) == [.forget(1)])
        #expect(gateway.hear(ended, place: 3).isEmpty && gateway.pass(.seconds(100)).isEmpty)
    }

    @Test("without a word it is asked by the other line after 250 ms, and after 10 s the machine is offline: silent")
    func silence() {
        var gateway = Gateway(lines: [0, 1])
        _ = gateway.ask(1)
        let story = gateway.pass(.seconds(11))
        #expect(story.first?.at == 0.25 && story.first?.effects == [.tell(1, .again(.untaken)), .ask(1, kiosk, 1)])
        #expect(story.dropFirst().first?.effects.last == .ask(1, kiosk, 0))
        #expect(story.last?.at == 10)
        #expect(
            story.last?.effects
                == [.tell(1, .said(.offline(.silent, detail: "the machine says nothing"))), .forget(1)])
        // From then on at once, and another machine is asked.
        #expect(gateway.ask(2).count == 2 && gateway.ask(3, of: Self.other) == [.ask(3, Self.other, 0)])
        #expect(gateway.machine.hear(kiosk, agent: 8, at: gateway.now) == [.returned(kiosk)])
        #expect(gateway.ask(4) == [.ask(4, kiosk, 0)])
    }

    @Test("one line's broker stands still: the next push is asked over the line that was heard, as long as it is up")
    func proven() {
        var gateway = Gateway(lines: [0, 1])
        _ = gateway.ask(1)
        #expect(gateway.pass(.milliseconds(250)).map(\.at) == [0.25])
        _ = gateway.hear(.taken, over: 1)
        _ = gateway.hear(.taken, over: 0)
        #expect(gateway.ask(2) == [.ask(2, kiosk, 1)])
        #expect(gateway.ask(3, of: Self.other) == [.ask(3, Self.other, 0)])
        _ = gateway.machine.lineIsDown(1, at: gateway.now)
        #expect(gateway.ask(4) == [.ask(4, kiosk, 0)])
    }

    @Test("a second line changes nothing for a push that was asked over the first")
    func second() {
        var gateway = Gateway(lines: [0])
        _ = gateway.ask(1)
        _ = gateway.hear(.taken)
        _ = gateway.pass(.seconds(1))
        #expect(gateway.machine.lineIsUp(1, at: gateway.now).isEmpty)
    }

    @Test("of each machine that was heard it is known since when, when last, whether it is there, and what waits")
    func known() {
        var gateway = Gateway(lines: [0])
        _ = gateway.pass(.seconds(1))
        _ = gateway.ask(1)
        _ = gateway.ask(2, of: Self.other)
        #expect(gateway.machine.heard.isEmpty)
        _ = gateway.hear(.taken)
        _ = gateway.pass(.milliseconds(100))
        _ = gateway.hear(.event("ringing", code: nil))
        for waiting in [1, 0] {
            let known = gateway.machine.heard
            #expect(known.map(\.machine) == [kiosk] && known.map(\.isAbsent) == [false])
            #expect(known.map(\.since.seconds) == [1] && known.map(\.heardAt.seconds) == [1.1])
            #expect(known.map(\.waitingCount) == [waiting])
            _ = gateway.hear(.received)
        }
    }

    @Test("a machine in its next life is known since then, one of many under a shared name since the first")
    func lives() {
        var gateway = Gateway(lines: [0])
        for isShared in [false, true] {
            let name = isShared ? Self.other : kiosk
            for agent in [1, 2] as [UInt64] {
                _ = gateway.machine.hear(name, agent: agent, isShared: isShared, at: gateway.now)
                _ = gateway.pass(.seconds(1))
            }
        }
        #expect(gateway.machine.heard.map(\.machine) == [kiosk, Self.other])
        #expect(gateway.machine.heard.map(\.since.seconds) == [1, 2])
    }

    @Test(
        "a machine that no broker knows is offline after the same time, for another reason; only who was asked says so",
        arguments: [0, 1])
    func noMachine(line: Int) {
        var gateway = Gateway(lines: [0])
        _ = gateway.ask(1)
        for _ in 0..<39 {
            gateway.machine.nobodyHears(1, over: line)
            #expect(gateway.pass(.milliseconds(250)).map(\.effects.last) == [.ask(1, kiosk, 0)])
        }
        gateway.machine.nobodyHears(1, over: line)
        guard case .tell(1, .said(.offline(let why, _)))? = gateway.pass(.milliseconds(250)).first?.effects.first else {
            Issue.record("it is not offline")
            return
        }
        #expect(why == (line == 0 ? .noMachine : .silent))
    }

    @Test("a machine that took it and says no more is asked again after 2 s, and repeats what it said")
    func untold() {
        var gateway = Gateway(lines: [0, 1])
        _ = gateway.ask(1)
        _ = gateway.hear(.taken)
        let story = gateway.pass(.milliseconds(2_100))
        #expect(story.map(\.at) == [2] && story[0].effects == [.tell(1, .again(.untold)), .ask(1, kiosk, 1)])
        #expect(gateway.hear(.received) == [.tell(1, .said(.received))])
    }

    @Test("what the machine answers for good ends it, also what it cannot take now: it is there")
    func answers() {
        for word in [
            .rejected(reason: "NotJSON", detail: "x"), .offline(.busy, detail: "x"), .offline(.noSocket, detail: "x"),
        ] as [FleetSaying.Word] {
            var gateway = Gateway(lines: [0])
            _ = gateway.ask(1)
            #expect(gateway.hear(word) == [.tell(1, .said(word)), .forget(1)])
            #expect(gateway.ask(2) == [.ask(2, kiosk, 0)])
        }
    }

    @Test("time without a broker does not count: nothing is offline, and all is asked as soon as one is back")
    func cutOff() {
        var gateway = Gateway(lines: [0, 1])
        _ = gateway.ask(1)
        #expect(gateway.pass(.seconds(9)).count == 36)
        _ = gateway.machine.lineIsDown(0, at: gateway.now)
        #expect(gateway.machine.lineIsDown(1, at: gateway.now).isEmpty)
        #expect(gateway.ask(2).isEmpty && gateway.pass(.seconds(3_600)).isEmpty)
        #expect(
            gateway.machine.lineIsUp(1, at: gateway.now)
                == [.tell(1, .again(.lineDown)), .ask(1, kiosk, 1), .ask(2, kiosk, 1)])
        // One second of its patience was left to the first, all of it to the second.
        let offline = gateway.pass(.seconds(11)).filter {
            $0.effects.contains { if case .forget = $0 { true } else { false } }
        }
        #expect(offline.map(\.at) == [3_610, 3_619])
    }

    @Test("a line that is down takes its untaken questions to the other, at once")
    func lineDown() {
        var gateway = Gateway(lines: [0, 1])
        _ = (gateway.ask(1), gateway.ask(2))
        _ = gateway.hear(.taken, of: 2)
        #expect(
            gateway.machine.lineIsDown(0, at: gateway.now) == [.tell(1, .again(.lineDown)), .ask(1, kiosk, 1)])
        #expect(gateway.machine.lineIsDown(0, at: gateway.now).isEmpty)
    }

    @Test("what another machine says of it, or of a push that nobody asked for, is nothing")
    func strangers() {
        var gateway = Gateway(lines: [0])
        _ = gateway.ask(1)
        #expect(gateway.hear(.received, from: Self.other).isEmpty)
        #expect(gateway.hear(.received, of: 9).isEmpty)
        #expect(gateway.hear(.event("ringing", code: nil), place: 1).isEmpty)
        #expect(gateway.hear(.received) == [.tell(1, .said(.received))])
    }

    @Test("a machine that dies while it rings is gone once it says nothing for 75 s, or another life of it speaks")
    func gone() {
        var gateway = Gateway(lines: [0])
        _ = gateway.machine.hear(kiosk, agent: 7, at: gateway.now)
        _ = gateway.ask(1)
        _ = gateway.hear(.received)
        for _ in 0..<6 {
            #expect(gateway.pass(.seconds(30)).isEmpty)
            #expect(gateway.machine.hear(kiosk, agent: 7, at: gateway.now).isEmpty)
        }
        for _ in 0..<3 {
            #expect(gateway.machine.hear(kiosk, agent: 8, at: gateway.now).isEmpty)
            if let end = gateway.pass(.seconds(30)).first {
                #expect(end.effects == [.tell(1, .gone), .forget(1)] && end.at == 195)
                return
            }
        }
        Issue.record("it is followed for ever")
    }

    @Test("two machines by one name are told as soon as the first speaks again after the second; a new life is not")
    func twice() {
        var gateway = Gateway(lines: [0])
        let now = gateway.now
        #expect(gateway.machine.hear(kiosk, agent: 1, at: now) == [.returned(kiosk)], "heard for the first time")
        #expect(gateway.machine.hear(kiosk, agent: 1, at: now).isEmpty)
        #expect(gateway.machine.hear(kiosk, agent: 1, isBack: true, at: now) == [.returned(kiosk)])
        #expect(gateway.machine.hear(kiosk, agent: 2, at: now).isEmpty)
        #expect(gateway.machine.hear(kiosk, agent: 2, at: now).isEmpty)
        #expect(gateway.machine.hear(kiosk, agent: 3, at: now).isEmpty)
        #expect(!gateway.machine.isTwice(kiosk, at: now))
        #expect(gateway.machine.hear(kiosk, agent: 2, at: now) == [.twice(kiosk)])
        #expect(gateway.machine.isTwice(kiosk, at: now + .seconds(74)))
        #expect(!gateway.machine.isTwice(kiosk, at: now + .seconds(75)), "one of them has gone")
    }

    @Test("one of the last four lives that speaks again is another machine") func manyLives() {
        var gateway = Gateway(lines: [0])
        let isTwice = [0, 1, 2, 3, 4, 5, 4, 2].map { agent in
            gateway.machine.hear(kiosk, agent: agent, at: gateway.now).contains(.twice(kiosk))
        }
        #expect(isTwice == [false, false, false, false, false, false, true, true])
    }

    @Test("many under a shared name are no two, and what none of them answers makes nobody of them offline")
    func shared() {
        var gateway = Gateway(lines: [0])
        #expect(gateway.hear(.received, by: 3).isEmpty)
        #expect(gateway.hear(.received, by: 4).isEmpty)
        #expect(gateway.hear(.received, by: 3).isEmpty, "before one of them has said that it is there")
        for agent in [1, 2, 1, 2] as [UInt64] {
            let effects = gateway.machine.hear(kiosk, agent: agent, isShared: true, at: gateway.now)
            #expect(!effects.contains(.twice(kiosk)))
        }
        _ = gateway.ask(1)
        let story = gateway.pass(.seconds(11))
        #expect(story.last?.effects.contains(.forget(1)) ?? false)
        _ = gateway.ask(2)
        #expect(gateway.hear(.received, of: 2, by: 1) == [.tell(2, .said(.received))])
    }

    @Test("what one of many rings is gone once that one says nothing for 75 s, others or not", arguments: [2, 9])
    func goneOfMany(agentsMax: Int) {
        var limits = AskingStateMachine.Limits()
        limits.agentsMax = agentsMax
        var gateway = Gateway(lines: [0])
        gateway.machine = AskingStateMachine(limits: limits, at: gateway.now)
        _ = gateway.machine.lineIsUp(0, at: gateway.now)
        func sayHere(_ agents: ClosedRange<UInt64>) {
            for agent in agents { _ = gateway.machine.hear(kiosk, agent: agent, isShared: true, at: gateway.now) }
        }
        sayHere(1...5)
        _ = gateway.ask(1)
        #expect(gateway.hear(.received, by: 1).contains(.tell(1, .said(.received))))
        for _ in 0..<6 {
            #expect(gateway.pass(.seconds(30)).isEmpty)
            sayHere(1...5)
        }
        for _ in 0..<2 {
            #expect(gateway.pass(.seconds(30)).isEmpty)
            sayHere(2...5)
        }
        #expect(gateway.pass(.seconds(30)).map(\.effects) == [[.tell(1, .gone), .forget(1)]])
    }

    @Test("of too many that are followed, the oldest is forgotten")
    func followed() {
        var limits = AskingStateMachine.Limits()
        limits.followedMax = 3
        var gateway = Gateway(lines: [0])
        gateway.machine = AskingStateMachine(limits: limits, at: gateway.now)
        _ = gateway.machine.lineIsUp(0, at: gateway.now)
        var forgotten: [Effect] = []
        for number in 1...12 as ClosedRange<UInt64> {
            _ = gateway.ask(number)
            forgotten += gateway.hear(.received, of: number).dropFirst()
            if number == 2 { _ = gateway.hear(.over, of: 1) }
            if number == 3 { gateway.machine.leave(2) }
        }
        #expect(forgotten == (3...9).map { .forget($0) })
    }
}
