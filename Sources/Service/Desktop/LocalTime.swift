import BelfrySyscalls
import BelfryTerms
import Glibc

/// Times as people read them.
enum LocalTime {
    /// The Unix second `second` in this machine's zone: the clock's time if it is of today, with the date else.
    static func text(_ second: Int64) -> String {
        let day = text(second, "%Y-%m-%d")
        let clock = text(second, "%H:%M")
        return day == text(Int64(Glibc.time(nil)), "%Y-%m-%d") ? clock : "\(day) \(clock)"
    }

    /// When `instant` was, empty if it is none from this machine's start until now: a peer may say any.
    static func text(of instant: Instant) -> String {
        let now = bootTimeMicroseconds()
        guard (0...now).contains(instant.microseconds) else { return "" }
        return text(Int64(Glibc.time(nil)) - (now - instant.microseconds) / 1_000_000)
    }

    private static func text(_ second: Int64, _ format: String) -> String {
        var seconds = time_t(second)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return "" }
        var buffer = [CChar](repeating: 0, count: 32)
        let count = unsafe strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
