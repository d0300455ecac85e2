import BelfrySyscalls
import BelfryTerms
import CallDirectory
import CallDirectoryFiles
import DirectoryLoading
import KeeperChannel
import Support
import Testing

/// What an extension gives, on its way into the table, without a process.
@Suite struct DirectoryIntakeTests {
    private let place = TemporaryFolder()

    /// A load and what is told of it.
    private final class Tried {
        private(set) var warnings: [String] = []
        private(set) var intake: DirectoryIntake?

        init(in folder: DirectoryFolder) throws {
            intake = try DirectoryIntake(.list, in: folder, entriesMax: 10_000) { [unowned self] code, detail in
                warnings.append("\(code.rawValue): \(detail)")
            }
        }

        func add(_ numbers: some Sequence<Int64>, to kind: EntryKind = .blocking) throws {
            let numbers = Array(numbers)
            var bytes = numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
            // Each label is one byte long.
            if kind == .identification {
                bytes += numbers.flatMap { _ in [1, 0] as [UInt8] } + numbers.map { _ in 0x61 }
            }
            let batch = try DirectoryBatch(
                bytes, count: Int64(numbers.count), hasLabels: kind == .identification)
            try intake?.take(.add(kind, count: Int64(numbers.count)), batch)
        }
    }

    private func folder() throws -> DirectoryFolder {
        try #require(try DirectoryFolder.open(inStateDirectory: place.path, makes: true))
    }

    /// A table with these numbers: of labels if they are of that kind.
    private func fill(_ numbers: ClosedRange<Int64>, _ kind: EntryKind = .blocking) throws {
        let tried = try Tried(in: try folder())
        try tried.intake?.take(.whole, nil)
        try tried.add(numbers, to: kind)
        _ = try tried.intake?.commit()
    }

    @Test(
        "numbers that no call has are told once, with how many and the first",
        arguments: [
            ([9_999_999, 10_000_000, 999_999_999_999_999], "1 entry has a number that no call has, such as 9999999:"),
            ([12_345_678, 1_000_000_000_000_000], "1 entry has a number that no call has, such as 1000000000000000:"),
            ([-5, 0, 12_345_678, .max], "3 entries have numbers that no call has, such as -5:"),
        ])
    func implausible(_ numbers: [Int64], beginning: String) throws {
        for commits in [true, false] {
            let tried = try Tried(in: try folder())
            try tried.add(numbers)
            if commits { _ = try tried.intake?.commit() } else { tried.intake?.abandon() }
            tried.intake?.abandon()
            #expect(tried.warnings.count == 1, "\(tried.warnings)")
            #expect(tried.warnings.first?.hasPrefix("directory-format: \(beginning)") == true, "\(tried.warnings)")
        }
    }

    @Test(
        "a difference that gives nine tenths of a hundred numbers or more again is told, of whichever kind",
        arguments: [(100, 90, true), (100, 89, false), (99, 99, false), (200, 180, true), (200, 179, false)])
    func everything(old: Int64, again: Int64, isTold: Bool) throws {
        for kind in EntryKind.allCases {
            try fill(10_000_001...10_000_000 + old, kind)
            let tried = try Tried(in: try folder())
            try tried.add(10_000_001...10_000_000 + again, to: kind)
            #expect(try tried.intake?.commit().rows == Int(old))
            #expect(tried.warnings.map { $0.hasPrefix("directory-full-as-diff: ") } == (isTold ? [true] : []))
        }
    }

    @Test("a whole load, and a difference that removes, are not told", arguments: ["whole", "one", "all"])
    func differences(_ way: String) throws {
        try fill(10_000_001...10_000_200)
        let tried = try Tried(in: try folder())
        switch way {
        case "whole": try tried.intake?.take(.whole, nil)
        case "all": try tried.intake?.take(.removeAll(.blocking), nil)
        default:
            let batch = try DirectoryBatch([UInt8](repeating: 1, count: 8), count: 1, hasLabels: false)
            try tried.intake?.take(.remove(.identification, count: 1), batch)
        }
        try tried.add(10_000_001...10_000_200)
        #expect(try tried.intake?.commit().rows == 200 && tried.warnings.isEmpty)
    }

    @Test("a word that is refused ends the load: the table stays, and no file of it is left")
    func refused() throws {
        try fill(10_000_001...10_000_010)
        let tried = try Tried(in: try folder())
        try tried.intake?.take(.whole, nil)
        try tried.intake?.take(.whole, nil)
        try tried.add([5, 10_000_007])
        let failure = #expect(throws: DirectoryFailure.self) { try tried.add([4]) }
        #expect(failure?.code == .entriesOutOfOrder)
        #expect(tried.warnings.map { $0.prefix { $0 != ":" } } == ["directory-order", "directory-format"])
        #expect(try Directory.names(at: "\(place.path)/directory", max: 10).allSatisfy { !$0.hasSuffix(".new") })
        #expect(try NumberTableFile(of: .list, in: folder())?.counts().blocked == 10)
    }
}
