public import BootTime
public import CallTerms

/// What the operator has tuned of ringing, and who rings.
public struct RingSettings: Sendable {
    /// The longest ring.
    public var duration: TimeSpan
    /// From one tick to the next.
    public var interval: TimeSpan
    /// The sound's name or file, or `none`.
    public var sound: String
    /// Whether a loud ring vibrates.
    public var vibrates: Bool
    /// How a call rings while another does.
    public var secondCall: RingMode
    /// How many may ring at once.
    public var callsMax: Int

    /// Settings.
    public init(
        duration: TimeSpan, interval: TimeSpan, sound: String, vibrates: Bool, secondCall: RingMode, callsMax: Int
    ) {
        self.duration = duration
        self.interval = interval
        self.sound = sound
        self.vibrates = vibrates
        self.secondCall = secondCall
        self.callsMax = callsMax
    }
}
