import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Support
import Testing

/// Seeded runs of everything that may be done to the file; each operation also expects `keyStartCallTime` in step.
@Suite struct RandomOperationTests {
    static let ids = ["", "a", "b", "caf\u{e9}", "cafe\u{301}"]

    @Test(
        "keyStartCallTime is in step after every operation, whatever time passes and whichever process dies",
        arguments: 0..<40)
    func inStep(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let file = GroupFile()
        for _ in 0..<60 {
            Self.operate(file, &random)
            let rings = file.ledger.rings
            #expect(rings.allSatisfy { $0.state == .ringing && $0.until > file.now }, "seed \(seed)")
            #expect(Set(rings.compactMap(\.owner)).isDisjoint(with: file.dead), "seed \(seed)")
        }
    }

    @Test("R18 no file makes any operation trap, and calls ring with every file", arguments: 0..<60)
    func hostileFile(seed: UInt64) {
        var random = SeededRandom(seed: 1_000_000 + seed)
        for _ in 0..<5 {
            let file = GroupFile()
            file.root = Self.hostileRoot(&random, file)
            for _ in 0..<12 { Self.operate(file, &random) }
            file.change { $0.enterBackground() }
            #expect(file.request("fresh", by: 99).rings, "seed \(seed)")
            #expect(file.standing("fresh", by: 99) != .ended(.hangup))
            #expect(file.hangUp("fresh") == ["fresh"], "seed \(seed)")
            #expect(!file.rings.contains("fresh"))
        }
    }

    private static func operate(_ file: GroupFile, _ random: inout SeededRandom) {
        let id = random.pick(ids)
        let pid = Int64.random(in: 0..<6, using: &random)
        let sentAt: Int64? = random.oneIn(2) ? nil : 1_699_999_900 + Int64.random(in: 0..<300, using: &random)
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1, 2: file.request(id, by: pid, sentAt: sentAt, rings: .seconds(.random(in: 1..<130, using: &random)))
        case 3: file.request(id, by: pid, sentAt: sentAt, rings: nil)
        case 4, 5: file.hangUp(id, random.pick(HangupReason.allCases), sentAt: sentAt)
        case 6: file.answer(id)
        case 7: file.decline(id)
        case 8, 9: file.settle(id, by: pid, random.pick(EndReason.allCases))
        case 10: file.dead.insert(file.process(pid))
        case 11: file.dead.removeAll()
        case 12: file.pass(random.pick([.milliseconds(1), .seconds(3), .seconds(31), .seconds(601)]))
        case 13: file.change { $0.takeDeadRings() }
        case 14:
            let owner = random.oneIn(2) ? file.process(pid) : nil
            let isInFront = random.oneIn(3)
            file.change { isInFront ? $0.enterForeground(owner: owner) : $0.enterBackground() }
        default:
            let ask = random.pick([RingAsk.answer(), .decline, .foreground, .look, .hangUp(.busy, sentAt: nil)])
            file.end(id, by: pid, .hangup, askedBy: ask)
        }
        _ = file.standing(id, by: pid)
        _ = file.ledger.changes(from: Ledger(reading: PropertyListDictionary(), at: file.ledger.moment))
    }

    private static func hostileRoot(_ random: inout SeededRandom, _ file: GroupFile) -> PropertyListDictionary {
        var calls = PropertyListDictionary()
        for _ in 0..<Int.random(in: 0..<8, using: &random) {
            var entry: PropertyListDictionary = ["state": .string(random.pick(CallState.allCases).rawValue)]
            for key in StrangerTests.entryKeys where !random.oneIn(3) { entry[key] = value(&random, file) }
            if !random.oneIn(3) { entry["state"] = .string(random.pick(CallState.allCases).rawValue) }
            calls[random.pick(ids + ["new", "\u{0}", "x"])] =
                random.oneIn(6) ? value(&random, file) : .dictionary(entry)
        }
        var root = PropertyListDictionary()
        for key in ["enterToForground", "foregroundOwner", "keyStartCallTime", "pendingAccept", "calls", "other"] {
            if !random.oneIn(3) { root[key] = value(&random, file) }
        }
        if !random.oneIn(5) { root["calls"] = .dictionary(calls) }
        return root
    }

    private static func value(_ random: inout SeededRandom, _ file: GroupFile) -> PropertyListValue {
        let now = file.now.microseconds
        let process = file.process(Int64.random(in: 0..<6, using: &random))
        return random.pick(
            StrangerTests.garbage + [
                .integer(now), .integer(now + 20_000_000), .integer(now + 119_000_000), .integer(now + 500_000_000),
                .integer(1_700_000_000), .real(1_700_000_000), .string(file.bootID), .integer(process.pid),
                .integer(process.start), .string("answered"), .string("cancelled"), .real(1e18), .real(-0.0),
                .dictionary(["bootId": .string(file.bootID), "since": .integer(now)]),
            ])
    }
}
