import BelfryPictures
import Testing

/// The cache stays within its bounds, and the newest stay in it.
@Suite struct CacheBudgetTests {
    private let budget = CacheBudget(bytesMax: 100, entriesMax: 3, ageSecondsMax: 1_000)

    @Test func withinTheBudgetNothingGoes() {
        #expect(budget.expelled(from: [], at: 0) == [])
        #expect(budget.expelled(from: [file("a", 50, 10), file("b", 50, 20)], at: 30) == [])
    }

    @Test func theOldestGoFirst() {
        let files = [file("a", 40, 10), file("b", 40, 20), file("c", 40, 30)]
        #expect(budget.expelled(from: files, at: 40) == [files[0].name])
        let small = [file("a", 1, 10), file("b", 1, 20), file("c", 1, 30), file("d", 1, 40)]
        #expect(budget.expelled(from: small.reversed(), at: 50) == [small[0].name])
        // No older and smaller one stays in the place of one that went.
        let mixed = [file("a", 1, 10), file("b", 90, 20), file("c", 90, 30)]
        #expect(Set(budget.expelled(from: mixed, at: 40)) == [mixed[0].name, mixed[1].name])
    }

    @Test func whatIsOldOrFromTheFutureGoes() {
        let files = [file("a", 1, 0), file("b", 1, 1), file("c", 1, 1_061), file("d", 1, 1_060), file("e", 1, .min)]
        #expect(budget.expelled(from: files, at: 1_000) == [files[0], files[2], files[4]].map(\.name))
    }

    @Test func foreignFilesAreLeftAlone() {
        let foreign = CacheBudget.File(name: "notes.txt", bytes: 1 << 40, changedAt: 0)
        #expect(budget.expelled(from: [foreign, file("a", 100, 900)], at: 1_000) == [])
    }

    @Test func hostileSizesNeverTrap() {
        let files = [file("a", .max, 3), file("b", .max, 2), file("c", -1, 1)]
        #expect(budget.expelled(from: files, at: 5).count == 3)
    }

    @Test func entriesOfEarlierVersionsCountAndAgeOut() {
        let files = [file("a", 60, 10, digits: 64), file("b", 60, 20), file("c", 30, 30, digits: 64)]
        #expect(budget.expelled(from: files, at: 40) == [files[0].name])
        #expect(Set(budget.expelled(from: files, at: 1_030)) == Set(files.map(\.name)))
    }

    private func file(
        _ letter: Character, _ bytes: Int64, _ changedAt: Int64, digits: Int = 16
    ) -> CacheBudget.File {
        CacheBudget.File(
            name: String(repeating: letter, count: digits) + ".picture", bytes: bytes, changedAt: changedAt)
    }
}
