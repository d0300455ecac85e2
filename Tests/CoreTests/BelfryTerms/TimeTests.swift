import BelfryTerms
import Testing

/// Instants and lengths of time: R15 and R18 in numbers.
@Suite struct TimeTests {
    static let longest: Int64 = 100 * 366 * 86_400 * 1_000_000

    @Test("R15 sums and differences are exact to the microsecond")
    func sums() {
        let instant = Instant(microseconds: 5_000_001)
        #expect(instant + .seconds(2) == Instant(microseconds: 7_000_001))
        #expect(instant - .milliseconds(3) == Instant(microseconds: 4_997_001))
        #expect(instant - Instant(microseconds: 6_000_002) == TimeSpan(microseconds: -1_000_001))
        #expect(TimeSpan.seconds(3) + .milliseconds(-1) == TimeSpan(microseconds: 2_999_000))
        #expect(TimeSpan.seconds(3) - .milliseconds(1) == TimeSpan(microseconds: 2_999_000))
        #expect(TimeSpan.milliseconds(-7) == TimeSpan(microseconds: -7_000))
        #expect(TimeSpan.seconds(-7) == TimeSpan(microseconds: -7_000_000))
        #expect(TimeSpan.milliseconds(7) * 3 == TimeSpan(microseconds: 21_000))
        let wall = WallTime(microseconds: 1_790_000_000_500_000)
        #expect((wall + .seconds(1)) - wall == .seconds(1) && wall.unixSecond == 1_790_000_000)
        #expect(wall.unixSeconds == 1_790_000_000.5 && instant.seconds == 5.000001)
        #expect(TimeSpan.milliseconds(1_500).seconds == 1.5)
    }

    @Test("time is ordered, and nothing is before itself")
    func order() {
        #expect(Instant(microseconds: 1) < Instant(microseconds: 2))
        #expect(WallTime(microseconds: 1) < WallTime(microseconds: 2))
        #expect(TimeSpan(microseconds: -2) < TimeSpan(microseconds: 1))
        #expect(!(TimeSpan.zero < .zero) && !(Instant(microseconds: 2) < Instant(microseconds: 2)))
        #expect(!(WallTime(microseconds: 2) < WallTime(microseconds: 2)) && TimeSpan.zero.microseconds == 0)
    }

    @Test("R18 what is longer than a hundred years counts as a hundred years, either way")
    func bounds() {
        let (most, least) = (TimeSpan(microseconds: Self.longest), TimeSpan(microseconds: -Self.longest))
        #expect(most == .longest && most.microseconds == Self.longest && least.microseconds == -Self.longest)
        #expect(TimeSpan(microseconds: Self.longest + 1) == most && TimeSpan(microseconds: .max) == most)
        #expect(TimeSpan(microseconds: -Self.longest - 1) == least && TimeSpan(microseconds: .min) == least)
        #expect(TimeSpan(microseconds: Self.longest - 1) < most)
        #expect(TimeSpan.seconds(.max) == most && TimeSpan.seconds(.min) == least)
        #expect(TimeSpan.milliseconds(.max) == most && TimeSpan.milliseconds(.min) == least)
        #expect(TimeSpan.seconds(100 * 366 * 86_400) == most && TimeSpan.seconds(100 * 366 * 86_400 - 1) < most)
        #expect(Instant(microseconds: .max) + .longest == Instant(microseconds: Self.longest))
        #expect(WallTime(microseconds: .min).microseconds == -Self.longest)
    }

    @Test("R18 a product that is too large keeps its sign")
    func products() {
        let (most, least) = (TimeSpan.longest, TimeSpan(microseconds: .min))
        #expect(most * .max == most && least * .min == most && most * .min == least && least * .max == least)
        #expect(TimeSpan.seconds(1) * -2 == .seconds(-2) && TimeSpan.longest * 2 == .longest)
        #expect(TimeSpan.zero * .max == .zero)
    }

    @Test("R18 seconds with a fraction are rounded to microseconds, clamped, and nil if they are no number")
    func reals() {
        #expect(TimeSpan(seconds: 1.5) == .milliseconds(1_500) && TimeSpan(seconds: -1e-6)?.microseconds == -1)
        #expect(TimeSpan(seconds: 0.000_000_6)?.microseconds == 1)
        #expect(
            TimeSpan(seconds: .infinity) == .longest && TimeSpan(seconds: -.infinity)?.microseconds == -Self.longest)
        #expect(TimeSpan(seconds: .nan) == nil && WallTime(unixSeconds: .nan) == nil)
        #expect(WallTime(unixSeconds: 1e300)?.microseconds == Self.longest)
        #expect(WallTime(unixSeconds: 12.25)?.microseconds == 12_250_000)
    }

    @Test("a duration of the standard library is a span, cut to microseconds and clamped") func durations() {
        #expect(TimeSpan(Duration.microseconds(2_999_999)).microseconds == 2_999_999)
        #expect(TimeSpan(Duration.milliseconds(-1_500)) == .milliseconds(-1_500))
        #expect(TimeSpan(Duration.nanoseconds(1_999)).microseconds == 1)
        #expect(TimeSpan(Duration.seconds(1 << 60)) == .longest)
    }
}
