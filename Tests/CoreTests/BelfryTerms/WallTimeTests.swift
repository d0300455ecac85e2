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

    @Test("R9 what has an expiration is past it from the next microsecond on, and 1970, try once, never is")
    func expiration() {
        #expect(!Self.now.isPastExpiration(at: Self.now))
        #expect(Self.now.isPastExpiration(at: Self.now + TimeSpan(microseconds: 1)))
        #expect(!Self.now.isPastExpiration(at: Self.now + TimeSpan(microseconds: -1)))
        #expect(!WallTime(microseconds: 0).isPastExpiration(at: Self.now))
        #expect(WallTime(microseconds: 1).isPastExpiration(at: Self.now))
    }

    @Test("R8 whole seconds may mean up to their end, any other time is exact") func latest() {
        #expect(Self.now.latest == Self.now + TimeSpan(microseconds: 999_999))
        for exact in [1, 999_999] as [Int64] {
            #expect((Self.now + TimeSpan(microseconds: exact)).latest == Self.now + TimeSpan(microseconds: exact))
        }
    }
}
