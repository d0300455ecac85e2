/// A point on the wall clock, in whole microseconds since 1970: for people, and for times that a payload states.
///
/// Nothing is timed by it (R15): what a payload states is turned into an ``Instant`` once, as it arrives.
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
    public var wholeUnixSeconds: Int64 { microseconds / 1_000_000 }

    /// Orders by time.
    public static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }

    /// The time from `earlier` to `later`.
    public static func - (later: WallTime, earlier: WallTime) -> TimeSpan {
        TimeSpan(microseconds: later.microseconds - earlier.microseconds)
    }

    /// The time `span` later.
    public static func + (time: WallTime, span: TimeSpan) -> WallTime {
        WallTime(microseconds: time.microseconds + span.microseconds)
    }
}
