import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Support
import Testing

/// What lies beside the group file counts as if it were in it: R7, R8, R12 and R18.
@Suite struct NoteTests {
    let file = GroupFile()

    /// The note of a change that the file does not get.
    private func note(_ change: (inout Ledger) -> Void, over notes: [LedgerNote] = []) throws -> LedgerNote {
        let before = Ledger(reading: file.root, with: notes, at: file.moment)
        var after = before.opened
        change(&after)
        return try #require(LedgerNote(from: before, to: after))
    }

    private func ring(_ id: String, by pid: Int64, over notes: [LedgerNote] = []) throws -> LedgerNote {
        let (until, owner) = (file.now + .seconds(30), file.process(pid))
        let request = GroupFile.request(id, sentAt: nil)
        return try note(
            {
                let admission = $0.admit(request, until: until, secondCall: .soft, callsMax: 9, owner: owner)
                #expect(admission.rings)
            }, over: notes)
    }

    private func ledger(_ notes: [LedgerNote]) -> Ledger { Ledger(reading: file.root, with: notes, at: file.moment) }

    private func recorded(_ note: LedgerNote) -> LedgerNote {
        var note = note
        note.fileState = .recorded
        return note
    }

    @Test("a change that changes nothing makes no note, and a note reads back as it was written") func form() throws {
        let nothing = Ledger(reading: file.root, at: file.moment)
        #expect(LedgerNote(from: nothing, to: nothing.opened) == nil)
        let ring = try ring("a", by: 1)
        let answer = try note(
            {
                _ = $0.answer(CallKey("a"))
                $0.enterForeground(owner: nil)
            }, over: [ring])
        #expect(LedgerNote(ring.root) == ring && LedgerNote(answer.root) == answer)
        let all = ledger([answer, ring])
        #expect(all.call(CallKey("a"))?.state == .answered && all.foreground == .unowned && all.isDurable)
        #expect(all.root["pendingAccept"]?.arrayValue?.count == 1)
        #expect(ring.isCovered(by: answer) && !answer.isCovered(by: ring))
    }

    @Test("R5 R7 no later ring or end of a call says what a note says of the app: its answer, or that it is in front")
    func coveredOnlyInWhole() throws {
        let ring = try ring("a", by: 1)
        let answer = try note({ _ = $0.answer(CallKey("a")) }, over: [ring])
        file.pass(.seconds(1))
        let hangup = try note({ _ = $0.hangUp(CallKey("a"), reason: .busy, sentAt: nil) }, over: [ring, answer])
        let flag = try note({ $0.enterForeground(owner: nil) }, over: [ring])
        #expect(ring.isCovered(by: hangup) && !answer.isCovered(by: hangup) && !flag.isCovered(by: hangup))
    }

    @Test("R7 the first end of a ring counts over the ring, wherever either stands") func endOverRing() throws {
        let ring = try ring("a", by: 1)
        file.pass(.seconds(1))
        let end = try note({ _ = $0.hangUp(CallKey("a"), reason: .busy, sentAt: nil) }, over: [ring])
        #expect(ledger([end, ring]).call(CallKey("a"))?.state == .hangup)
        #expect(ledger([recorded(ring), end]).rings.isEmpty)
        file.root = ledger([ring]).root
        #expect(ledger([end]).rings.isEmpty)
        file.root = ledger([end, ring]).root
        #expect(ledger([ring]).rings.isEmpty && ledger([recorded(ring)]).rings.isEmpty)
    }

    @Test("R7 R11 an end that its owner has reported counts over what others took it for, in whatever order they come")
    func reportedEnd() throws {
        let ring = try ring("a", by: 1)
        let owner = file.process(1)
        let reported = try note(
            { _ = $0.settle(GroupFile.request("a", sentAt: nil), owner: owner, reason: .timeout) }, over: [ring])
        file.pass(.milliseconds(1))
        let taken = try note({ _ = $0.answer(CallKey("a")) }, over: [ring])
        #expect(ledger([ring, reported, taken]).call(CallKey("a"))?.state == .timeout)
        file.root = ledger([ring, taken]).root
        #expect(ledger([reported]).call(CallKey("a"))?.state == .timeout)
    }

    @Test("R7 so it is for a second ring of an id, the first of which was reported") func endOverSecondRing() throws {
        file.request("a", by: 1, sentAt: 10)
        file.settle("a", .timeout)
        file.pass(.seconds(1))
        let ring = try ring("a", by: 2)
        file.root = ledger([ring]).root
        file.hangUp("a")
        #expect(ledger([ring]).rings.isEmpty && ledger([ring]).call(CallKey("a"))?.state == .hangup)
    }

    @Test("R11 a missed call that its owner has reported stays so, in whatever order its notes come")
    func reportedMissed() throws {
        let owner = file.process(1)
        let ring = try ring("a", by: 1)
        let settled = try note(
            { _ = $0.settle(GroupFile.request("a", sentAt: nil), owner: owner, reason: .timeout) }, over: [ring])
        let reported = try note({ $0.reported(CallKey("a"), owner: owner) }, over: [ring, settled])
        file.dead = [owner]
        for notes in [[ring, settled, reported], [reported, settled, ring]] {
            var ledger = ledger(notes)
            #expect(ledger.takeDeadRings() == [])
        }
        file.root = ledger([ring, reported]).root
        var ledger = ledger([settled])
        #expect(ledger.takeDeadRings() == [])
    }

    @Test(
        "R11 R12 a missed call that is to be reported again, since its hangup overtook a later request, is so in notes")
    func overtakenAgain() throws {
        file.request("a", sentAt: 10)
        file.hangUp("a", sentAt: 20)
        file.settle("a", .hangup)
        file.hangUp("a", sentAt: 40)
        let (request, owner) = (GroupFile.request("a", sentAt: 30), file.process(2))
        let overtaken = try note {
            let admission = $0.admit(request, until: file.now, secondCall: .soft, callsMax: 9, owner: owner)
            #expect(admission == .silent(.hungUp, missed: true))
        }
        file.dead = [owner]
        var ledger = ledger([overtaken])
        #expect(ledger.takeDeadRings().map(\.key) == [CallKey("a")])
    }

    @Test("R11 of two versions of a ring the earlier rings that either has seen reported are reported")
    func reportedBesideLaterRing() throws {
        file.request("", by: 1)
        file.hangUp("")
        file.request("", by: 2)
        file.root = file.root
        let (one, two) = (file.process(1), file.process(2))
        let reported = try note { $0.reported(CallKey(""), owner: one) }
        // Process 2 has not seen that as it ends.
        let ended = try note { _ = $0.settle(GroupFile.request("", sentAt: nil), owner: two, reason: .timeout) }
        file.dead = [one]
        for notes in [[reported, ended], [ended, reported]] {
            var ledger = ledger(notes)
            #expect(ledger.call(CallKey(""))?.state == .timeout && ledger.takeDeadRings() == [])
        }
    }

    @Test("R8 a reader that took the time just before a later ring began knows it for the later one")
    func readerOfBefore()
        throws
    {
        let earlier = try ring("a", by: 1)
        file.root = ledger([earlier]).root
        file.settle("a", .timeout)
        file.pass(.seconds(5))
        #expect(file.request("a", by: 2).rings)
        file.now = file.now - .milliseconds(2)
        #expect(ledger([earlier]).rings.map(\.owner) == [file.process(2)])
    }

    @Test("what a note says is forgotten when its record is, unless the app has yet to collect an answer")
    func forgotten()
        throws
    {
        let ring = try ring("a", by: 1)
        let declined = try note({ _ = $0.decline(CallKey("a")) }, over: [ring])
        let answered = try note(
            {
                $0.answersWait = .seconds(700)
                _ = $0.answer(CallKey("a"))
            }, over: [ring])
        #expect(!declined.isForgotten(in: ledger([ring, declined]).opened))
        file.pass(.seconds(601))
        #expect(declined.isForgotten(in: ledger([declined]).opened))
        #expect(!answered.isForgotten(in: ledger([answered]).opened))
        let collected = try note({ _ = $0.collectAnswers() }, over: [answered])
        let both = ledger([answered, collected]).opened
        #expect(both.answers == [] && answered.isForgotten(in: both) && !collected.isForgotten(in: both))
        file.pass(.seconds(100))
        #expect(answered.isForgotten(in: ledger([answered]).opened) && collected.isForgotten(in: ledger([]).opened))
    }

    @Test("R11 a missed call that lies beside the file is listed until it is cleared there")
    func missedBeside() throws {
        let ring = try ring("a", by: 1)
        let owner = file.process(1)
        let request = GroupFile.request("a", sentAt: nil)
        let missed = try note({ _ = $0.settle(request, owner: owner, reason: .timeout) }, over: [ring])
        let reported = try note({ $0.reported(CallKey("a"), owner: owner) }, over: [ring, missed])
        file.pass(.seconds(601))
        let listed = ledger([missed, reported])
        #expect(listed.missedCalls.map(\.key) == [CallKey("a")] && !missed.isForgotten(in: listed.opened))
        #expect(!missed.isCovered(by: reported) && reported.isCovered(by: missed))
        let cleared = try note({ $0.clearMissed() }, over: [missed, reported])
        #expect(LedgerNote(missed.root) == missed && LedgerNote(cleared.root) == cleared)
        #expect(!cleared.isCovered(by: missed))
        let all = ledger([missed, reported, cleared])
        #expect(all.missedCalls == [] && missed.isForgotten(in: all.opened) && !cleared.isForgotten(in: all.opened))
        file.root = listed.root
        #expect(ledger([cleared]).missedCalls == [] && ledger([missed]).missedCalls.count == 1)
    }

    @Test("R7 R11 a ring's own end takes it off a list that was not read for that") func unlistedUnread() throws {
        file.request("a")
        file.pass(.seconds(60))
        file.open()
        #expect(file.ledger.missedCalls.count == 1)
        var unlisted = file.root
        unlisted[Ledger.Key.missedCalls] = nil
        let before = Ledger(reading: unlisted, at: file.moment)
        var after = before
        _ = after.settle(GroupFile.request("a", sentAt: nil), owner: file.process(1), reason: .answered)
        let note = try #require(LedgerNote(from: before, to: after))
        #expect(before.missedCalls == [] && ledger([note]).missedCalls == [])
    }

    @Test("R5 R7 a note says that the app is in front until the file has it") func flagBeside()
        throws
    {
        let flag = try note { $0.enterForeground(owner: nil) }
        let ring = try ring("b", by: 2)
        #expect(ledger([ring, flag]).foreground == .unowned)
        #expect(ledger([recorded(flag)]).foreground == .background)
    }

    @Test("an answer that was collected does not come back by the note that left it") func collectedOnce() throws {
        let ring = try ring("a", by: 1)
        let answer = try note({ _ = $0.answer(CallKey("a")) }, over: [ring])
        file.root = ledger([ring, answer]).root
        file.pass(.seconds(1))
        let collected = try note({ #expect($0.collectAnswers().count == 1) }, over: [answer])
        #expect(ledger([answer, collected]).answers == [])
        file.root = ledger([answer, collected]).root
        #expect(ledger([answer]).answers == [] && ledger([]).answers == [])
    }

    @Test("R8 a later ring of the same id counts over what was before it, and no old copy counts over it") func later()
        throws
    {
        file.hangUp("a", sentAt: 1_699_999_000)
        let old = file.root
        file.pass(.seconds(700))
        let ring = try ring("a", by: 1)
        #expect(ledger([ring]).rings.map(\.key) == [CallKey("a")])
        file.root = ledger([ring]).root
        file.root = old
        #expect(
            ledger([recorded(ring)]).standing(of: CallKey("a"), owner: file.process(1), secondCall: .soft)
                == .rings(.loud))
        #expect(recorded(ring).isLost(from: PropertyListDictionary()) && !recorded(ring).isLost(from: old))
    }

    @Test("an entry of another boot, whose clock was further on, does not count over a ring") func otherBoot() throws {
        file.hangUp("a")
        file.reboot(away: .seconds(700))
        let ring = try ring("a", by: 1)
        #expect(ledger([ring]).rings.count == 1)
    }

    @Test("another program's bare word ends a ring that lies beside the file") func stranger() throws {
        let ring = try ring("a", by: 1)
        file.replace("a", with: .dictionary(["state": .string("answered")]))
        #expect(
            ledger([ring]).standing(of: CallKey("a"), owner: file.process(1), secondCall: .soft) == .ended(.answered))
    }

    @Test("who removes keyStartCallTime hangs up what lies beside the file too, once, and no later call") func removed()
        throws
    {
        file.request("a", by: 1)
        let beside = try ring("b", by: 2)
        file.root["keyStartCallTime"] = nil
        let both = ledger([beside])
        #expect(both.standing(of: CallKey("a"), owner: file.process(1), secondCall: .soft) == .ended(.hangup))
        #expect(both.standing(of: CallKey("b"), owner: file.process(2), secondCall: .soft) == .ended(.hangup))
        file.pass(.seconds(1))
        let later = try ring("c", by: 3, over: [beside])
        #expect(ledger([beside, later]).rings.map(\.key) == [CallKey("c")])
    }

    @Test("a flag that another program has changed since stays as that program set it") func flag() throws {
        let note = try note { $0.enterForeground(owner: nil) }
        #expect(ledger([note]).foreground == .unowned)
        file.root["enterToForground"] = .bool(false)
        #expect(ledger([note]).foreground == .background)
    }

    @Test("R12 the note of a ring has more to say until the ring is over, be it that its process died") func done()
        throws
    {
        let ring = try ring("a", by: 1)
        #expect(!ring.isDone(in: ledger([ring])))
        file.dead.insert(file.process(1))
        #expect(ring.isDone(in: ledger([ring]).opened))
        #expect(ledger([ring]).opened.call(CallKey("a"))?.state == .missed)
    }

    @Test("R8 a later request that comes while a call rings counts, though the note of that is alone beside the file")
    func sameProgress() throws {
        let one = file.process(1)
        let ring = try note {
            let request = GroupFile.request("a", sentAt: 10)
            _ = $0.admit(request, until: $0.moment.now + .seconds(30), secondCall: .soft, callsMax: 9, owner: one)
        }
        file.pass(.seconds(1))
        let later = try note(
            {
                let request = GroupFile.request("a", sentAt: 20)
                _ = $0.admit(request, until: $0.moment.now + .seconds(30), secondCall: .soft, callsMax: 9, owner: one)
            }, over: [ring])
        file.root = ledger([ring]).root
        #expect(ledger([later]).call(CallKey("a"))?.sentAt == GroupFile.time(20))
    }

    @Test("R12 an earlier ring that was reported is so, though who decided that a later one rings did not know it")
    func earlierReported() throws {
        file.request("a", by: 1, sentAt: 10)
        file.end("a", by: 1, .timeout)
        file.pass(.seconds(1))
        let other = file.process(2)
        let later = try note {
            let request = GroupFile.request("a", sentAt: 20)
            _ = $0.admit(request, until: $0.moment.now + .seconds(30), secondCall: .soft, callsMax: 9, owner: other)
        }
        file.report("a", by: 1)
        file.dead.insert(file.process(1))
        var ledger = ledger([later])
        #expect(ledger.rings.map(\.owner) == [other])
        #expect(ledger.takeDeadRings() == [])
    }

    @Test("R7 an answer that the file has is left for the app once, though the note of it lies there still")
    func answerOnce() throws {
        let ring = try ring("a", by: 1)
        let answer = try note({ _ = $0.answer(CallKey("a")) }, over: [ring])
        file.root = ledger([ring, answer]).root
        #expect(ledger([answer]).root["pendingAccept"]?.arrayValue?.count == 1)
    }

    @Test("R18 what the file never had is not lost from it, and what it had is once it lacks it") func lost() throws {
        let ring = try ring("a", by: 1)
        #expect(!ring.isLost(from: PropertyListDictionary()))
        #expect(recorded(ring).isLost(from: PropertyListDictionary()))
        #expect(!recorded(ring).isLost(from: ledger([ring]).root))
    }

    @Test("R22 a ring of which another program has made nonsense is lost, and known from its note") func nonsense()
        throws
    {
        let ring = try ring("a", by: 1)
        file.root = ledger([ring]).root
        var entry = try #require(file.root["calls"]?.dictionaryValue?["a"]?.dictionaryValue)
        entry["state"] = .string("nonsense")
        file.root["calls"] = .dictionary(["a": .dictionary(entry)])
        #expect(recorded(ring).isLost(from: file.root))
        #expect(ledger([recorded(ring)]).rings.map(\.key) == [CallKey("a")])
    }

    @Test("R22 of a note whose ring the file has lost that ring comes back, and nothing else that it once said")
    func lostRingAlone() throws {
        file.request("a", by: 1)
        file.dead.insert(file.process(1))
        var ring = try ring("b", by: 2)
        #expect(ledger([ring]).calls.count == 2 && ledger([ring]).missedCalls.count == 1)
        file.root = PropertyListDictionary()
        ring.fileState = .lost
        #expect(ledger([ring]).rings.map(\.key) == [CallKey("b")])
        #expect(ledger([ring]).calls.count == 1 && ledger([ring]).missedCalls.isEmpty)
    }

    @Test("R12 R22 a ring that comes back of several notes is as the latest of them says", arguments: [0, 1])
    func lostRingOfSeveralNotes(first: Int) throws {
        file.request("a", by: 1)
        file.end("a", by: 1, .timeout)
        file.pass(.seconds(1))
        let (until, sent) = (file.now + .seconds(30), file.wall.unixSecond)
        func admit(sentAt: Int64, by pid: Int64, in ledger: inout Ledger) {
            let request = GroupFile.request("a", sentAt: sentAt)
            _ = ledger.admit(request, until: until, secondCall: .soft, callsMax: 9, owner: file.process(pid))
        }
        var ring = try note { admit(sentAt: sent - 1, by: 2, in: &$0) }
        file.pass(.seconds(1))
        var copy = try note(
            {
                $0.reported(CallKey("a"), owner: file.process(1))
                admit(sentAt: sent, by: 3, in: &$0)
            }, over: [ring])
        let known = try #require(ledger([ring, copy]).call(CallKey("a")))
        #expect(known.sentAt == GroupFile.time(sent) && known.earlier.isEmpty && known.owner == file.process(2))
        file.root = PropertyListDictionary()
        (ring.fileState, copy.fileState) = (.lost, .recorded)
        #expect(ledger(first == 0 ? [ring, copy] : [copy, ring]).call(CallKey("a")) == known)
    }

    @Test("R8 a hangup of an earlier call, which the file has, is remembered beside a note that came as far")
    func lateHangupInFile() throws {
        file.request("a", by: 1, sentAt: file.wall.unixSecond)
        file.end("a", by: 1, .timeout)
        let reported = try note { $0.reported(CallKey("a"), owner: file.process(1)) }
        file.pass(.seconds(5))
        file.hangUp("a", .busy, sentAt: file.wall.unixSecond - 60)
        let known = try #require(file.ledger.call(CallKey("a")))
        let merged = try #require(ledger([reported]).call(CallKey("a")))
        #expect(merged.state == .timeout && merged.owner == nil)
        #expect(merged.hangupSentAt == known.hangupSentAt && merged.until == known.until && known.hangupSentAt != nil)
    }

    @Test("R8 a second hangup, which the file has, is remembered beside the note of the first") func secondHangup()
        throws
    {
        let first = try note { _ = $0.hangUp(CallKey("a"), reason: .busy, sentAt: nil) }
        file.root = ledger([first]).root
        file.pass(.seconds(5))
        file.hangUp("a")
        let until = try #require(file.ledger.call(CallKey("a"))).until
        #expect(until == file.now + Ledger.memory)
        #expect(ledger([first]).call(CallKey("a"))?.until == until)
    }

    @Test("R12 it has nothing more to say either when the same call rings anew") func doneByLaterRing() throws {
        let ring = try ring("a", by: 1)
        file.root = ledger([ring]).root
        file.settle("a", by: 1, .timeout)
        file.request("a", by: 2)
        #expect(file.rings == ["a"] && ring.isDone(in: file.ledger))
    }

    @Test("R18 a note of garbage makes no sense, or changes nothing that it does not name", arguments: 0..<40)
    func garbage(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        file.request("good")
        var root: PropertyListDictionary = ["at": .integer(.random(in: .min ... .max, using: &random))]
        for key in [
            "calls", "pendingAccept", "foreground", "foregroundBefore", "durable", "collected", "missedCalls",
            "missedCleared",
        ] where random.oneIn(2) {
            root[key] = random.pick(StrangerTests.garbage)
        }
        var entry = PropertyListDictionary()
        for key in StrangerTests.entryKeys { entry[key] = random.pick(StrangerTests.garbage) }
        if random.oneIn(2) { root["calls"] = .dictionary(["bad": .dictionary(entry), "worse": .integer(1)]) }
        // Some of it is no note.
        if let note = LedgerNote(root) {
            let merged = ledger([note, recorded(note)]).opened
            #expect(merged.foreground != .background || merged.rings.map(\.key).contains(CallKey("good")))
            _ = (note.isDone(in: merged), note.isCovered(by: note), note.isLost(from: merged.root))
        }
    }

    @Test("R22 two notes of one ring's answer leave it to the app once, those of two rings twice")
    func oneAnswerOfTwo() throws {
        let ring = try ring("a", by: 1)
        let first = try note({ _ = $0.answer(CallKey("a")) }, over: [ring])
        file.now = file.now + .seconds(2)
        let second = try note({ _ = $0.answer(CallKey("a")) }, over: [ring])
        #expect(ledger([ring, first, second]).root["pendingAccept"]?.arrayValue?.count == 1)
        file.root = ledger([ring, first]).root
        file.now = file.now + .seconds(601)
        file.wall = file.wall + .seconds(601)
        let again = try self.ring("a", by: 2)
        let third = try note({ _ = $0.answer(CallKey("a")) }, over: [again])
        #expect(ledger([again, third]).root["pendingAccept"]?.arrayValue?.count == 2)
    }
}
