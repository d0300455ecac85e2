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
