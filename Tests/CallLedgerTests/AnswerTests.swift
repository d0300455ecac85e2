import BelfryPropertyList
import BelfryTerms
import Testing
@testable import CallLedger

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
            "answered": .integer(1_700_000_000),
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

    @Test("at most fifty answers wait, the oldest go first, and those of other programs count")
    func bound() {
        file.root["pendingAccept"] = .array((0..<5000).map { .integer($0) })
        for id in 0..<3 {
            file.request("\(id)")
            file.answer("\(id)")
        }
        #expect(pending.count == Ledger.pendingAcceptMax)
        #expect(pending.first == .integer(4953) && pending[46] == .integer(4999))
    }
}
