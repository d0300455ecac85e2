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
