@testable import BelfryPropertyList
import Testing

/// The calendar, reckoned backwards and forwards.
@Suite struct CivilDateTests {
    private static func daysOfMonth(_ month: Int, of year: Int) -> Int {
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    @Test(
        "each day follows the one before it, through whole eras of 400 years and the year 0",
        arguments: [(2001, -150_000, 150_000), (0, -731_500, -730_000)])
    func everyDay(yearBetween: Int, first: Int, last: Int) {
        var before = CivilDate(daysSince2001: first)
        var wrong: Int?
        for days in first + 1...last {
            let date = CivilDate(daysSince2001: days)
            let isNewMonth = before.day == Self.daysOfMonth(before.month, of: before.year)
            let isNewYear = isNewMonth && before.month == 12
            let isRight =
                date.day == (isNewMonth ? 1 : before.day + 1)
                && date.month == (isNewYear ? 1 : before.month + (isNewMonth ? 1 : 0))
                && date.year == before.year + (isNewYear ? 1 : 0) && date.daysSince2001 == days
            if !isRight, wrong == nil { wrong = days }
            before = date
        }
        #expect(wrong == nil)
        #expect(before.year > yearBetween && CivilDate(daysSince2001: first).year < yearBetween)
    }

    @Test("days are counted from 2001")
    func start() {
        let date = CivilDate(daysSince2001: 0)
        #expect(date.year == 2001 && date.month == 1 && date.day == 1)
    }
}
