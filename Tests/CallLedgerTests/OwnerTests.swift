import BelfryPropertyList
import BelfryTerms
import Testing
@testable import CallLedger

/// Several rings of one process: R8, R10 and R12 know them apart by the number of the ring.
@Suite struct OwnerTests {
    let file = GroupFile()

    private func owner(_ ring: Int64) -> Owner { Owner(bootID: file.bootID, pid: 7, start: 700, ring: ring) }

    private func admit(_ id: String, as owner: Owner) -> Admission {
        let until = file.now + .seconds(30)
        return file.change {
            $0.admit(GroupFile.request(id, sentAt: nil), until: until, secondCall: .soft, callsMax: 100, owner: owner)
        }
    }

    private func entry(_ id: String) -> PropertyListDictionary? {
        file.root[Ledger.Key.calls]?.dictionaryValue?[id]?.dictionaryValue
    }

    @Test("the only ring of a process has no ring number in the file; another one has")
    func words() {
        #expect(admit("a", as: owner(0)) == .ring(mode: .loud))
        #expect(admit("b", as: owner(3)) == .ring(mode: .soft))
        #expect(entry("a")?.keys.contains("pidRing") == false)
        #expect(entry("b")?["pidRing"] == .integer(3))
        #expect(file.ledger.call(CallKey("a"))?.owner == owner(0))
        #expect(file.ledger.call(CallKey("b"))?.owner == owner(3))
    }

    @Test("R8 R10 another ring of the same process neither takes over nor settles a ring's end")
    func settlement() {
        _ = admit("a", as: owner(1))
        _ = admit("b", as: owner(2))
        let request = GroupFile.request("a", sentAt: nil)
        let (one, two) = (owner(1), owner(2))
        let foreign = file.change { $0.settle(request, owner: two, reason: .timeout) }
        #expect(foreign.reason == .timeout && file.state("a") == .ringing)
        #expect(file.ledger.standing(of: CallKey("a"), owner: two, secondCall: .soft) == .ended(.hangup))
        #expect(file.ledger.standing(of: CallKey("a"), owner: one, secondCall: .soft) == .rings(.loud))
        #expect(file.ledger.standing(of: CallKey("b"), owner: two, secondCall: .soft) == .rings(.soft))
        _ = file.change { $0.settle(request, owner: one, reason: .timeout) }
        #expect(file.state("a") == .timeout)
        #expect(file.ledger.standing(of: CallKey("b"), owner: two, secondCall: .soft) == .rings(.loud))
    }

    @Test("R12 when a process dies, all of its rings are over")
    func death() {
        _ = admit("a", as: owner(1))
        _ = admit("b", as: owner(2))
        file.dead = [owner(1), owner(2)]
        #expect(file.change { $0.takeDeadRings() }.map(\.key.text).sorted() == ["a", "b"])
    }

    @Test("an end that nobody has to report any more names neither a process nor a ring of it")
    func reported() {
        for ring: Int64 in [0, 3] {
            let owner = owner(ring)
            _ = admit("a", as: owner)
            _ = file.change { $0.settle(GroupFile.request("a", sentAt: nil), owner: owner, reason: .foreground) }
            let words = Set(entry("a")?.keys ?? [])
            #expect(words.isDisjoint(with: ["bootId", "pid", "pidStart", "pidRing"]))
        }
    }

    @Test("R18 a number that makes no sense counts as absent")
    func nonsense() {
        _ = admit("a", as: owner(0))
        var entry = entry("a") ?? [:]
        entry["pidRing"] = .string("many")
        #expect(Owner(in: entry) == owner(0))
    }
}
