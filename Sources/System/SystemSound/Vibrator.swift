public import BelfryTerms

/// One stretch of vibration, as a value: what a tick asks for.
public struct VibrationPulse: Hashable, Sendable {
    /// How long it lasts.
    public let duration: TimeSpan

    /// What a ring's tick asks for: long enough to be felt in a pocket, with a rest before the next.
    public static let ring = VibrationPulse(duration: .milliseconds(400))

    /// A pulse.
    public init(duration: TimeSpan) {
        self.duration = duration
    }

    /// This pulse, cut to what fits into `interval`: half of it, so that a rest remains to tell pulses apart.
    public func fitted(to interval: TimeSpan) -> VibrationPulse {
        let half = TimeSpan(microseconds: max(interval.microseconds, 0) / 2)
        return VibrationPulse(duration: min(duration, half))
    }
}

/// Whether a vibrator can be felt here.
public enum VibratorAvailability: Hashable, Sendable {
    /// It can; the text says through what.
    case available(String)
    /// It cannot; the text says why.
    case unavailable(String)
}

/// Something that vibrates. Called on the loop's thread; no call blocks.
public protocol Vibrator: AnyObject {
    /// Whether it can be felt here, and why not.
    var availability: VibratorAvailability { get }

    /// Vibrates from now on for as long as `pulse` says, in place of what still vibrates.
    func start(_ pulse: VibrationPulse)

    /// Rests at once.
    func stop()
}

/// The vibrator of a machine without one, which today is every machine: it moves nothing and says so.
public final class NoVibrator: Vibrator {
    /// A vibrator that moves nothing.
    public init() {}

    /// Always unavailable.
    public var availability: VibratorAvailability {
        .unavailable("this Belfry cannot vibrate yet: neither through feedbackd nor through evdev")
    }

    /// Moves nothing.
    public func start(_ pulse: VibrationPulse) {}

    /// There is nothing to stop.
    public func stop() {}
}
