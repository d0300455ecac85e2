import Glibc

/// Times as people read them, in the time zone of the shell.
enum TimeText {
    /// `2026-11-22 13:07:28` for a Unix second.
    static func time(_ unixSecond: Int64) -> String { text(unixSecond, "%Y-%m-%d %H:%M:%S") }

    /// `13:07:28` for a Unix second.
    static func clock(_ unixSecond: Int64) -> String { text(unixSecond, "%H:%M:%S") }

    private static func text(_ unixSecond: Int64, _ format: String) -> String {
        var seconds = time_t(unixSecond)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return "-" }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = unsafe strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
