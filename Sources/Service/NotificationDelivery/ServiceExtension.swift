public import BelfryProtocol
public import BelfryTerms
public import Interception

/// What runs between a notification's arrival and its delivery: `UNNotificationServiceExtension`, as the delivery sees
/// it.
///
/// The built-in extensions ring and hang up; a foreign process can stand behind this protocol just as well. The
/// delivery calls everything on the loop, in this order: ``admit(within:_:)``, ``didReceive(_:within:)``, perhaps
/// ``serviceExtensionTimeWillExpire()``, ``end()``; ``stop()`` may come at any time after `didReceive`.
public protocol ServiceExtension: AnyObject {
    /// What the extension hands its content to. Set before anything is called, and held weakly.
    var delegate: (any ServiceExtensionDelegate)? { get set }

    /// Whether the extension has something to do besides the delivery, such as to ring. The worker stays as long as it
    /// has.
    var isBusy: Bool { get }

    /// From when its budget runs (R3).
    var budgetStart: BudgetStart { get }

    /// How long it may go on after its budget began, whatever that is: for a ring that no budget cuts.
    var ringMax: TimeSpan { get }

    /// Whether it has the filtering entitlement: it may have nothing of an alert shown (R2).
    var mayFilter: Bool { get }

    /// Decides whether the extension takes the notification at all, before any event is reported. Calls `decided` once,
    /// perhaps before this returns.
    func admit(within budget: Budget, _ decided: @escaping (ExtensionVerdict) -> Void)

    /// Takes the notification, and hands its content to its delegate by the end of the budget.
    func didReceive(_ request: NotificationRequest, within budget: Budget)

    /// The budget is nearly over: the last chance to hand the content over (R3).
    func serviceExtensionTimeWillExpire()

    /// The worker is to stop: hands the best attempt over now, if no content was handed over yet, and finishes what the
    /// extension is busy with (R17).
    func stop()

    /// The content was delivered, perhaps without the extension: whatever it hands over from now on is ignored (R2).
    func end()
}

extension ServiceExtension {
    /// From the acceptance of the connection.
    public var budgetStart: BudgetStart { .acceptance }

    /// Its budget is all that it has.
    public var ringMax: TimeSpan { .zero }

    /// Whatever it gets is shown.
    public var mayFilter: Bool { false }
}

/// Whether a ``ServiceExtension`` takes a notification.
public enum ExtensionVerdict: Sendable {
    /// The extension takes the notification.
    case admitted
    /// The extension refuses the notification, and nothing else happens.
    case refused(Rejection)
}

/// What an extension reports to the delivery, on the loop.
public protocol ServiceExtensionDelegate: AnyObject {
    /// The content handler: `content` is what to deliver, copied at the time of the call. Only the first call counts
    /// (R2).
    func extensionHandedOver(_ content: NotificationContent)

    /// As ``extensionHandedOver(_:)``, and nothing of `content` is shown: the caller is blocked (R24).
    func extensionWithheld(_ content: NotificationContent)

    /// The extension, which waited for its turn, has begun only now: its budget is `budget` (R3).
    func extensionBegan(within budget: Budget)

    /// An app was handed the push that the extension accompanies: the app is who delivers it.
    func extensionHandedToApp()

    /// The extension's process ended, perhaps without having handed anything over.
    func extensionDied()

    /// ``ServiceExtension/isBusy`` may have become false.
    func extensionIsIdle()
}
