import Support
import Testing

@testable import CallDirectory

/// What is left of numbers as a load ends.
@Suite struct NumberMergeTests {
    /// What a table says of a kind, and of the other: a plain dictionary, whose values are the load's or `old`.
    private struct Model {
        var blocked: Set<Int64> = []
        var labels: [Int64: NumberMerge.Outcome.Label] = [:]

        func row(_ number: Int64) -> NumberRow? {
            guard blocked.contains(number) || labels[number] != nil else { return nil }
            return NumberRow(
                number, isBlocked: blocked.contains(number), labelPlace: labels[number].map { _ in Int(number) })
        }

        func outcome(_ number: Int64) -> NumberMerge.Outcome? {
            row(number).map { NumberMerge.Outcome(isBlocked: $0.isBlocked, label: labels[number]) }
        }
    }

    /// A random load, and what it has added of each kind, in order.
    private static func load(
        _ random: inout SeededRandom, onto model: inout Model
    ) throws -> (DirectoryLoad, [EntryKind: [Int64]]) {
        var load = DirectoryLoad(isIncremental: !random.oneIn(4), entriesMax: 1_000)
        var added: [EntryKind: [Int64]] = [.blocking: [], .identification: []]
        if !load.isIncremental { model = Model() }
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            let kind = random.pick(EntryKind.allCases)
            if load.isIncremental, random.oneIn(2) {
                if random.oneIn(6) {
                    try load.removeAll(of: kind)
                    if kind == .blocking { model.blocked = [] } else { model.labels = [:] }
                } else {
                    let number = Int64.random(in: 0...40, using: &random)
                    try load.remove([number], from: kind)
                    if kind == .blocking { model.blocked.remove(number) } else { model.labels[number] = nil }
                }
                continue
            }
            let first = (added[kind]?.last ?? -1) + 1
            guard first <= 40 else { continue }
            let numbers = (first...40).prefix(12).filter { _ in random.oneIn(3) }
            try load.add(numbers, to: kind)
            added[kind]? += numbers
            if kind == .blocking { model.blocked.formUnion(numbers) }
            if kind == .identification { for number in numbers { model.labels[number] = .added } }
        }
        return (load, added)
    }

    @Test("random loads leave what a plain dictionary has; up to the next change old rows stay as they are")
    func model() throws {
        var random = SeededRandom(seed: 7)
        var model = Model()
        for round in 0..<3_000 {
            model.labels = model.labels.mapValues { _ in .old }
            let old = model
            let (load, added) = try Self.load(&random, onto: &model)
            var merge = NumberMerge(load)
            #expect((merge.nextChange == nil) == EntryKind.allCases.contains { load[$0].dropsOld })
            // Those that a table would ask for: old rows and entries, but at random some run of old rows as a whole.
            for number in 0...40 as ClosedRange<Int64> {
                let entries = EntryKind.allCases.map { added[$0]?.firstIndex(of: number) }
                let row = old.row(number)
                guard row != nil || entries.contains(where: { $0 != nil }) else { continue }
                if entries == [nil, nil], let change = merge.nextChange, number < change {
                    #expect(model.outcome(number) == old.outcome(number), "round \(round)")
                    continue
                }
                let outcome = merge.outcome(of: number, old: row, blocked: entries[0], identified: entries[1])
                #expect(outcome == model.outcome(number), "round \(round), \(number)")
            }
        }
    }

    @Test("the next change is the next number that is removed, then the last number there is")
    func nextChange() throws {
        var load = DirectoryLoad(isIncremental: true, entriesMax: 10)
        try load.remove([9, 4], from: .blocking)
        try load.remove([6], from: .identification)
        var merge = NumberMerge(load)
        #expect(merge.nextChange == 4)
        let old = NumberRow(4, isBlocked: true, labelPlace: 0)
        #expect(
            merge.outcome(of: 4, old: old, blocked: nil, identified: nil)
                == NumberMerge.Outcome(isBlocked: false, label: .old))
        #expect(merge.nextChange == 6)
        #expect(merge.outcome(of: 9, old: nil, blocked: nil, identified: nil) == nil)
        #expect(merge.nextChange == .max)
    }
}
