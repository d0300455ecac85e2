import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Testing

/// Three calls that come and go in every order: R8 and R10.
@Suite struct SeveralCallsTests {
    static let ids = ["m", "a", "z"]

    @Test(
        "R10 of the calls that ring exactly the oldest is loud, whoever hangs up and whoever is killed",
        arguments: [true, false])
    func oneLoud(isKilled: Bool) {
        var worlds = 0
        func walk(_ file: GroupFile, _ path: [String], _ alive: [String]) {
            worlds += 1
            let standings = Self.ids.enumerated().map { file.standing($1, by: Int64($0)) }
            let loud = zip(Self.ids, standings).filter { alive.contains($0.0) && $0.1 == .rings(.loud) }.map(\.0)
            if loud != Array(alive.prefix(1)) { #expect(loud == Array(alive.prefix(1)), "after \(path)") }
            if file.rings != alive { #expect(file.rings == alive, "after \(path)") }
            for (pid, id) in Self.ids.enumerated() {
                if !path.contains("+\(id)") {
                    let next = file.copy()
                    next.pass(.milliseconds(20))
                    let isOvertaken = path.contains("-\(id)")
                    #expect(next.request(id, by: Int64(pid)).rings != isOvertaken)
                    walk(next, path + ["+\(id)"], alive + (isOvertaken ? [] : [id]))
                }
                if !path.contains("-\(id)"), !isKilled || alive.contains(id) {
                    let next = file.copy()
                    next.pass(.milliseconds(20))
                    if isKilled { next.dead.insert(next.process(Int64(pid))) } else { next.hangUp(id) }
                    walk(next, path + ["-\(id)"], alive.filter { $0 != id })
                }
            }
        }
        walk(GroupFile(), [], [])
        #expect(worlds == (isKilled ? 271 : 1957))
    }

    @Test("R10 of two rings of the same instant one waits for the other") func sameInstant() {
        let file = GroupFile()
        file.request("b", by: 1)
        file.request("a", by: 2)
        let since = PropertyListValue.integer(file.ledger.call(CallKey("b"))?.since.microseconds ?? 0)
        file.scribble("a", "since", since)
        #expect(file.ledger.nextOldestRing(before: CallKey("b"))?.key == CallKey("a"))
        #expect(file.ledger.nextOldestRing(before: CallKey("a")) == nil)
    }

    @Test("R10 each ring waits for the one before it, so that an end wakes one process and not all") func elders() {
        let file = GroupFile()
        for (pid, id) in Self.ids.enumerated() {
            file.pass(.milliseconds(20))
            file.request(id, by: Int64(pid))
        }
        #expect(Self.ids.map { file.ledger.nextOldestRing(before: CallKey($0))?.key.text } == [nil, "m", "a"])
        let last = file.ledger.standing(of: CallKey("z"), owner: file.process(2), secondCall: .soft)
        #expect(last == .rings(.soft, after: file.ledger.call(CallKey("a"))))
        file.hangUp("a")
        #expect(file.ledger.nextOldestRing(before: CallKey("z"))?.key.text == "m")
        file.dead.insert(file.process(0))
        #expect(file.ledger.nextOldestRing(before: CallKey("z")) == nil)
    }
}
