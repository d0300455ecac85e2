import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Testing

/// Who a ring's owner is in the file: a process.
@Suite struct OwnerTests {
    let file = GroupFile()

    private var owner: Owner { file.process(7) }

    private func entry(_ id: String) -> PropertyListDictionary? {
        file.root[Ledger.Key.calls]?.dictionaryValue?[id]?.dictionaryValue
    }

    @Test("an end that nobody has to report any more names no process")
    func reported() {
        file.request("a", by: 7)
        #expect(entry("a").flatMap(Owner.init) == owner)
        _ = file.change { $0.settle(GroupFile.request("a", sentAt: nil), owner: owner, reason: .foreground) }
        let words = Set(entry("a")?.keys ?? [])
        #expect(words.isDisjoint(with: ["bootId", "pid", "pidStart", "pidRing"]))
    }

    @Test("the number of a ring, which older files have, is read over, and goes with the next word on the owner")
    func numbered() {
        file.request("a", by: 7)
        for number in [PropertyListValue.integer(3), .string("many")] {
            file.scribble("a", "pidRing", number)
            #expect(file.ledger.call(CallKey("a"))?.owner == owner)
        }
        _ = file.change { $0.settle(GroupFile.request("a", sentAt: nil), owner: owner, reason: .timeout) }
        #expect(file.state("a") == .timeout && entry("a")?.keys.contains("pidRing") == false)
    }
}
