import BelfrySyscalls
import CallDirectory
import CallDirectoryFiles
import Glibc
import Support
import Testing

/// Loaders that are killed while they load.
@Suite(.timeLimit(.minutes(10))) struct KilledLoadTests {
    /// The numbers that the `round`th load blocks, and no other.
    private static func blocked(by round: Int) -> ClosedRange<Int64> {
        let first = 4_930_000_000 + Int64(round) * 1_000_000
        return first...first + 19_999
    }

    /// Of which round the rows of `tried` are; nil if they are of none as a whole.
    private static func rowsRound(_ tried: LoadedExtension, upTo last: Int) throws -> Int? {
        let file = try #require(try NumberTableFile(of: tried.owner, in: tried.directory()))
        let rounds = try (0...last).filter { try file.entry(of: blocked(by: $0).lowerBound) != nil }
        guard rounds.count == 1, let round = rounds.first else { return nil }
        let numbers = blocked(by: round)
        let isWhole =
            try file.counts().blocked == numbers.count
            && [numbers.lowerBound + 10_000, numbers.upperBound].allSatisfy { (try? file.entry(of: $0)) != nil }
        return isWhole ? round : nil
    }

    @Test("a loader that is killed at any instant leaves the rows of before or those after it, at every look-up")
    func killed() async {
        await #expect(processExitsWith: .success) { try KilledLoadTests.body() }
    }

    private static func body() throws {
        var random = SeededRandom(seed: 40)
        let tried = try LoadedExtension("range \(blocked(by: 0).lowerBound) \(blocked(by: 0).upperBound)\ncomplete")
        let began = bootTimeMicroseconds()
        #expect(try tried.load().isGood)
        let length = bootTimeMicroseconds() - began
        var (current, killed) = (0, 0)
        for round in 1...60 {
            let numbers = blocked(by: round)
            let isDifference = random.oneIn(2)
            tried.write(
                (isDifference ? "incremental\nunblock-all\n" : "")
                    + "range \(numbers.lowerBound) \(numbers.upperBound)\ncomplete")
            let run = try tried.start()
            let end = bootTimeMicroseconds() + Int64.random(in: 0...length * 5 / 4, using: &random)
            repeat {
                let seen = try rowsRound(tried, upTo: round)
                #expect(seen == current || seen == round, "round \(round) sees \(seen.map(String.init) ?? "a mixture")")
            } while bootTimeMicroseconds() < end
            // Its extension goes with it.
            try run.child.signal(SIGKILL)
            if try tried.end(run).status == .killed(signal: SIGKILL) { killed += 1 }
            let left = try rowsRound(tried, upTo: round)
            #expect(left == current || left == round)
            current = left ?? current
        }
        #expect(killed > 10)
        tried.write("complete")
        #expect(try tried.load().isGood)
        #expect(try tried.rows() == [] && tried.leftovers().isEmpty)
    }
}
