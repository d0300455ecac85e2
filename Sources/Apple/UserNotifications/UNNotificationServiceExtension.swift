/// Changes a notification before it is shown; an extension's principal class derives from it.
///
/// A new object is made for each notification. `didReceive` and `serviceExtensionTimeWillExpire` are called on
/// different threads. Source: Apple, `UNNotificationServiceExtension`.
open class UNNotificationServiceExtension: NSObject {
    /// Receives a notification, and calls `contentHandler` with the content to show, within the budget. Unless
    /// overridden, it hands over the content as it came.
    open func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        contentHandler(request.content)
    }

    /// The time is nearly over: the last chance to call the content handler. Does nothing unless overridden.
    open func serviceExtensionTimeWillExpire() {}
}
