import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Testing

/// Who is told that they missed a call, and that it is once: R11 and R12.
@Suite struct MissedTests {
    let file = GroupFile()

    @Test("R11 missed after timeout, expired and stopped, never after answered, declined or foreground")
    func reasons() {
        let missed = EndReason.allCases.filter { Settlement(reason: $0, hangupReason: nil).isMissed }
        #expect(missed == [.hangup, .timeout, .expired, .stopped])
    }

    @Test("R11 missed after a hangup cancelled, busy or failed, never after one elsewhere")
    func hangupReasons() {
        let missed = HangupReason.allCases.filter { Settlement(reason: .hangup, hangupReason: $0).isMissed }
        #expect(missed == [.cancelled, .busy, .failed])
    }

    @Test("R11 a request that its hangup overtook is missed once, with who called", arguments: HangupReason.allCases)
    func overtaken(reason: HangupReason) {
        file.hangUp("a", reason)
        let isMissed = ![.answeredElsewhere, .declinedElsewhere].contains(reason)
        #expect(file.request("a") == .silent(.hungUp, missed: isMissed))
        #expect(file.ledger.call(CallKey("a"))?.name == (isMissed ? "Caller a" : ""))
        #expect(file.request("a", by: 2) == .silent(.hungUp, missed: false))
        #expect(file.hangUp("a") == [])
        #expect(file.request("a", by: 3) == .silent(.hungUp, missed: false))
        #expect(file.takeDeadRings() == [])
    }

    @Test("R11 a second call that its hangup overtook is missed too, though the first was reported")
    func overtakenRedial() {
        file.request("a", sentAt: 10)
        file.hangUp("a", sentAt: 20)
        #expect(file.settle("a", .hangup).isMissed)
        file.hangUp("a", sentAt: 40)
        #expect(file.request("a", by: 2, sentAt: 15) == .silent(.hungUp, missed: false))
        #expect(file.request("a", by: 2, sentAt: 30) == .silent(.hungUp, missed: true))
        #expect(file.request("a", by: 3, sentAt: 30) == .silent(.hungUp, missed: false))
    }

    @Test("R11 a ring that was hung up is reported by the process that rang it, not by a copy of its request")
    func copyOfHungUp() {
        file.request("a", by: 1)
        file.hangUp("a")
        #expect(file.request("a", by: 2) == .silent(.hungUp, missed: false))
        #expect(file.settle("a", by: 1, .hangup).isMissed)
        #expect(file.request("a", by: 3) == .silent(.hungUp, missed: false))
    }

    @Test("R7 the first end that the file knows wins", arguments: [EndReason.timeout, .stopped, .foreground, .hangup])
    func firstEndWins(own: EndReason) {
        file.request("answered")
        file.request("declined", by: 2)
        file.request("hangup", by: 3)
        file.answer("answered")
        file.decline("declined")
        file.hangUp("hangup", .failed)
        #expect(file.settle("answered", own) == Settlement(reason: .answered, hangupReason: nil))
        #expect(file.settle("declined", by: 2, own) == Settlement(reason: .declined, hangupReason: nil))
        #expect(file.settle("hangup", by: 3, own) == Settlement(reason: .hangup, hangupReason: .failed))
        #expect(file.state("answered") == .answered && file.state("hangup") == .hangup)
    }

    @Test("R7 if the file knows no end, the owner's is written", arguments: EndReason.allCases)
    func ownEnd(own: EndReason) {
        file.request("a")
        let settlement = file.settle("a", own)
        #expect(settlement == Settlement(reason: own, hangupReason: own == .hangup ? .cancelled : nil))
        let call = file.ledger.call(CallKey("a"))
        #expect(call?.state == CallState(own) && call?.owner == nil && call?.ended == 1_700_000_000)
        #expect(call?.until == file.now + Ledger.memory)
        #expect(file.takeDeadRings() == [])
    }

    @Test("a ring that another process has taken over is left alone by its former owner")
    func takenOver() {
        file.request("a", by: 1, sentAt: 10)
        file.hangUp("a", sentAt: 20)
        #expect(file.request("a", by: 2, sentAt: 30).rings)
        #expect(file.standing("a", by: 1) == .ended(.hangup))
        #expect(file.settle("a", by: 1, .hangup) == Settlement(reason: .hangup, hangupReason: .cancelled))
        #expect(file.standing("a", by: 2) == .rings(.loud))
        file.answer("a")
        #expect(file.settle("a", by: 1, .timeout).reason == .timeout)
        #expect(file.settle("a", by: 2, .timeout).reason == .answered)
    }

    @Test("a ring that timed out keeps its reason even if the same call rings anew before that is settled")
    func timedOutAndRingsAnew() {
        file.request("a", by: 1)
        file.pass(.seconds(30))
        #expect(file.request("a", by: 2).rings)
        #expect(file.settle("a", by: 1, .timeout) == Settlement(reason: .timeout, hangupReason: nil))
        #expect(file.rings == ["a"])
    }

    @Test("R12 a killed worker's ring is over at once, and whoever opens the file records it as missed")
    func killed() {
        file.request("a", by: 1)
        file.request("b", by: 2)
        file.dead.insert(file.process(1))
        #expect(file.rings == ["b"] && file.standing("b", by: 2) == .rings(.loud))
        #expect(file.state("a") == .ringing)
        file.open()
        #expect(file.state("a") == .missed)
        #expect(file.takeDeadRings() == ["a"])
        #expect(file.takeDeadRings() == [])
        #expect(file.request("a", by: 3).rings)
    }

    @Test("R12 a tidier that is killed before it has reported leaves the missed calls to the next one")
    func killedTidier() {
        for (id, pid) in [("a", 1), ("b", 2)] as [(String, Int64)] { file.request(id, by: pid) }
        file.dead = [file.process(1)]
        for _ in 0..<2 { #expect(file.change { $0.unreported }.map(\.key.text) == ["a"]) }
        let reported = file.change { $0.unreported }
        file.dead = [file.process(1), file.process(2)]
        file.change { $0.reported(reported) }
        #expect(file.takeDeadRings() == ["b"])
        #expect(file.takeDeadRings() == [])
    }

    @Test("R12 if a worker is killed after its call was hung up, the next program reports the missed call")
    func killedAfterHangup() {
        for (id, reason) in [("a", HangupReason.cancelled), ("b", .answeredElsewhere)] {
            file.request(id, by: 1)
            file.hangUp(id, reason)
        }
        #expect(file.takeDeadRings() == [])
        file.dead.insert(file.process(1))
        #expect(file.takeDeadRings() == ["a"])
        #expect(file.takeDeadRings() == [])
    }

    @Test("R11 a copy that comes after a killed worker's hangup reports the missed call instead, once")
    func copyTellsForKilled() {
        file.request("a", by: 1)
        file.hangUp("a")
        file.dead.insert(file.process(1))
        #expect(file.request("a", by: 2) == .silent(.hungUp, missed: true))
        #expect(file.takeDeadRings() == [])
        #expect(file.request("a", by: 3) == .silent(.hungUp, missed: false))
    }

    @Test("R11 a worker killed after its call was answered or declined leaves nothing missed")
    func killedAfterAnswer() {
        for id in ["a", "d"] { file.request(id, by: 1) }
        file.answer("a")
        file.decline("d")
        file.dead.insert(file.process(1))
        #expect(file.takeDeadRings() == [])
        file.hangUp("a")
        #expect(file.takeDeadRings() == [])
    }

    @Test("R12 a reboot ends every ring, and leaves each one missed")
    func rebooted() {
        file.request("a", by: 1)
        file.reboot()
        #expect(file.rings.isEmpty)
        #expect(file.takeDeadRings() == ["a"])
        #expect(file.request("a", by: 1).rings)
    }

    @Test("R12 a process with the number of a dead owner is not the owner")
    func pidAgain() {
        file.request("a", by: 1)
        file.dead.insert(file.process(1))
        let later = Owner(bootID: file.bootID, pid: 1, start: 777)
        #expect(file.ledger.standing(of: CallKey("a"), owner: later, secondCall: .soft) == .ended(.hangup))
        #expect(file.rings.isEmpty)
    }

    @Test("R12 a living owner has five seconds past the deadline to record how its ring ended")
    func settlingGrace() {
        file.request("a")
        file.pass(.seconds(30))
        #expect(file.rings.isEmpty)
        file.open()
        #expect(file.state("a") == .ringing && file.root["keyStartCallTime"] == nil)
        #expect(file.standing("a") == .rings(.loud), "its own timer ends it, not the key that went")
        file.pass(.seconds(5))
        file.open()
        #expect(file.state("a") == .ringing)
        file.pass(TimeSpan(microseconds: 1))
        file.open()
        #expect(file.state("a") == .missed)
        #expect(file.takeDeadRings() == [])
        #expect(file.settle("a", .timeout).isMissed)
        #expect(file.takeDeadRings() == [])
    }
}
