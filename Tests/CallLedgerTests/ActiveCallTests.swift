import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Testing

/// Calls that go on after they were answered, and what rings meanwhile: R10.
@Suite struct ActiveCallTests {
    private let file = GroupFile()
    private var holder: Owner { file.process(70) }

    private func answer(_ id: String = "a", by pid: Int64 = 1) {
        file.request(id, by: pid)
        let answered = file.change { $0.answer(CallKey(id), heldBy: holder) }
        #expect(answered?.key == CallKey(id))
        file.end(id, by: pid, .answered)
    }

    /// Has the process `pid` hold the call, and returns which one it was.
    @discardableResult
    private func hold(
        _ id: String?, by pid: Int64 = 70, insteadOf former: Owner? = nil, in other: GroupFile? = nil
    ) -> String? {
        let file = other ?? file
        let owner = file.process(pid)
        return file.change { $0.hold(id.map { CallKey($0) }, by: owner, insteadOf: former) }?.key.text
    }

    private var active: [String] { file.ledger.activeCalls.map(\.key.text) }

    @Test("R10 while an answered call is held, others ring as a second call does; each part says so")
    func second() {
        answer()
        #expect(active == ["a"])
        #expect(file.request("b", by: 2) == .ring(mode: .soft))
        #expect(file.standing("b", by: 2) == .rings(.soft))
        #expect(file.ledger.rings(secondCall: .soft).map(\.mode) == [.soft])
        let owner = file.process(2)
        let standing = file.ledger.standing(of: CallKey("b"), owner: owner, secondCall: .soft)
        #expect(standing == .rings(.soft, after: file.ledger.call(CallKey("a"))))
        file.dead.insert(holder)
        #expect(active.isEmpty && file.standing("b", by: 2) == .rings(.loud))
        #expect(file.ledger.rings(secondCall: .soft).map(\.mode) == [.loud])
        #expect(file.request("c", by: 3) == .ring(mode: .soft), "b is loud")
    }

    @Test("R10 a call that an app has begun goes on without a ring; a ring, and what was hung up, do not go on so")
    func begun() {
        var request = RingRequest(key: CallKey("a"))
        (request.name, request.handle) = ("Ada", "+49")
        let goOn = { file.change { [request, holder] in $0.goOn(with: request, by: holder) } }
        goOn()
        #expect(active == ["a"])
        #expect(file.ledger.call(CallKey("a"))?.name == "Ada")
        #expect(file.request("b", by: 2) == .ring(mode: .soft))
        file.change { $0.release(CallKey("a"), by: holder) }
        #expect(active.isEmpty)
        goOn()
        #expect(active == ["a"])
        file.hangUp("a")
        goOn()
        #expect(active.isEmpty)
        request.key = CallKey("b")
        goOn()
        #expect(file.ledger.rings.map(\.key.text) == ["b"] && active.isEmpty)
    }

    @Test("R10 an answer without a holder is over at once") func nobody() {
        file.request("a")
        file.answer("a")
        #expect(active.isEmpty && file.request("b", by: 2) == .ring(mode: .loud))
    }

    @Test("its hangup ends it, also one without an id, but none that was sent before its request; then none holds it")
    func hungUp() {
        for id in ["a", ""] {
            let file = GroupFile()
            file.request("a", sentAt: 1_700_000_000)
            file.change { $0.answer(CallKey("a"), heldBy: file.process(70)) }
            file.hangUp(id, sentAt: 1_699_999_990)
            #expect(file.ledger.activeCalls.count == 1, "\(id)")
            file.pass(.seconds(2))
            file.hangUp(id, sentAt: 1_700_000_001)
            #expect(file.ledger.activeCalls.isEmpty && file.state("a") == .answered, "\(id)")
            #expect(hold("a", in: file) == nil, "\(id)")
            #expect(file.request("b", by: 2) == .ring(mode: .loud))
        }
    }

    @Test("it is not forgotten while it goes on, and its duration is that since the answer") func long() {
        answer()
        file.pass(.seconds(7_200))
        file.open()
        #expect(active == ["a"])
        let answered = file.ledger.activeCalls.first?.answeredAt
        #expect(answered == file.now - TimeSpan.seconds(7_200))
        file.dead.insert(holder)
        file.open()
        #expect(file.state("a") == nil)
    }

    @Test("nor is it among the records that go if there are too many") func many() {
        answer()
        for id in 0..<400 {
            file.request("\(id)", by: 5)
            file.end("\(id)", by: 5, .hangup)
        }
        // 900 KiB of another program's leave room for few of them.
        file.root["foreign"] = .data([UInt8](repeating: 1, count: 700_000))
        file.open()
        #expect(active == ["a"] && file.ledger.calls.count < 401)
    }

    @Test("it is held afterwards, too: the one that is named, else the one that was answered last") func later() {
        file.request("a")
        file.answer("a")
        file.pass(.seconds(1))
        file.request("b", by: 2)
        file.answer("b")
        file.request("c", by: 3)
        #expect(hold(nil) == "b" && hold("a") == "a")
        #expect(active == ["a", "b"] && file.standing("c", by: 3) == .rings(.soft))
        for id in ["c", "x"] { #expect(hold(id) == nil) }
        file.change { $0.release(CallKey("b"), by: holder) }
        #expect(active == ["a"])
    }

    @Test("it goes on as long as one of its holders lives; one may come in the place of another") func holders() {
        answer()
        hold("a", by: 71)
        file.dead.insert(holder)
        #expect(active == ["a"])
        hold("a", by: 72, insteadOf: file.process(71))
        #expect(file.ledger.activeCalls.first?.holders == [file.process(72)])
        for pid in Int64(80)..<90 { hold("a", by: pid) }
        #expect(file.ledger.activeCalls.first?.holders.count == 4)
    }

    @Test("a call of another boot is none, nor is a new one of the same id until it is answered") func others() {
        answer()
        file.hangUp("a", sentAt: 1_700_000_001)
        file.pass(.seconds(5))
        #expect(file.request("a", by: 2, sentAt: 1_700_000_004).rings)
        #expect(active.isEmpty)
        file.change { $0.answer(CallKey("a"), heldBy: holder) }
        #expect(active == ["a"])
        file.reboot()
        #expect(active.isEmpty)
    }

    @Test("R22 the owner of its ring, who settles the end without knowing of it, does not make it end") func merged() {
        file.request("a")
        file.answer("a")
        let answered = file.ledger
        var held = answered
        held.hold(CallKey("a"), by: holder)
        var settled = answered
        var request = RingRequest(key: CallKey("a"))
        request.since = answered.call(CallKey("a"))?.since
        _ = settled.settle(request, owner: file.process(1), reason: .answered)
        let notes = [held, settled].compactMap { LedgerNote(from: answered, to: $0) }
        #expect(notes.count == 2)
        for notes in [notes, notes.reversed()] {
            let merged = Ledger(reading: file.root, with: notes, at: file.moment)
            #expect(merged.activeCalls.map(\.key.text) == ["a"] && merged.call(CallKey("a"))?.owner == nil)
            var released = merged
            released.release(CallKey("a"), by: holder)
            let last = LedgerNote(from: merged, to: released)
            #expect(Ledger(reading: merged.root, with: [last].compactMap { $0 }, at: file.moment).activeCalls.isEmpty)
        }
    }
}
