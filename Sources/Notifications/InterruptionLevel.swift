/// How much a notification may interrupt, as `UNNotificationInterruptionLevel` has it; raw values in APNs spelling.
public enum InterruptionLevel: String, Hashable, Sendable, CaseIterable {
    /// Into the list, without light or sound.
    case passive
    /// At once; the default.
    case active
    /// Through Focus and summaries; what a call is.
    case timeSensitive = "time-sensitive"
    /// Through the mute switch.
    case critical
}

extension InterruptionLevel: Comparable {
    /// Orders by how much each may interrupt.
    public static func < (left: InterruptionLevel, right: InterruptionLevel) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .passive: 0
        case .active: 1
        case .timeSensitive: 2
        case .critical: 3
        }
    }
}
