import BelfryTerms
import Glibc

/// Times of the log as people write and read them, in the time zone of the shell.
enum LogTime {
    private static let unitSeconds: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    private static let pattern = "2026-11-27 09:58:04"
    private static let agoMax: Int64 = 1_000_000

    /// `2026-11-27 09:58:04.969`; nil for what is beyond the calendar.
    static func text(_ time: WallTime) -> String? {
        var seconds = time_t(time.unixSecond)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return nil }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = unsafe strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M:%S", &parts)
        let date = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let milliseconds = "\(max(0, time.microseconds / 1_000 % 1_000))"
        return "\(date).\(String(repeating: "0", count: 3 - milliseconds.utf8.count))\(milliseconds)"
    }

    /// The time that `text` means: as long before `now`, in microseconds since 1970, as `90s`, `10m`, `2h`, `3d`; or a
    /// date, perhaps with a time of day. nil if it is none.
    static func parse(_ text: String, now: Int64) -> WallTime? {
        if let unit = text.last.flatMap({ unitSeconds[$0] }), let count = Int64(text.dropLast()),
            (0...agoMax).contains(count)
        {
            return WallTime(microseconds: now - count * unit * 1_000_000)
        }
        let numbers = text.split { $0 == "-" || $0 == " " || $0 == ":" }.map { Int32($0) ?? -1 }
        // How many numbers the date, the date with hour and minute, and all of the pattern have, by their length.
        guard [10: 3, 16: 5, pattern.count: 6][text.count] == numbers.count,
            zip(pattern, text).allSatisfy({ $0.isWholeNumber ? $1.isWholeNumber : $0 == $1 })
        else { return nil }
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1_900, numbers[1] - 1, numbers[2])
        if numbers.count > 3 { unsafe (parts.tm_hour, parts.tm_min) = (numbers[3], numbers[4]) }
        if numbers.count > 5 { unsafe parts.tm_sec = numbers[5] }
        // Whether it is summer time then, the calendar knows.
        unsafe parts.tm_isdst = -1
        return WallTime(microseconds: Int64(unsafe mktime(&parts)) * 1_000_000)
    }
}
