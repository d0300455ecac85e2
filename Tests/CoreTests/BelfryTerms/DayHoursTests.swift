@testable import BelfryTerms
import Testing

/// Hours of the day, as `[Ring] QuietHours=` has them.
@Suite struct DayHoursTests {
    private func quiet(_ text: String) -> [Bool] {
        let hours = DayHours(text) ?? DayHours()
        return ["0:00", "06:59", "07:00", "13:30", "21:59", "22:00", "23:59"].map { clock in
            let parts = clock.split(separator: ":").compactMap { Int($0) }
            return hours.contains(minute: parts[0] * 60 + parts[1])
        }
    }

    @Test func aSpanMayReachPastMidnight() {
        #expect(quiet("22:00-07:00") == [true, true, false, false, false, true, true])
        #expect(quiet("07:00-22:00") == [false, false, true, true, true, false, false])
    }

    @Test func thereMayBeSeveralAndWholeDays() {
        #expect(quiet("22:00-24:00, 0:00-7:00 13:00-14:00") == [true, true, false, true, false, true, true])
        #expect(quiet("00:00-24:00").allSatisfy { $0 } && quiet("12:00-12:00").allSatisfy { $0 })
        #expect(!DayHours().contains(minute: 0) && DayHours().isEmpty && DayHours().text == "")
    }

    @Test func theyAreWrittenAlike() {
        #expect(DayHours("7:05-22:00,\t 23:00-24:00")?.text == "07:05-22:00 23:00-24:00")
        #expect(DayHours(String(repeating: "1:00-2:00 ", count: 8)) != nil)
    }

    @Test(arguments: [
        "", " ", "22:00", "22-07", "22:00-", "22:00-07:00-08:00", "22:60-07:00", "24:00-07:00", "25:00-07:00",
        "1:0-2:00",
        "22:00–07:00", "a:00-07:00", "-1:00-07:00", "022:00-07:00", "22:00-24:01", "٢٢:00-07:00",
        String(repeating: "1:00-2:00 ", count: 9),
    ])
    func whatIsNoneIsRefused(text: String) {
        #expect(DayHours(text) == nil)
    }
}
