import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Testing

/// Whether a call request rings: R5, R9 and R10.
@Suite struct AdmissionTests {
    let file = GroupFile(movesEnds: true)

    @Test("R4 a request rings at once, loud, until its end")
    func rings() {
        let until = file.now + .seconds(30)
        #expect(file.request("a") == .ring(mode: .loud))
        let call = file.ledger.call(CallKey("a"))
        #expect(call?.state == .ringing && call?.until == until && call?.since == file.now)
        #expect(call?.owner == file.process(1) && call?.started == 1_700_000_000 && call?.ended == nil)
        #expect(call?.name == "Caller a" && call?.handle == "+1a" && call?.hasVideo == false)
        #expect(file.root["keyStartCallTime"] == .integer(1_700_000_000))
    }

    @Test("R24 whose number it is stays with the call and with the missed one, and goes with a caller who has none")
    func labels() throws {
        let (until, owner) = (file.now + .seconds(30), file.process(1))
        var request = RingRequest(key: CallKey("a"))
        request.label = NumberLabel(String(repeating: "é", count: 100), from: "list")
        let first = request
        file.change { _ = $0.admit(first, until: until, secondCall: .soft, callsMax: 10, owner: owner) }
        let kept = NumberLabel(String(repeating: "é", count: 64), from: "list")
        #expect(file.ledger.call(CallKey("a"))?.label == kept)
        request.label = nil
        let second = request
        file.change { $0.describe(second, owner: owner) }
        #expect(file.ledger.call(CallKey("a"))?.label == nil)
        file.change { $0.describe(first, owner: owner) }
        file.scribble("a", "labelFrom", .integer(7))
        #expect(file.ledger.call(CallKey("a"))?.label == nil, "half a label is none")
        file.change { $0.describe(first, owner: owner) }
        file.settle("a", .timeout)
        #expect(file.ledger.missedCalls.map(\.label) == [kept])
    }

    @Test("R5 the app in front: silent, and not missed")
    func appInFront() {
        file.change { $0.enterForeground(owner: nil) }
        #expect(file.request("a") == .silent(.foreground, missed: false))
        #expect(file.state("a") == .foreground && file.rings.isEmpty)
        file.change { $0.enterBackground() }
        #expect(file.request("b").rings)
    }

    @Test("R5 this call rings already: silent, and its ring goes on")
    func ringsAlready() {
        file.request("a", by: 1)
        let before = file.root
        file.pass(.seconds(3))
        #expect(file.request("a", by: 2) == .silent(.duplicate, missed: false))
        #expect(file.root == before)
    }

    @Test("R5 answered, declined, hung up: silent says which")
    func ended() {
        for id in ["answered", "declined", "hung-up"] { file.request(id) }
        file.answer("answered")
        file.decline("declined")
        file.hangUp("hung-up")
        for id in ["answered", "declined", "hung-up"] {
            guard case .silent(let why, missed: false) = file.request(id, by: 2) else {
                Issue.record("\(id) rings, or is missed")
                continue
            }
            #expect(why.rawValue == id)
        }
    }

    @Test("R8 a call that timed out, was stopped or was silenced by the app may ring again")
    func endsWithoutMemory() {
        for reason in [EndReason.timeout, .expired, .stopped, .foreground] {
            let id = reason.rawValue
            file.request(id)
            file.settle(id, reason)
            #expect(file.request(id, by: 2).rings)
            file.settle(id, by: 2, .timeout)
        }
    }

    @Test("R9 a stale request is missed at once, once for each call")
    func stale() {
        #expect(file.request("a", rings: nil) == .silent(.stale, missed: true))
        #expect(file.state("a") == .missed)
        #expect(file.request("a", rings: nil) == .silent(.stale, missed: false))
        #expect(file.request("b", rings: nil) == .silent(.stale, missed: true))
    }

    @Test("R5 R11 of two calls with the app in front the later one counts, in whatever order they come")
    func foregroundOrder() {
        file.change { $0.enterForeground(owner: nil) }
        for sentAt: Int64 in [20, 10] {
            #expect(file.request("a", sentAt: sentAt) == .silent(.foreground, missed: false))
        }
        file.change { $0.enterBackground() }
        #expect(file.request("a", sentAt: 20, rings: nil) == .silent(.stale, missed: false))
    }

    @Test("R9 a stale request of a later call is missed too")
    func staleRedial() {
        #expect(file.request("a", sentAt: 10, rings: nil) == .silent(.stale, missed: true))
        #expect(file.request("a", sentAt: 20, rings: nil) == .silent(.stale, missed: true))
        #expect(file.request("a", sentAt: 20, rings: nil) == .silent(.stale, missed: false))
        #expect(file.request("a", sentAt: 10, rings: nil) == .silent(.stale, missed: false))
    }

    @Test("R11 a stale copy of a call that rang and was reported is not missed again")
    func staleCopyOfTold() {
        file.request("a", sentAt: 10)
        file.pass(.seconds(30))
        #expect(file.settle("a", .timeout).isMissed)
        #expect(file.request("a", by: 2, sentAt: 10, rings: nil) == .silent(.stale, missed: false))
    }

    @Test("R11 a stale copy is left to the process that rang, if that is about to report the end")
    func staleCopyBeforeItIsTold() {
        file.request("a", sentAt: 10)
        file.pass(.seconds(30))
        #expect(file.request("a", by: 2, sentAt: 10, rings: nil) == .silent(.stale, missed: false))
        #expect(file.settle("a", .timeout) == Settlement(reason: .timeout, hangupReason: nil))
    }

    @Test("R5 with the app in front, a copy changes nothing if the process that rang is about to report the end")
    func copyInFrontBeforeItIsTold() {
        file.request("a")
        file.pass(.seconds(30))
        file.change { $0.enterForeground(owner: nil) }
        #expect(file.request("a", by: 2) == .silent(.foreground, missed: false))
        #expect(file.settle("a", .timeout).reason == .timeout)
    }

    @Test("R10 a second call rings as SecondCall says", arguments: RingMode.allCases)
    func secondCall(mode: RingMode) {
        file.request("a")
        let until = file.now + .seconds(30)
        #expect(file.request("b", by: 2, secondCall: mode) == .ring(mode: mode))
        #expect(file.ledger.call(CallKey("b"))?.until == until)
        #expect(file.standing("a", by: 1, secondCall: mode) == .rings(.loud))
        #expect(file.standing("b", by: 2, secondCall: mode) == .rings(mode))
    }

    @Test("R10 when the loud ring ends, the oldest that is left becomes loud, with its start and deadline as they were")
    func oldestBecomesLoud() {
        for (pid, id) in [(Int64(1), "z"), (2, "m"), (3, "a")] {
            file.request(id, by: pid)
            file.pass(.seconds(1))
        }
        #expect(file.rings == ["z", "m", "a"] && file.ledger.loudest?.key.text == "z")
        let second = file.ledger.call(CallKey("m"))
        file.hangUp("z")
        #expect(file.standing("m", by: 2) == .rings(.loud) && file.standing("a", by: 3) == .rings(.soft))
        #expect(file.ledger.call(CallKey("m")) == second)
        #expect(file.root["keyStartCallTime"] == .integer(1_700_000_001))
        file.dead.insert(file.process(2))
        #expect(file.standing("a", by: 3) == .rings(.loud))
    }

    @Test("R10 the first of two calls admitted in one microsecond, or with a later clock, stays the loud one")
    func sameMicrosecond() {
        file.request("b", by: 1)
        file.request("a", by: 2)
        file.now = file.now - .milliseconds(3)
        file.request("0", by: 3)
        #expect(file.rings == ["b", "a", "0"])
        #expect(file.standing("b", by: 1) == .rings(.loud) && file.standing("0", by: 3) == .rings(.soft))
    }

    @Test("a call request past MaxCalls is refused and leaves no trace; a hangup never is")
    func busy() {
        for id in 0..<3 { #expect(file.request("\(id)", by: Int64(id), callsMax: 3).rings) }
        #expect(file.request("late", by: 9, callsMax: 3) == .busy(ringing: 3))
        #expect(file.state("late") == nil)
        #expect(file.hangUp("1") == ["1"])
        #expect(file.request("late", by: 9, callsMax: 3).rings)
    }

    @Test("ids that differ only in Unicode normalisation are different calls")
    func normalisation() {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        #expect(file.request(composed, by: 1).rings)
        #expect(file.request(decomposed, by: 2).rings)
        #expect(file.hangUp(composed) == [composed])
        #expect(file.rings.count == 1 && file.rings[0].utf8.elementsEqual(decomposed.utf8))
        #expect(CallKey(composed) != CallKey(decomposed))
        #expect(Set([CallKey(composed), CallKey(decomposed), CallKey(composed)]).count == 2)
    }

    @Test("names and handles are cut to 128 bytes between two characters' scalars")
    func longTexts() {
        var request = RingRequest(key: CallKey("a"))
        request.name = String(repeating: "é", count: 100)
        request.handle = String(repeating: "1", count: 129)
        let (until, owner, wanted) = (file.now + .seconds(9), file.process(1), request)
        file.change { _ = $0.admit(wanted, until: until, secondCall: .soft, callsMax: 9, owner: owner) }
        let call = file.ledger.call(CallKey("a"))
        #expect(call?.name == String(repeating: "é", count: 64))
        #expect(call?.handle.utf8.count == 128)
    }

    @Test("R9 a sentAt over sixty seconds in the future is a wrong clock, and counts as absent")
    func badClock() {
        let (ledger, wall) = (file.ledger, file.wall)
        #expect(ledger.believed(wall + .seconds(60)) == wall + .seconds(60))
        #expect(ledger.believed(wall + .seconds(60) + TimeSpan(microseconds: 1)) == nil)
        #expect(ledger.believed(wall + .seconds(-1_000_000)) == wall + .seconds(-1_000_000))
        #expect(ledger.believed(nil) == nil)
    }

    @Test("R9 a request with a wrong clock rings, and a hangup that was sent now ends it")
    func requestOfAWrongClock() {
        let now = file.wall.unixSecond
        #expect(file.request("a", sentAt: now + 61).rings)
        #expect(file.hangUp("a", sentAt: now) == ["a"])
        #expect(file.request("b", sentAt: now + 60).rings)
        #expect(file.hangUp("b", sentAt: now) == [])
        // Nor does the time count once it has come.
        #expect(file.request("c", by: 2, sentAt: now + 120, rings: .seconds(100)).rings)
        file.pass(.seconds(70))
        #expect(file.hangUp("c", sentAt: now + 65) == ["c"])
    }

    @Test("R9 a hangup with a wrong clock does not say when it was sent, nor once its time has come")
    func hangupOfAWrongClock() {
        let now = file.wall.unixSecond
        file.hangUp("a", sentAt: now + 120)
        file.pass(.seconds(130))
        #expect(file.request("a", sentAt: now + 125) == .silent(.hungUp, missed: true))
        file.hangUp("b", sentAt: now + 140)
        #expect(file.request("b", sentAt: now + 145).rings)
    }

    @Test("R21 a caller is known by the handle, for as long as is asked and whatever became of the call") func callers()
    {
        file.request("a")
        #expect(file.ledger.hasCalled("+1a", within: .seconds(1)) && !file.ledger.hasCalled("+1", within: .seconds(1)))
        #expect(!file.ledger.hasCalled("", within: .seconds(1)) && !file.ledger.hasCalled("+1a", within: .zero))
        file.settle("a", .declined)
        file.pass(.seconds(180))
        #expect(file.ledger.hasCalled("+1a", within: .seconds(180)))
        file.pass(.milliseconds(1))
        #expect(!file.ledger.hasCalled("+1a", within: .seconds(180)))
        file.request("b")
        file.reboot()
        #expect(!file.ledger.hasCalled("+1b", within: .seconds(600)))
    }
}
