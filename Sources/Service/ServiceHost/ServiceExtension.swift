public import BelfryProtocol
public import Interception

/// What runs between a notification's arrival and its delivery: `UNNotificationServiceExtension` to its host.
///
/// The built-in ones ring and hang up; a foreign process can stand behind this protocol just as well. All of it is
/// called on the loop, in this order: ``admit(within:_:)``, ``didReceive(_:within:)``, perhaps
/// ``serviceExtensionTimeWillExpire()``, ``end()``; ``stop()`` may come at any time after `didReceive`.
public protocol ServiceExtension: AnyObject {
    /// Who hears what becomes of the notification; set before anything is called, and held weakly.
    var host: (any ServiceExtensionHost)? { get set }

    /// Whether it still has something to do after the delivery, such as to ring. The worker stays as long.
    var isBusy: Bool { get }

    /// Decides whether it takes the notification at all, before anything of it is told; calls `decided` once, perhaps
    /// before this returns. If it has not by the budget's end, or a second after a stop, the notification goes without
    /// it.
    func admit(within budget: Budget, _ decided: @escaping (ExtensionVerdict) -> Void)

    /// Takes the notification, and hands its content to the host by the budget's end.
    func didReceive(_ request: NotificationRequest, within budget: Budget)

    /// The last chance to hand the content over.
    func serviceExtensionTimeWillExpire()

    /// The worker has to go: hands the best attempt over now, if it has not handed over any content yet, and finishes
    /// what it is busy with (R17).
    func stop()

    /// The content was delivered, be it without the extension: what it hands over from now on counts no more. Not
    /// called if it died first.
    func end()
}

/// What a ``ServiceExtension`` says of a notification before it takes it.
public enum ExtensionVerdict: Sendable {
    /// It takes it.
    case admitted
    /// It refuses it, and nothing else happens.
    case refused(Rejection)
}

/// What an extension tells its host, on the loop.
public protocol ServiceExtensionHost: AnyObject {
    /// The content handler: `content` is what to deliver, copied as it is called. Only the first call counts (R2).
    func extensionHandedOver(_ content: NotificationContent)

    /// The extension's process ended, perhaps without having handed anything over.
    func extensionDied()

    /// ``ServiceExtension/isBusy`` may have become false.
    func extensionIsIdle()
}
