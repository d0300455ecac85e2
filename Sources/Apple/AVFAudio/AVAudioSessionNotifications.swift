import BelfryAppleGround

// Names that an app observes. Nothing here interrupts a session or changes its route, so that none of them is posted.

extension AVAudioSession {
    /// Something interrupts the session, or does so no longer.
    public static let interruptionNotification = Notification.Name("AVAudioSessionInterruptionNotification")
    /// Another route.
    public static let routeChangeNotification = Notification.Name("AVAudioSessionRouteChangeNotification")
    /// The system's sound is gone.
    public static let mediaServicesWereLostNotification = Notification.Name(
        "AVAudioSessionMediaServicesWereLostNotification")
    /// The system's sound has begun anew.
    public static let mediaServicesWereResetNotification = Notification.Name(
        "AVAudioSessionMediaServicesWereResetNotification")
    /// Others play, or do so no longer.
    public static let silenceSecondaryAudioHintNotification = Notification.Name(
        "AVAudioSessionSilenceSecondaryAudioHintNotification")
}

/// The key of an ``AVAudioSession/InterruptionType``'s number.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
/// The key of the number of ``AVAudioSession/InterruptionOptions``.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
/// The key of an ``AVAudioSession/InterruptionReason``'s number.
public let AVAudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"
/// The key of a truth value: whether the app was suspended.
public let AVAudioSessionInterruptionWasSuspendedKey = "AVAudioSessionInterruptionWasSuspendedKey"
/// The key of an ``AVAudioSession/RouteChangeReason``'s number.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
/// The key of the ``AVAudioSessionRouteDescription`` before the change.
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"
/// The key of the number of an ``AVAudioSession/SilenceSecondaryAudioHintType``.
public let AVAudioSessionSilenceSecondaryAudioHintTypeKey = "AVAudioSessionSilenceSecondaryAudioHintTypeKey"
