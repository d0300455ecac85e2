/// What changes a notification before it is shown; an extension's principal class derives from it.
///
/// A new object is made for each notification. `didReceive` and `serviceExtensionTimeWillExpire` are called on
/// different threads. Source: Apple, `UNNotificationServiceExtension`.
open class UNNotificationServiceExtension: NSObject {
    /// Takes a notification, and calls `contentHandler` with what is to be shown, within the budget. Hands over the
    /// content as it came unless overridden.
    open func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        contentHandler(request.content)
    }

    /// The time is nearly over: the last chance to call the content handler. Does nothing unless overridden.
    open func serviceExtensionTimeWillExpire() {}
}
