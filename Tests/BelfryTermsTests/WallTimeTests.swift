import BelfryTerms
import Testing

/// Times that others state, against our clock.
@Suite struct WallTimeTests {
    static let now = WallTime(microseconds: 1_790_000_000_000_000)

    @Test("R9 what was sent over sixty seconds in the future comes of a wrong clock")
    func believable() {
        #expect(Self.now.isBelievable(at: Self.now))
        #expect((Self.now + .seconds(60)).isBelievable(at: Self.now))
        #expect(!(Self.now + .seconds(60) + TimeSpan(microseconds: 1)).isBelievable(at: Self.now))
        #expect((Self.now + .seconds(-1_000_000)).isBelievable(at: Self.now))
    }

    @Test("R18 the earliest and the latest time there is are judged without a trap")
    func bounds() {
        let earliest = WallTime(microseconds: .min)
        let latest = WallTime(microseconds: .max)
        #expect(earliest.isBelievable(at: latest) && !latest.isBelievable(at: earliest))
    }
}
