/// A day of the Gregorian calendar, reckoned backwards and forwards without end.
///
/// The arithmetic is Howard Hinnant's `days_from_civil` and its inverse
/// (https://howardhinnant.github.io/date_algorithms.html), which needs no table and no branch for leap years.
struct CivilDate {
    /// Days from 1970-01-01 to 2001-01-01, from which property lists count.
    private static let days1970To2001 = 11_323

    let year: Int
    let month: Int
    let day: Int

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day so many days after 2001-01-01; meant for a few thousand years around it.
    init(daysSince2001: Int) {
        let days = daysSince2001 + Self.days1970To2001 + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 2001-01-01, negative before.
    var daysSince2001: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468 - Self.days1970To2001
    }
}
