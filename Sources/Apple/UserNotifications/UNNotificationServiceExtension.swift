/// What runs a notification: the base of ``UNNotificationServiceExtension``, and of what stands in its place where code
/// has it on the main actor.
///
/// A new object is made for each notification. `didReceive` and `serviceExtensionTimeWillExpire` are called on
/// different threads.
open class BelfryServiceExtension: NSObject {
    /// Calls `didReceive` on this thread.
    package func receive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        contentHandler(request.content)
    }

    /// Calls `serviceExtensionTimeWillExpire` on this thread.
    package func expire() {}
}

/// Changes a notification before it is shown; an extension's principal class derives from it.
///
/// A new object is made for each notification. `didReceive` and `serviceExtensionTimeWillExpire` are called on
/// different threads. Source: Apple, `UNNotificationServiceExtension`.
open class UNNotificationServiceExtension: BelfryServiceExtension {
    /// Receives a notification, and calls `contentHandler` with the content to show, within the budget. Unless
    /// overridden, it hands over the content as it came.
    open func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        contentHandler(request.content)
    }

    /// The time is nearly over: the last chance to call the content handler. Does nothing unless overridden.
    open func serviceExtensionTimeWillExpire() {}

    package override func receive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        didReceive(request, withContentHandler: contentHandler)
    }

    package override func expire() { serviceExtensionTimeWillExpire() }
}

/// ``UNNotificationServiceExtension`` where the developer's class is `@MainActor`: Apple's comes from Objective-C, and
/// its methods may be overridden with an isolation of their own, which those of a Swift class may not. The
/// glue file gives this class the name in such a module.
///
/// As on iOS, `didReceive` and the expiry call are made on other threads than the main one all the same, and the tasks
/// that they start run on the main actor.
open class MainActorServiceExtension: BelfryServiceExtension {
    /// As that of ``UNNotificationServiceExtension``.
    @preconcurrency @MainActor open func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        contentHandler(request.content)
    }

    /// As that of ``UNNotificationServiceExtension``.
    @preconcurrency @MainActor open func serviceExtensionTimeWillExpire() {}

    package override func receive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        let isolated: @MainActor (MainActorServiceExtension, UNNotificationRequest, @escaping Handler) -> Void = {
            $0.didReceive($1, withContentHandler: $2)
        }
        // Objective-C calls it without asking for the actor, and so does this.
        let call = unsafe unsafeBitCast(
            isolated, to: ((MainActorServiceExtension, UNNotificationRequest, @escaping Handler) -> Void).self)
        call(self, request, contentHandler)
    }

    package override func expire() {
        let isolated: @MainActor (MainActorServiceExtension) -> Void = { $0.serviceExtensionTimeWillExpire() }
        let call = unsafe unsafeBitCast(isolated, to: ((MainActorServiceExtension) -> Void).self)
        call(self)
    }

    private typealias Handler = (UNNotificationContent) -> Void
}
