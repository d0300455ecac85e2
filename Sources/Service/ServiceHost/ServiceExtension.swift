public import BelfryProtocol
public import BelfryTerms

/// What runs between a notification's arrival and its delivery: `UNNotificationServiceExtension` to its host.
///
/// The built-in one rings for calls; one day a foreign process stands behind this protocol.
public protocol ServiceExtension: AnyObject {
    /// Called once, on the loop; calls `contentHandler` now or later, by `deadline` at the latest.
    func didReceive(
        _ request: NotificationRequest, deadline: Instant,
        withContentHandler contentHandler: @escaping (NotificationContent) -> Void)

    /// The last chance to call the content handler.
    func serviceExtensionTimeWillExpire()

    /// What to deliver if everything has to stop now; nil for the original.
    var bestAttempt: NotificationContent? { get }
}
