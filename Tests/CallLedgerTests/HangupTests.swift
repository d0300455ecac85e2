import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Testing

/// What a hangup ends, and for how long it is remembered: R8.
@Suite struct HangupTests {
    let file = GroupFile(movesEnds: true)

    @Test("R8 a hangup for one call never ends another")
    func endsItsOwn() {
        file.request("a", by: 1)
        file.request("b", by: 2)
        #expect(file.hangUp("c") == [])
        #expect(file.hangUp("b") == ["b"])
        #expect(file.standing("a", by: 1) == .rings(.loud))
        #expect(file.standing("b", by: 2) == .ended(.hangup))
    }

    @Test("R8 nor does an answer or a decline, be its own call known or not") func answersItsOwn() {
        file.request("a", by: 1)
        file.request("b", by: 2)
        file.request("c", by: 3)
        #expect(!file.answer("d") && !file.decline("d"))
        #expect(file.answer("b") && file.decline("c"))
        #expect(file.standing("a", by: 1) == .rings(.loud))
        #expect(file.standing("b", by: 2) == .ended(.answered))
        #expect(file.standing("c", by: 3) == .ended(.declined))
    }

    @Test("R8 a hangup is remembered for ten minutes, whether or not it found a ring")
    func rememberedHangup() {
        file.request("rang")
        file.hangUp("rang")
        file.hangUp("early")
        file.settle("rang", .hangup)
        file.pass(.seconds(600) - TimeSpan(microseconds: 1))
        #expect(file.request("rang", by: 2) == .silent(.hungUp, missed: false))
        #expect(file.request("early", by: 2) == .silent(.hungUp, missed: true))
        file.pass(TimeSpan(microseconds: 1))
        #expect(file.request("rang", by: 2).rings && file.request("early", by: 3).rings)
    }

    @Test("R8 an answer and a decline are remembered for ten minutes")
    func rememberedAnswer() {
        for id in ["a", "d"] { file.request(id) }
        file.answer("a")
        file.decline("d")
        file.settle("a", .answered)
        file.settle("d", .declined)
        file.pass(.seconds(599))
        #expect(file.request("a", by: 2) == .silent(.answered, missed: false))
        #expect(file.request("d", by: 2) == .silent(.declined, missed: false))
        file.pass(.seconds(1))
        #expect(file.request("a", by: 2).rings && file.request("d", by: 3).rings)
    }

    @Test("R8 the hangup that ends a conversation is remembered from when it came")
    func hangupAfterAnswer() {
        file.request("a")
        file.answer("a")
        file.settle("a", .answered)
        file.pass(.seconds(599))
        file.hangUp("a")
        file.pass(.seconds(599))
        #expect(file.request("a", by: 2) == .silent(.answered, missed: false))
    }

    @Test("R8 the wall clock changes nothing about how long a call is remembered")
    func wallClockSet() {
        file.request("a")
        file.hangUp("a")
        for jump in [86_400 * 365, -86_400 * 700] as [Int64] {
            file.wall = file.wall + .seconds(jump)
            file.open()
            #expect(file.state("a") == .hangup)
        }
    }

    @Test("R8 a request sent later than the hangup is a new call, one sent before it or with it is not")
    func sentLater() {
        file.hangUp("a", sentAt: 100)
        #expect(file.request("a", sentAt: 99) == .silent(.hungUp, missed: true))
        #expect(file.request("a", sentAt: 100) == .silent(.hungUp, missed: false))
        #expect(file.request("a", sentAt: 101).rings)
    }

    @Test("R8 times are whole seconds: a hangup of a request's own second is that request's")
    func sameSecond() {
        file.request("a", sentAt: 30)
        #expect(file.hangUp("a", sentAt: 20) == [])
        file.settle("a", .timeout)
        #expect(file.request("a", by: 2, sentAt: 20) == .silent(.hungUp, missed: false))
        file.request("b", sentAt: 10)
        file.hangUp("b", sentAt: 10)
        file.dead.insert(file.process(1))
        #expect(file.request("b", by: 2, sentAt: 10) == .silent(.hungUp, missed: true))
    }

    @Test("R8 what is remembered of a hangup's reason is not said of the next ring of that id")
    func nextRingHasNoReason() {
        file.request("a", sentAt: 10)
        file.hangUp("a", .answeredElsewhere, sentAt: 20)
        #expect(!file.settle("a", .hangup).isMissed)
        #expect(file.request("a", by: 2, sentAt: 30).rings)
        #expect(file.ledger.call(CallKey("a"))?.ended == nil)
        // Another program hangs up by the state alone.
        file.scribble("a", "state", .string("hangup"))
        #expect(file.settle("a", by: 2, .hangup) == Settlement(reason: .hangup, hangupReason: .cancelled))
    }

    @Test("R8 each later request that a hangup without a time overtook is missed, and its copies are not")
    func overtakenWithoutTime() {
        file.hangUp("a")
        #expect(file.request("a", by: 1, sentAt: 10) == .silent(.hungUp, missed: true))
        #expect(file.request("a", by: 2, sentAt: 20) == .silent(.hungUp, missed: true))
        #expect(file.request("a", by: 3, sentAt: 20) == .silent(.hungUp, missed: false))
        #expect(file.request("a", by: 3, sentAt: 10) == .silent(.hungUp, missed: false))
    }

    @Test("R8 R11 a request that another program's hangup overtook, which says no reason, is missed")
    func overtakenByStranger() {
        file.replace("a", with: .dictionary(["state": .string("hangup")]))
        #expect(file.request("a") == .silent(.hungUp, missed: true))
    }

    @Test("R9 a hangup's time that lies ahead, since the clock was set back, counts as absent") func clockSetBack() {
        file.request("a", sentAt: 1_700_000_000)
        file.hangUp("a", sentAt: 1_699_999_990)
        file.settle("a", .timeout)
        file.wall = file.wall + .seconds(-600)
        #expect(file.request("a", by: 2, sentAt: 1_699_999_400).rings)
    }

    @Test("R9 so it is with a hangup of a wrong clock that a ring is asked to end by, also once that time has come")
    func wrongClockAtEar() {
        file.request("a", sentAt: 1_700_000_000)
        let ahead = WallTime(microseconds: 1_700_000_120_000_000)
        #expect(!file.end("a", .hangup, askedBy: .hangUp(.answeredElsewhere, sentAt: ahead)).isMissed)
        file.pass(.seconds(130))
        #expect(file.request("a", by: 2, sentAt: 1_700_000_130) == .silent(.hungUp, missed: false))
    }

    @Test("R9 nor is its time left in the file until the ring is settled", arguments: [false, true])
    func wrongClockBeforeItIsSettled(hasEnded: Bool) {
        file.request("a", sentAt: 1_700_000_000)
        let ahead = WallTime(microseconds: 1_700_000_120_000_000)
        let (request, owner) = (GroupFile.request("a", sentAt: nil), file.process(1))
        file.change {
            $0.carryOut(.hangUp(.answeredElsewhere, sentAt: ahead), for: request, owner: owner, hasEnded: hasEnded)
        }
        file.pass(.seconds(130))
        #expect(file.request("a", by: 2, sentAt: 1_700_000_130) == .silent(.hungUp, missed: false))
    }

    @Test("R9 a hangup whose time lies ahead ends a ring whose own lies further ahead, as the clock was set back")
    func clockSetBackAtEar() {
        let (began, sent) = (WallTime(microseconds: 900_000_000), WallTime(microseconds: 800_000_000))
        let ask = RingAsk.hangUp(.cancelled, sentAt: sent)
        #expect(ask.end(ofRingSentAt: began, wall: sent) == nil)
        #expect(ask.end(ofRingSentAt: began, wall: WallTime(microseconds: 700_000_000)) == .hangup)
    }

    @Test("R8 a request that does not say when it was sent changes nothing about which ones are known")
    func untimedCopy() {
        file.request("a", by: 1, sentAt: 30)
        file.hangUp("a")
        file.dead.insert(file.process(1))
        #expect(file.request("a", by: 2) == .silent(.hungUp, missed: true))
        #expect(file.request("a", by: 3, sentAt: 30) == .silent(.hungUp, missed: false))
        #expect(file.request("a", by: 4, sentAt: 31) == .silent(.hungUp, missed: true))
    }

    @Test("R8 a hangup finds the ring whose time is up while its owner has yet to settle that")
    func duringSettlement() {
        file.request("a", sentAt: 30)
        file.pass(.seconds(31))
        #expect(file.hangUp("a", sentAt: 20) == [])
        #expect(file.rings == [])
        #expect(file.hangUp("a", .busy, sentAt: 40) == ["a"])
        #expect(file.settle("a", .timeout) == Settlement(reason: .hangup, hangupReason: .busy))
    }

    @Test("R8 only if both say when they were sent")
    func sentAtOnOneSide() {
        file.hangUp("a", sentAt: 100)
        #expect(file.request("a") == .silent(.hungUp, missed: true))
        file.hangUp("b")
        #expect(file.request("b", sentAt: 101) == .silent(.hungUp, missed: true))
    }

    @Test("R8 a late hangup of an earlier call does not end the later call, and is remembered for the earlier one")
    func lateHangup() {
        #expect(file.request("a", sentAt: 30).rings)
        #expect(file.hangUp("a", sentAt: 20) == [])
        #expect(file.standing("a") == .rings(.loud))
        #expect(file.hangUp("a", sentAt: 30) == ["a"])
        file.settle("a", .hangup)
        #expect(file.request("a", by: 2, sentAt: 10) == .silent(.hungUp, missed: false))
    }

    @Test("R8 the hangup of an earlier call is remembered after a later one rang and ended without memory")
    func earlierHangupOutlivesLaterRing() {
        file.hangUp("a", sentAt: 20)
        file.request("a", sentAt: 30)
        file.settle("a", .foreground)
        #expect(file.request("a", by: 2, sentAt: 10) == .silent(.hungUp, missed: false))
        file.hangUp("b", sentAt: 20)
        file.request("b", sentAt: 30)
        file.settle("b", .foreground)
        #expect(file.request("b", by: 2, sentAt: 31).rings)
    }

    @Test("R8 a later request that comes while the earlier one rings is not ended by the earlier hangup")
    func redialDuringRing() {
        file.request("a", sentAt: 10)
        #expect(file.request("a", by: 2, sentAt: 30) == .silent(.duplicate, missed: false))
        #expect(file.hangUp("a", sentAt: 20) == [])
        #expect(file.standing("a") == .rings(.loud))
        #expect(file.hangUp("a", sentAt: 40) == ["a"])
    }

    @Test("R8 after a conversation was hung up a later request is a new call, a copy of the answered one is not")
    func redialAfterConversation() {
        file.request("a", sentAt: 10)
        file.answer("a")
        file.settle("a", .answered)
        #expect(file.request("a", by: 2, sentAt: 15) == .silent(.answered, missed: false))
        file.hangUp("a", sentAt: 20)
        #expect(file.request("a", by: 2, sentAt: 10) == .silent(.answered, missed: false))
        #expect(file.request("a", by: 2, sentAt: 30).rings)
        file.answer("a")
        file.settle("a", by: 2, .answered)
        #expect(file.request("a", by: 3, sentAt: 30) == .silent(.answered, missed: false))
    }

    @Test("R8 of several hangups the first one's reason stands")
    func firstReason() {
        file.request("a")
        file.hangUp("a", .answeredElsewhere)
        file.hangUp("a", .cancelled)
        #expect(file.settle("a", .hangup) == Settlement(reason: .hangup, hangupReason: .answeredElsewhere))
    }

    @Test("R8 a hangup of an answered or declined call changes nothing about how it ended")
    func answeredStands() {
        file.request("a")
        file.answer("a")
        #expect(file.hangUp("a") == [])
        #expect(file.settle("a", .hangup).reason == .answered)
    }

    @Test("R8 a request without an id rings, again and again, unless the anonymous call rings now")
    func anonymousRequests() {
        #expect(file.request("", by: 1).rings)
        #expect(file.request("", by: 2) == .silent(.duplicate, missed: false))
        #expect(file.request("a", by: 3).rings)
        for ending in [EndReason.hangup, .answered, .declined, .timeout] {
            switch ending {
            case .hangup: file.hangUp("")
            case .answered: file.answer("")
            case .declined: file.decline("")
            case .timeout, .expired, .foreground, .stopped: break
            }
            file.settle("", by: 1, ending)
            #expect(file.request("", by: 1).rings, "after \(ending)")
        }
    }

    @Test("R8 a hangup without an id ends whatever rings, and leaves no memory of its own")
    func anonymousHangup() {
        #expect(file.hangUp("") == [])
        #expect(file.root["calls"] == nil)
        file.request("", by: 1)
        file.request("a", by: 2)
        file.request("b", by: 3)
        #expect(Set(file.hangUp("", .busy)) == ["", "a", "b"])
        #expect(file.rings.isEmpty)
        #expect(file.settle("a", by: 2, .hangup) == Settlement(reason: .hangup, hangupReason: .busy))
        #expect(file.request("a", by: 4) == .silent(.hungUp, missed: false))
        #expect(file.request("", by: 5).rings)
    }

    @Test("R8 a hangup without an id that was sent before a ring's request does not end that ring")
    func anonymousHangupSentBefore() {
        file.request("", by: 1, sentAt: 30)
        file.request("a", by: 2, sentAt: 10)
        file.request("b", by: 3, sentAt: 30)
        file.request("c", by: 4)
        #expect(Set(file.hangUp("", sentAt: 20)) == ["a", "c"])
        #expect(Set(file.rings) == ["", "b"])
        #expect(Set(file.hangUp("", sentAt: 30)) == ["", "b"])
    }

    @Test("the anonymous call's key is empty, in the file too")
    func emptyKey() {
        file.request("")
        guard case .dictionary(let calls)? = file.root["calls"] else {
            Issue.record("no calls")
            return
        }
        #expect(calls.keys == [""])
        #expect(file.ledger.calls.map(\.key) == [CallKey("")] && CallKey("").isAnonymous)
        #expect(file.answer(""))
        #expect(file.state("") == .answered)
    }

    @Test("R9 a stale request without an id is missed each time")
    func anonymousStale() {
        #expect(file.request("", rings: nil) == .silent(.stale, missed: true))
        #expect(file.request("", rings: nil) == .silent(.stale, missed: true))
    }
}
