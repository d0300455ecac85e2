/// A length of time in whole microseconds, clamped to ±``longest``.
public struct TimeSpan: Hashable, Comparable, Sendable {
    /// A hundred years: far beyond any ring, and small enough that sums of a few thousand never overflow.
    public static let longest = TimeSpan(microseconds: 100 * 366 * 86_400 * 1_000_000)

    /// How far another machine's clock may be ahead before it is wrong (R9).
    public static let clockSkewMax = TimeSpan.seconds(60)

    /// No time at all.
    public static let zero = TimeSpan(microseconds: 0)

    /// Length in microseconds.
    public let microseconds: Int64

    /// A span of `microseconds`, clamped.
    public init(microseconds: Int64) {
        let limit: Int64 = 100 * 366 * 86_400 * 1_000_000
        self.microseconds = min(max(microseconds, -limit), limit)
    }

    /// A span of `seconds`, clamped; nil for NaN, which is no length.
    public init?(seconds: Double) {
        guard !seconds.isNaN else { return nil }
        let limit = TimeSpan.longest.seconds
        self.init(microseconds: Int64((min(max(seconds, -limit), limit) * 1e6).rounded()))
    }

    /// A span of whole milliseconds.
    public static func milliseconds(_ count: Int64) -> TimeSpan {
        TimeSpan(microseconds: min(max(count, -1 << 50), 1 << 50) * 1_000)
    }

    /// A span of whole seconds.
    public static func seconds(_ count: Int64) -> TimeSpan {
        TimeSpan(microseconds: min(max(count, -1 << 40), 1 << 40) * 1_000_000)
    }

    /// Length in seconds, for people and for JSON.
    public var seconds: Double { Double(microseconds) / 1e6 }

    /// Orders by length.
    public static func < (left: TimeSpan, right: TimeSpan) -> Bool { left.microseconds < right.microseconds }

    /// The sum, clamped.
    public static func + (left: TimeSpan, right: TimeSpan) -> TimeSpan {
        TimeSpan(microseconds: left.microseconds + right.microseconds)
    }

    /// The difference, clamped.
    public static func - (left: TimeSpan, right: TimeSpan) -> TimeSpan {
        TimeSpan(microseconds: left.microseconds - right.microseconds)
    }

    /// `count` times this span, clamped.
    public static func * (span: TimeSpan, count: Int64) -> TimeSpan {
        let (product, overflow) = span.microseconds.multipliedReportingOverflow(by: count)
        guard overflow else { return TimeSpan(microseconds: product) }
        return (span.microseconds < 0) == (count < 0) ? longest : TimeSpan(microseconds: .min)
    }
}
