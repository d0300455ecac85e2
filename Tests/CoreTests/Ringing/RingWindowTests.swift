import BelfryTerms
@testable import Ringing
import Testing

/// From when to when a call rings: R7 and R9 as numbers.
@Suite struct RingWindowTests {
    let start = Instant(microseconds: 77_000_000)
    let wall = WallTime(microseconds: 1_700_000_000_250_000)

    func window(
        duration: TimeSpan = .seconds(30), sentAt: WallTime? = nil, expiration: WallTime? = nil,
        budget: TimeSpan = .seconds(30)
    ) -> RingWindow? {
        RingWindow.of(
            duration: duration, sentAt: sentAt, expiration: expiration, start: start, wall: wall,
            deadline: start + budget)
    }

    @Test("R7 the defaults ring to the end of the budget, which is a timeout")
    func defaults() {
        #expect(window() == RingWindow(start: start, end: start + .seconds(30), reasonAtEnd: .timeout))
    }

    @Test("R7 a budget that began a little before the ring does not make it expired, a second and more does")
    func expired() {
        #expect(window(budget: .seconds(29))?.reasonAtEnd == .timeout)
        #expect(window(budget: .seconds(29) - TimeSpan(microseconds: 1))?.reasonAtEnd == .expired)
        #expect(window(budget: .seconds(5))?.end == start + .seconds(5))
    }

    @Test("R7 a budget that is over before the ring begins ends it as it begins, never before")
    func budgetOver() {
        let over = window(budget: .seconds(-3))
        #expect(over?.end == start && over?.reasonAtEnd == .expired)
    }

    @Test("R7 without a budget nothing cuts it")
    func withoutBudget() {
        let window = RingWindow.of(
            duration: .seconds(120), sentAt: nil, expiration: nil, start: start, wall: wall, deadline: nil)
        #expect(window == RingWindow(start: start, end: start + .seconds(120), reasonAtEnd: .timeout))
    }

    @Test("R9 one that has waited rings for what is left since it was sent, or came; it expires as it comes")
    func waited() {
        func end(_ waited: TimeSpan, sentAt: WallTime? = nil, expiration: WallTime? = nil) -> TimeSpan? {
            RingWindow.of(
                duration: .seconds(30), sentAt: sentAt, expiration: expiration, start: start, wall: wall,
                deadline: nil, waited: waited
            ).map { $0.end - start }
        }
        #expect(end(.seconds(5)) == .seconds(25))
        #expect(end(.seconds(5), sentAt: wall + .seconds(-8)) == .seconds(22))
        #expect(end(.seconds(5), sentAt: wall + .seconds(2)) == .seconds(25))
        #expect(end(.seconds(30)) == nil && end(.milliseconds(29_999)) == .milliseconds(1))
        #expect(end(.seconds(5), expiration: wall + .seconds(-5)) != nil)
        #expect(end(.seconds(5), expiration: wall + .milliseconds(-5_001)) == nil)
    }

    @Test("R9 a request is stale once its expiration is past, not at it")
    func expiration() {
        #expect(window(expiration: wall) != nil)
        #expect(window(expiration: wall + TimeSpan(microseconds: -1)) == nil)
        #expect(window(expiration: wall + .seconds(1))?.end == start + .seconds(30))
    }

    @Test("R9 a request is stale once sentAt plus its duration is past")
    func stale() {
        #expect(window(duration: .seconds(10), sentAt: wall + .seconds(-10)) == nil)
        #expect(window(duration: .seconds(10), sentAt: wall + .seconds(-100_000)) == nil)
        #expect(window(duration: .seconds(10), sentAt: wall + .seconds(-9))?.end == start + .seconds(1))
    }

    @Test("R9 whole seconds cost a call nothing of its ring")
    func wholeSeconds() {
        let second = WallTime(microseconds: 1_700_000_000_000_000)
        func left(_ sentAt: WallTime) -> TimeSpan? {
            window(duration: .seconds(2), sentAt: sentAt).map { $0.end - start }
        }
        #expect(left(second) == .seconds(2))
        #expect(left(second + .seconds(-1)) == TimeSpan(microseconds: 1_749_999))
        #expect(left(second + .seconds(-2)) == TimeSpan(microseconds: 749_999))
        #expect(left(second + .seconds(-3)) == nil)
        #expect(left(second + TimeSpan(microseconds: -1)) == TimeSpan(microseconds: 1_749_999))
    }

    @Test("R9 what is left of the duration counts, also for what the end is called")
    func left() {
        let cut = window(duration: .seconds(40), sentAt: wall + .seconds(-9))
        #expect(cut?.end == start + .seconds(30) && cut?.reasonAtEnd == .timeout)
        #expect(window(duration: .seconds(40), sentAt: wall + .seconds(-8))?.reasonAtEnd == .expired)
    }

    @Test("R9 a request with a sentAt a little in the future rings for its duration, not longer")
    func alittleAhead() {
        #expect(window(duration: .seconds(5), sentAt: wall + .seconds(60))?.end == start + .seconds(5))
    }

    @Test("R9 an expiration that is past is stale, but 0 is \"try once\" and never past")
    func tryOnce() {
        func window(_ expiration: WallTime?) -> RingWindow? {
            RingWindow.of(
                duration: .seconds(30), sentAt: nil, expiration: expiration, start: Instant(microseconds: 0),
                wall: wall,
                deadline: Instant(microseconds: 30_000_000))
        }
        #expect(window(nil) != nil && window(WallTime(microseconds: 0)) != nil && window(wall) != nil)
        #expect(window(wall + TimeSpan(microseconds: -1)) == nil && window(WallTime(microseconds: 1)) == nil)
    }

    @Test("R18 the largest numbers give a window or none, and never trap")
    func hugeNumbers() {
        let spans = [Int64.min, -1, 0, 1, .max].map { TimeSpan(microseconds: $0) }
        let times: [WallTime?] = [nil] + [Int64.min, -1, 0, 1, .max].map { WallTime(microseconds: $0) }
        for duration in spans {
            for sentAt in times {
                for expiration in times {
                    for budget in spans {
                        let window = window(
                            duration: duration, sentAt: sentAt, expiration: expiration, budget: budget)
                        if let window { #expect(window.end >= window.start) }
                    }
                }
            }
        }
    }
}
