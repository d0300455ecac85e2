public import BootTime

/// The time an extension has, from the start of its process (R3).
public struct Budget: Hashable, Sendable {
    /// How long before the end the extension is told. Source: the grace time observed on devices.
    public static let notice = TimeSpan.seconds(1)

    /// When the process started.
    public let start: Instant
    /// How long it has.
    public let length: TimeSpan

    /// The budget of a process that started at `start`.
    public init(start: Instant, length: TimeSpan) {
        precondition(length > .zero, "a budget of no time")
        self.start = start
        self.length = length
    }

    /// When the original content is delivered.
    public var end: Instant { start + length }

    /// When the extension is told: a second before the end, half-way through a budget under two seconds.
    public var willExpire: Instant {
        guard length < Self.notice * 2 else { return end - Self.notice }
        return start + TimeSpan(microseconds: length.microseconds / 2)
    }
}
