import BelfrySyscalls
import BelfryTerms
import CallDirectory
import CallDirectoryFiles
import Glibc
import Support
import Synchronization
import Testing

/// Loads, and the tables that they leave.
@Suite struct NumberTableLoadTests {
    private let place = TemporaryFolder()

    private func folder() throws -> DirectoryFolder {
        try #require(try DirectoryFolder.open(inStateDirectory: place.path, makes: true))
    }

    private static func entries(in folder: DirectoryFolder) throws -> [NumberEntry] {
        var entries: [NumberEntry] = []
        try NumberTableFile(of: .list, in: folder)?.forEach {
            entries.append($0)
            return true
        }
        return entries
    }

    private static func load(
        _ folder: DirectoryFolder, isDifference: Bool = false, max: Int = .max
    ) throws -> NumberTableLoad {
        try NumberTableLoad(.list, in: folder, wantsDifference: isDifference, entriesMax: max)
    }

    private static func labels(_ texts: String...) -> [ArraySlice<UInt8>] { texts.map { Array($0.utf8)[...] } }

    @Test("a number that both kinds name is one row; equal labels lie there once")
    func whole() throws {
        let folder = try folder()
        let load = try Self.load(folder)
        try load.block([1, 3])
        try load.identify([2, 3, 4], labels: Self.labels("a", "b", "a"))
        let header = try load.commit()
        #expect(header.rows == 4 && header.labelBytes == 6 && header.isIncremental)
        let expected = [
            NumberEntry(1, isBlocked: true), NumberEntry(2, label: "a"), NumberEntry(3, isBlocked: true, label: "b"),
            NumberEntry(4, label: "a"),
        ]
        #expect(try Self.entries(in: folder) == expected)
        let file = try #require(try NumberTableFile(of: .list, in: folder))
        #expect(try file.isIntact() && file.counts() == (2, 3))
    }

    @Test("a load that is given up leaves the table, and no file of its own")
    func abandoned() throws {
        let folder = try folder()
        let load = try Self.load(folder)
        #expect(load.oldRows == 0)
        try load.block([1])
        load.abandon()
        #expect(try Self.entries(in: folder).isEmpty)
        #expect(try Directory.names(at: "\(place.path)/directory", max: 10).allSatisfy { $0.hasSuffix(".lock") })
    }

    @Test("a difference removes, replaces and adds; the last word on a number counts")
    func difference() throws {
        let folder = try folder()
        let first = try Self.load(folder)
        try first.block([1, 2, 3])
        try first.identify([1, 2], labels: Self.labels("one", "two"))
        _ = try first.commit()
        let second = try Self.load(folder, isDifference: true)
        #expect(second.load.isIncremental)
        try second.remove([2, 9], from: .blocking)
        try second.block([2, 4])
        try second.remove([4], from: .blocking)
        try second.identify([1], labels: Self.labels("uno"))
        try second.remove([2], from: .identification)
        _ = try second.commit()
        let expected = [
            NumberEntry(1, isBlocked: true, label: "uno"), NumberEntry(2, isBlocked: true),
            NumberEntry(3, isBlocked: true),
        ]
        #expect(try Self.entries(in: folder) == expected)
        let third = try Self.load(folder, isDifference: true)
        try third.block([7])
        try third.removeAll(of: .blocking)
        try third.block([8])
        _ = try third.commit()
        #expect(try Self.entries(in: folder) == [NumberEntry(1, label: "uno"), NumberEntry(8, isBlocked: true)])
    }

    @Test("a load that is refused or abandoned changes nothing, and the next one removes what it left")
    func refused() throws {
        let folder = try folder()
        let first = try Self.load(folder)
        try first.block([1])
        _ = try first.commit()
        let second = try Self.load(folder, max: 2)
        try second.block([5, 6])
        #expect(throws: DirectoryFailure.self) { try second.block([7]) }
        #expect(try Self.entries(in: folder) == [NumberEntry(1, isBlocked: true)])
        #expect(try Directory.names(at: folder.path, max: 9).sorted() == [".list.numbers.new", "list.numbers"])
        _ = try Self.load(folder).commit()
        #expect(try Directory.names(at: folder.path, max: 9) == ["list.numbers"])
        #expect(try Self.entries(in: folder) == [])
    }

    @Test("a table that is damaged is no ground for a difference, and counts as absent if it is not whole")
    func damaged() throws {
        let folder = try folder()
        let first = try Self.load(folder)
        try first.block([1, 2])
        _ = try first.commit()
        place.damage("directory/list.numbers", from: 70)
        #expect(try NumberTableFile(of: .list, in: folder)?.isIntact() == false)
        #expect(try !Self.load(folder, isDifference: true).load.isIncremental)
        place.write([1, 2, 3], to: "directory/list.numbers")
        var complaints: [String] = []
        let verdict = DirectoryLookup.verdict(on: 1, inStateDirectory: place.path) { complaints.append($0) }
        #expect(!verdict.isBlocked && complaints.count == 1 && complaints[0].contains("list.numbers"))
    }

    @Test("a long label is cut where a character ends")
    func longLabel() throws {
        let folder = try folder()
        let load = try Self.load(folder)
        try load.identify([1, 2], labels: Self.labels("x" + String(repeating: "é", count: 1 << 19), "é"))
        _ = try load.commit()
        let entries = try Self.entries(in: folder)
        #expect(entries[0].label == "x" + String(repeating: "é", count: 511) && entries[1].label == "é")
    }

    @Test("each of many numbers is found, and none between them", arguments: [1, 63, 64, 65, 66, 1_000])
    func found(count: Int) throws {
        let folder = try folder()
        let load = try Self.load(folder)
        try load.block((0..<count).map { Int64($0 * 2) })
        _ = try load.commit()
        let table = try #require(try NumberTableFile(of: .list, in: folder))
        for number in -1...Int64(count * 2) {
            let isThere = number >= 0 && number % 2 == 0 && number < count * 2
            #expect(try table.entry(of: number) == (isThere ? NumberEntry(number, isBlocked: true) : nil), "\(number)")
        }
    }

    @Test("labels that differences left behind do not grow for ever")
    func growth() throws {
        let folder = try folder()
        let first = try Self.load(folder)
        try first.identify([1], labels: Self.labels("first"))
        var header = try first.commit()
        for round in 0..<100 {
            let load = try Self.load(folder, isDifference: true)
            try load.identify([1], labels: Self.labels("round \(round)"))
            header = try load.commit()
        }
        #expect(try Self.entries(in: folder) == [NumberEntry(1, label: "round 99")])
        #expect(header.labelBytes < 64)
    }

    @Test("on a full disk a load fails at whichever write, and the old rows serve") func fullDisk() async {
        await #expect(processExitsWith: .success) {
            _ = signal(SIGXFSZ, SIG_IGN)
            let place = TemporaryFolder()
            let folder = try #require(try DirectoryFolder.open(inStateDirectory: place.path, makes: true))
            let old = try NumberTableLoadTests.load(folder)
            try old.block([7])
            _ = try old.commit()
            var outcomes = Set<Bool>()
            for limit in stride(from: 0, through: 400_000, by: 4_000) {
                var bounds = rlimit()
                unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &bounds)
                bounds.rlim_cur = rlim_t(limit)
                unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &bounds)
                var isDone = false
                if let load = try? NumberTableLoadTests.load(folder) {
                    let numbers = (1...10_000).map { Int64($0) }
                    let labels = numbers.map { Array("label \($0)".utf8)[...] }
                    isDone =
                        (try? load.identify(numbers, labels: labels)) != nil && (try? load.block(numbers)) != nil
                        && (try? load.commit()) != nil
                }
                outcomes.insert(isDone)
                let entries = try NumberTableLoadTests.entries(in: folder)
                if isDone {
                    #expect(entries.count == 10_000)
                    break
                }
                #expect(entries == [NumberEntry(7, isBlocked: true)])
            }
            #expect(outcomes == [true, false])
        }
    }

    /// What a table must say: a plain dictionary.
    private struct Model: Equatable {
        var blocked: Set<Int64> = []
        var labels: [Int64: String] = [:]

        var entries: [NumberEntry] {
            blocked.union(labels.keys).sorted().map {
                NumberEntry($0, isBlocked: blocked.contains($0), label: labels[$0])
            }
        }
    }

    /// Carries out a random load on a table and on a model of it, until its end; nil if it is abandoned, as if it was
    /// killed.
    private static func play(
        _ round: Int, on load: NumberTableLoad, _ model: Model, _ random: inout SeededRandom
    ) throws -> Model? {
        var model = load.load.isIncremental ? model : Model()
        var last: [EntryKind: Int64] = [:]
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            let kind = random.pick(EntryKind.allCases)
            if load.load.isIncremental, random.oneIn(3) {
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
            let first = (last[kind] ?? -1) + 1
            guard first <= 40 else { continue }
            let numbers = (first...40).filter { _ in random.oneIn(4) }
            last[kind] = numbers.last ?? last[kind]
            if kind == .blocking {
                try load.block(numbers)
                model.blocked.formUnion(numbers)
            } else {
                let labels = numbers.map { "\($0) \(round % 7)" }
                try load.identify(numbers, labels: labels.map { Array($0.utf8)[...] })
                for (number, label) in zip(numbers, labels) { model.labels[number] = label }
            }
        }
        return random.oneIn(5) ? nil : model
    }

    @Test("random loads, some abandoned, beside look-ups: each sees the rows before or after, never between")
    func model() throws {
        let folder = try folder()
        let shown = Mutex([[NumberEntry]]())
        shown.withLock { $0 = [[]] }
        let isOver = Atomic(false)
        let wrong = Mutex<String?>(nil)
        let path = place.path
        let reader = PosixThread {
            while !isOver.load(ordering: .relaxed) {
                let before = shown.withLock { $0.count }
                guard let folder = try? DirectoryFolder.open(inStateDirectory: path, makes: false),
                    let entries = try? NumberTableLoadTests.entries(in: folder)
                else {
                    wrong.withLock { $0 = "no look-up" }
                    continue
                }
                // The last that was told of may not stand yet.
                let isKnown = shown.withLock { $0[max(0, before - 2)...].contains(entries) }
                if !isKnown { wrong.withLock { $0 = "\(entries)" } }
            }
        }
        var random = SeededRandom(seed: 40)
        var model = Model()
        for round in 0..<2_000 {
            let load = try Self.load(folder, isDifference: !random.oneIn(4))
            guard let next = try Self.play(round, on: load, model, &random) else { continue }
            model = next
            shown.withLock { $0.append(model.entries) }
            _ = try load.commit()
            if round % 10 == 0 { #expect(try Self.entries(in: folder) == model.entries, "round \(round)") }
        }
        isOver.store(true, ordering: .relaxed)
        reader.join()
        #expect(wrong.withLock { $0 } == nil)
    }
}
