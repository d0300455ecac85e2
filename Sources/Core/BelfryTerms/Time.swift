/// A point on CLOCK_BOOTTIME: whole microseconds since the machine started, suspended time included.
///
/// Arithmetic clamps to ±``TimeSpan/longest``, so no sum of instants and spans can overflow.
public struct Instant: Hashable, Comparable, Sendable {
    /// Microseconds since boot.
    public let microseconds: Int64

    /// The instant `microseconds` after boot, clamped to what arithmetic can hold.
    public init(microseconds: Int64) {
        self.microseconds = TimeSpan(microseconds: microseconds).microseconds
    }

    /// Seconds since boot, for people and for JSON.
    public var seconds: Double { Double(microseconds) / 1e6 }

    /// Orders by time.
    public static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

    /// The instant `span` later.
    public static func + (instant: Instant, span: TimeSpan) -> Instant {
        Instant(microseconds: instant.microseconds + span.microseconds)
    }

    /// The instant `span` earlier.
    public static func - (instant: Instant, span: TimeSpan) -> Instant {
        Instant(microseconds: instant.microseconds - span.microseconds)
    }

    /// The time from `earlier` to `later`; negative if they are the other way round.
    public static func - (later: Instant, earlier: Instant) -> TimeSpan {
        TimeSpan(microseconds: later.microseconds - earlier.microseconds)
    }
}

/// A length of time in whole microseconds, clamped to ±``longest``.
public struct TimeSpan: Hashable, Comparable, Sendable {
    /// A hundred years: far beyond any ring, and small enough that sums of a few thousand never overflow.
    public static let longest = TimeSpan(microseconds: 100 * 366 * 86_400 * 1_000_000)

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

    /// The span that is `duration`, in whole microseconds, clamped.
    public init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .seconds(seconds) + TimeSpan(microseconds: attoseconds / 1_000_000_000_000)
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

/// A point on the wall clock, in whole microseconds since 1970: for people, and for times that a payload states.
///
/// Nothing is timed by it (R15): a time that a payload states is converted to an ``Instant`` once, when the payload
/// arrives.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01 UTC.
    public let microseconds: Int64

    /// The time `microseconds` after 1970, clamped as a ``TimeSpan`` is.
    public init(microseconds: Int64) {
        self.microseconds = TimeSpan(microseconds: microseconds).microseconds
    }

    /// The time `unixSeconds` after 1970, clamped; nil for NaN.
    public init?(unixSeconds: Double) {
        guard let span = TimeSpan(seconds: unixSeconds) else { return nil }
        self.microseconds = span.microseconds
    }

    /// Seconds since 1970 with their fraction.
    public var unixSeconds: Double { Double(microseconds) / 1e6 }

    /// Whole seconds since 1970, as the group file keeps them.
    public var unixSecond: Int64 { microseconds / 1_000_000 }

    /// Orders by time.
    public static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }

    /// The time from `earlier` to `later`.
    public static func - (later: WallTime, earlier: WallTime) -> TimeSpan {
        TimeSpan(microseconds: later.microseconds - earlier.microseconds)
    }

    /// How far another machine's clock may be ahead of ours before it is wrong (R9).
    public static let clockSkewMax = TimeSpan.seconds(60)

    /// Whether something that is here at `now` can have been sent at this time (R9): it is not more than
    /// ``clockSkewMax`` ahead. Any time in the past is believable; whether it is too long ago is decided elsewhere.
    public func isBelievable(at now: WallTime) -> Bool { self - now <= Self.clockSkewMax }

    /// Whether a push with this expiration is of no use any more at `now` (R9). 1970 itself is "try once", and never
    /// past.
    public func isPastExpiration(at now: WallTime) -> Bool { microseconds != 0 && self < now }

    /// The last instant that a time stated with this precision may mean: of whole seconds, the end of that second.
    public var latest: WallTime {
        microseconds.isMultiple(of: 1_000_000) ? WallTime(microseconds: microseconds + 999_999) : self
    }

    /// The time `span` later.
    public static func + (time: WallTime, span: TimeSpan) -> WallTime {
        WallTime(microseconds: time.microseconds + span.microseconds)
    }
}
