/// The sound of a notification: `UNNotificationSound` as a value.
public struct NotificationSound: Hashable, Sendable {
    /// A bare file name, or `default`.
    public var name: String
    /// Whether it plays through the mute switch.
    public var isCritical: Bool
    /// From 0 to 1; only a critical sound has one, else 1.
    public var volume: Double

    /// A sound; `volume` is clamped to 0…1.
    public init(name: String, isCritical: Bool = false, volume: Double = 1) {
        self.name = name
        self.isCritical = isCritical
        self.volume = volume.isNaN ? 1 : min(max(volume, 0), 1)
    }
}
