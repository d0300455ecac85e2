import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Testing

/// Several rings of one key, one after another: which of them an entry is about. R7, R8, R11 and R12.
@Suite struct SameCallTests {
    let file = GroupFile()

    /// How the file may stand as another program reads it, long before it writes that back.
    enum Earlier: CaseIterable {
        case rings, hungUp, answered, timedOut, reported, ofAnotherBoot
    }

    /// The first ring of `id`, as far as `earlier` says; returns the file as another program read it then.
    private func readByStranger(_ id: String, _ earlier: Earlier) -> PropertyListDictionary {
        if earlier == .ofAnotherBoot { file.now = file.now + .seconds(5_000) }
        file.request(id, by: 1, sentAt: 1_699_999_990)
        var read = file.root
        switch earlier {
        case .rings: break
        case .hungUp: file.hangUp(id)
        case .answered: file.answer(id)
        case .timedOut: file.end(id, by: 1, .timeout)
        case .reported, .ofAnotherBoot: file.settle(id, by: 1, .timeout)
        }
        if earlier != .rings { read = file.root }
        if earlier == .rings { file.settle(id, by: 1, .timeout) }
        if earlier == .ofAnotherBoot { file.reboot() } else { file.pass(.seconds(5)) }
        file.hangUp(id, sentAt: 1_699_999_995)
        return read
    }

    @Test(
        "R7 what another program read of an earlier ring and writes back ends no later ring of that call",
        arguments: Earlier.allCases, ["0", ""])
    func writtenBack(earlier: Earlier, id: String) {
        let read = readByStranger(id, earlier)
        #expect(file.request(id, by: 2, sentAt: 1_700_000_001).rings)
        let since = file.ledger.call(CallKey(id))?.since
        file.pass(.seconds(1))
        file.root = read
        file.root["keyStartCallTime"] = .integer(1)
        #expect(file.standing(id, by: 2) == .rings(.loud))
        #expect(file.settle(id, by: 2, .timeout) == Settlement(reason: .timeout, hangupReason: nil))
        let call = file.ledger.call(CallKey(id))
        #expect(call?.state == .timeout && call?.since == since && call?.owner == nil)
    }

    @Test(
        "R7 so it is while the notes beside the file have the later ring", arguments: Earlier.allCases, ["0", ""])
    func writtenBackBesideNotes(earlier: Earlier, id: String) throws {
        let read = readByStranger(id, earlier)
        let before = file.ledger
        #expect(file.request(id, by: 2, sentAt: 1_700_000_001).rings)
        var note = try #require(LedgerNote(from: before, to: file.ledger))
        note.fileState = .recorded
        let ledger = Ledger(reading: read, with: [note], at: file.moment)
        #expect(ledger.rings.map(\.owner) == [file.process(2)])
        #expect(ledger.standing(of: CallKey(id), owner: file.process(2), secondCall: .soft) == .rings(.loud))
    }

    /// How a ring ends while its process stands still.
    enum End: String, CaseIterable {
        case answeredElsewhere, cancelled, busy, answered, declined, timeIsUp

        /// What that process has to make of it.
        var settlement: Settlement {
            switch self {
            case .answeredElsewhere: Settlement(reason: .hangup, hangupReason: .answeredElsewhere)
            case .cancelled: Settlement(reason: .hangup, hangupReason: .cancelled)
            case .busy: Settlement(reason: .hangup, hangupReason: .busy)
            case .answered: Settlement(reason: .answered, hangupReason: nil)
            case .declined: Settlement(reason: .declined, hangupReason: nil)
            case .timeIsUp: Settlement(reason: .timeout, hangupReason: nil)
            }
        }

        func make(_ file: GroupFile, _ id: String) {
            switch self {
            case .answeredElsewhere: file.hangUp(id, .answeredElsewhere)
            case .cancelled: file.hangUp(id, .cancelled)
            case .busy: file.hangUp(id, .busy)
            case .answered: file.answer(id)
            case .declined: file.decline(id)
            case .timeIsUp: file.pass(.seconds(30))
            }
        }
    }

    /// Process 1 rings `id` and stands still, while `first` ends that ring, and process 2 rings `id` again until
    /// `second`.
    private func ringTwice(_ id: String, _ first: End, _ second: End) {
        file.request(id, by: 1, sentAt: 1_699_999_900)
        first.make(file, id)
        // Sent after it, so that it is a new call.
        file.hangUp(id, sentAt: 1_699_999_901)
        #expect(file.request(id, by: 2, sentAt: 1_699_999_902).rings)
        file.pass(.seconds(1))
        second.make(file, id)
    }

    @Test(
        "R7 R11 a process that stood still takes its own ring's end, not that of a later ring of the call",
        arguments: End.allCases, End.allCases)
    func stoodStill(first: End, second: End) {
        ringTwice("", first, second)
        #expect(file.end("", by: 2, .timeout) == second.settlement)
        let own = first == .timeIsUp ? EndReason.timeout : .hangup
        #expect(file.end("", by: 1, own) == first.settlement)
        let due = [first, second].filter(\.settlement.isMissed).count
        file.dead = [file.process(1), file.process(2)]
        #expect(file.takeDeadRings().count == due)
        #expect(file.takeDeadRings() == [])
    }

    @Test("R7 it sees that end as soon as it looks, also while the later ring is on", arguments: End.allCases)
    func looks(first: End) {
        file.request("", by: 1)
        first.make(file, "")
        file.request("", by: 2)
        if first == .timeIsUp {
            #expect(file.standing("", by: 1) == .ended(.hangup))
        } else {
            #expect(file.standing("", by: 1) == .ended(first.settlement.reason))
        }
        #expect(file.standing("", by: 2) == .rings(.loud))
        #expect(file.settle("", by: 1, .timeout) == first.settlement)
        #expect(file.standing("", by: 2) == .rings(.loud))
    }

    @Test("R8 what it was asked before it stood still does nothing to the later ring")
    func askedBefore() {
        for (ask, reason) in [(RingAsk.hangUp(.busy, sentAt: nil), EndReason.hangup), (.answer(), .answered)] {
            file.request("", by: 1)
            file.hangUp("", .answeredElsewhere)
            file.request("", by: 2)
            let settlement = file.end("", by: 1, reason, askedBy: ask)
            #expect(settlement == Settlement(reason: .hangup, hangupReason: .answeredElsewhere))
            #expect(file.standing("", by: 2) == .rings(.loud) && file.rings == [""])
            #expect(file.root["pendingAccept"] == nil)
            file.settle("", by: 2, .timeout)
        }
    }

    @Test("R11 R12 if both processes are killed, each missed call is reported once", arguments: End.allCases)
    func bothKilled(first: End) {
        ringTwice("", first, .cancelled)
        #expect(file.takeDeadRings() == [])
        file.dead = [file.process(1), file.process(2)]
        #expect(file.takeDeadRings().count == (first.settlement.isMissed ? 2 : 1))
        #expect(file.takeDeadRings() == [])
    }

    @Test("R12 a killed worker's missed call is reported although the call rings again, or the app is in front")
    func ringsAgain() {
        for id in ["", "a"] {
            file.request(id, by: 1, sentAt: 1_699_999_900)
            file.dead.insert(file.process(1))
            #expect(file.request(id, by: 2, sentAt: 1_699_999_901).rings)
            #expect(file.takeDeadRings() == [id])
            #expect(file.takeDeadRings() == [] && file.rings == [id])
            file.dead.insert(file.process(2))
            file.change { $0.enterForeground(owner: file.process(9)) }
            #expect(file.request(id, by: 3, sentAt: 1_699_999_902) == .silent(.foreground, missed: false))
            #expect(file.takeDeadRings() == [id])
            file.change { $0.enterBackground() }
            file.dead = []
        }
    }

    @Test("R11 a copy of a killed worker's request that rings stands for the same call, which is missed once")
    func copyRings() {
        for sentAt: Int64? in [nil, 1_699_999_900] {
            file.request("a", by: 1, sentAt: sentAt)
            file.dead.insert(file.process(1))
            #expect(file.request("a", by: 2, sentAt: sentAt).rings)
            #expect(file.takeDeadRings() == [])
            file.dead.insert(file.process(2))
            #expect(file.takeDeadRings() == ["a"])
            file.dead = []
            file.hangUp("a", .answeredElsewhere, sentAt: 1_699_999_950)
            file.pass(.seconds(601))
        }
    }

    @Test("R9 R11 each stale call of an id is missed, while the process of an earlier one has yet to report that")
    func staleRedial() {
        #expect(file.request("a", by: 1, sentAt: 10, rings: nil) == .silent(.stale, missed: true))
        #expect(file.request("a", by: 2, sentAt: 20, rings: nil) == .silent(.stale, missed: true))
        file.report("a", by: 1)
        file.dead = [file.process(1), file.process(2)]
        #expect(file.takeDeadRings() == ["a"])
        #expect(file.takeDeadRings() == [])
    }

    @Test("R9 R11 a stale call without an id is missed though another one's process has yet to report its own")
    func staleBesideUnreported() {
        file.request("", by: 1)
        file.hangUp("")
        #expect(file.request("", by: 2, rings: nil) == .silent(.stale, missed: true))
        #expect(file.end("", by: 1, .hangup) == Settlement(reason: .hangup, hangupReason: .cancelled))
        file.dead = [file.process(1), file.process(2)]
        #expect(file.takeDeadRings() == ["", ""])
        #expect(file.takeDeadRings() == [])
    }

    @Test("R11 R12 a worker that is killed before it has reported a missed call leaves that to others, once")
    func killedBeforeReport() {
        file.hangUp("overtaken")
        #expect(file.request("overtaken", by: 1) == .silent(.hungUp, missed: true))
        #expect(file.request("stale", by: 2, rings: nil) == .silent(.stale, missed: true))
        file.request("rang", by: 3)
        #expect(file.end("rang", by: 3, .timeout).isMissed)
        for id in ["overtaken", "stale", "rang"] {
            #expect(file.request(id, by: 4, rings: nil) == .silent(id == "overtaken" ? .hungUp : .stale, missed: false))
        }
        #expect(file.takeDeadRings() == [])
        file.dead = [file.process(1), file.process(2), file.process(3)]
        #expect(file.takeDeadRings().sorted() == ["overtaken", "rang", "stale"])
        #expect(file.takeDeadRings() == [])
    }

    @Test("R11 R12 a ring that was not missed is reported by nobody, though its process dies and its call rings again")
    func earlierNotMissed() {
        file.request("", by: 1)
        file.pass(.seconds(30))
        file.request("", by: 2)
        #expect(file.end("", by: 1, .foreground) == Settlement(reason: .foreground, hangupReason: nil))
        #expect(file.ledger.call(CallKey(""))?.earlier == [])
        file.dead.insert(file.process(1))
        #expect(file.takeDeadRings() == [])
    }

    @Test("R12 what another program writes back over a ring loses no missed call of before that")
    func earlierWrittenBack() {
        file.request("a", by: 1, sentAt: 1_699_999_901)
        file.end("a", by: 1, .timeout)
        file.request("a", by: 2, sentAt: 1_699_999_902)
        let read = file.root
        file.settle("a", by: 2, .timeout)
        file.request("a", by: 3, sentAt: 1_699_999_903)
        file.root = read
        file.settle("a", by: 3, .timeout)
        file.dead.insert(file.process(1))
        #expect(file.takeDeadRings() == ["a"])
    }

    @Test("R11 a missed call that was reported is reported by nobody else")
    func reported() {
        file.hangUp("overtaken")
        file.request("overtaken", by: 1)
        file.report("overtaken", by: 1)
        file.request("stale", by: 2, rings: nil)
        file.report("stale", by: 2)
        file.dead = [file.process(1), file.process(2)]
        #expect(file.takeDeadRings() == [])
        #expect(file.request("overtaken", by: 3) == .silent(.hungUp, missed: false))
        #expect(file.request("stale", by: 3, rings: nil) == .silent(.stale, missed: false))
    }

    @Test("R11 what a process reports of its own ring says nothing of a later ring")
    func reportsItsOwn() {
        ringTwice("", .cancelled, .cancelled)
        #expect(file.end("", by: 1, .hangup).isMissed)
        file.report("", by: 1)
        file.dead = [file.process(1), file.process(2)]
        #expect(file.takeDeadRings() == [""])
    }

    @Test("the file keeps four unreported rings of one call, and what another program puts there is no ring")
    func limit() {
        for pid in 1...7 {
            file.request("", by: Int64(pid))
            file.hangUp("")
        }
        #expect(file.ledger.call(CallKey(""))?.earlier.compactMap(\.owner?.pid) == [3, 4, 5, 6])
        for value in StrangerTests.garbage + [.array([.bool(true), .dictionary([:])])] {
            file.scribble("", "earlier", value)
            #expect(file.standing("", by: 1) == .ended(.hangup))
            #expect(file.end("", by: 1, .timeout).reason == .timeout)
            file.open()
        }
    }
}
