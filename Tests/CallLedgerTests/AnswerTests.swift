import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Testing

/// Answers and declines, and the word they leave for the app: `pendingAccept`.
@Suite struct AnswerTests {
    let file = GroupFile()

    var pending: [PropertyListValue] {
        guard case .array(let pending)? = file.root["pendingAccept"] else { return [] }
        return pending
    }

    @Test("an answer ends the ring and waits for the app")
    func answers() {
        file.request("a")
        #expect(file.answer("a"))
        #expect(file.standing("a") == .ended(.answered))
        let expected = PropertyListValue.dictionary([
            "callId": .string("a"), "name": .string("Caller a"), "handle": .string("+1a"), "video": .bool(false),
            "answered": .integer(1_700_000_000), "until": .integer(file.now.microseconds + 120_000_000),
            "bootId": .string(GroupFile.boot),
        ])
        #expect(pending == [expected])
    }

    @Test("a decline ends the ring and leaves nothing for the app")
    func declines() {
        file.request("a")
        #expect(file.decline("a"))
        #expect(file.standing("a") == .ended(.declined) && pending.isEmpty)
    }

    @Test("the first answer or decline wins; a call that does not ring is not answered")
    func once() {
        #expect(!file.answer("a") && !file.decline("a"))
        file.request("a")
        #expect(file.answer("a"))
        #expect(!file.answer("a") && !file.decline("a"))
        file.hangUp("b")
        #expect(!file.answer("b"))
        file.request("c", by: 2)
        file.dead.insert(file.process(2))
        #expect(!file.answer("c"))
        #expect(pending.count == 1)
    }

    @Test("at most twenty answers wait, the oldest go first, and those of other programs count")
    func bound() {
        file.root["pendingAccept"] = .array((0..<5000).map { .integer($0) })
        for id in 0..<3 {
            file.request("\(id)")
            file.answer("\(id)")
        }
        #expect(pending.count == 20 && Ledger.pendingAcceptMax == 20)
        #expect(pending.first == .integer(4983) && pending[16] == .integer(4999))
    }

    @Test("an answer waits for as long as it is told to, and never past its boot") func lifetime() {
        for (id, seconds) in [("short", 5), ("long", 60)] {
            file.request(id)
            file.change { ledger in
                ledger.answersWait = .seconds(Int64(seconds))
                _ = ledger.answer(CallKey(id))
            }
        }
        file.root["pendingAccept"] = .array(pending + [.integer(1), .dictionary(["callId": .string("theirs")])])
        #expect(file.ledger.answers.map(\.key.text) == ["short", "long", "theirs"])
        file.pass(.seconds(5))
        #expect(file.ledger.answers.map(\.key.text) == ["long", "theirs"] && pending.count == 4)
        #expect(file.change { $0.collectAnswers(CallKey("short")) } == [] && pending.count == 3)
        file.reboot()
        #expect(file.ledger.answers.map(\.key.text) == ["theirs"])
        file.open()
        #expect(pending.count == 2)
    }

    @Test("an answer that claims to wait for longer than anybody may say is of another clock") func otherClock() {
        file.root["pendingAccept"] = .array([
            .dictionary(["callId": .string("a"), "until": .integer(file.now.microseconds + 3_600_000_001)]),
            .dictionary(["callId": .string("b"), "until": .integer(file.now.microseconds + 3_600_000_000)]),
        ])
        #expect(file.ledger.answers.map(\.key.text) == ["b"])
    }

    @Test("each answer is collected once, with what the app needs to know") func collected() {
        for id in ["a", "b", "a"] {
            file.request(id)
            file.change { $0.illustrate(CallKey(id), owner: file.process(1), with: "/p/\(id).png") }
            file.answer(id)
            file.pass(.seconds(1))
            file.root["calls"] = nil
        }
        let first = file.change { $0.collectAnswers(CallKey("a")) }
        #expect(first.map(\.answered) == [1_700_000_000] && first.map(\.picture) == ["/p/a.png"])
        #expect(file.change { $0.collectAnswers(CallKey("c")) } == [])
        #expect(file.change { $0.collectAnswers() }.map(\.key.text) == ["b", "a"])
        #expect(file.change { $0.collectAnswers() } == [] && file.root["pendingAccept"] == nil)
    }
}
