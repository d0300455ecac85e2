import BelfryTerms

/// What an extension of an app is asked for. Source: Apple, `NSExtensionContext`.
open class NSExtensionContext: NSObject, @unchecked Sendable {
    /// What the app handed over: nothing.
    open var inputItems: [Any] { [] }

    /// A context without a request.
    public override init() { super.init() }

    /// Ends the request.
    @preconcurrency
    open func completeRequest(returningItems items: [Any]?, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        KeeperDoor.warn(.unsupported, "NSExtensionContext.completeRequest(returningItems:completionHandler:)")
        completionHandler?(true)
    }

    /// Ends the request with an error.
    open func cancelRequest(withError error: any Error) {
        KeeperDoor.warn(.unsupported, "NSExtensionContext.cancelRequest(withError:)")
    }
}

/// The class of an extension that is asked for something. Source: Apple, `NSExtensionRequestHandling`.
public protocol NSExtensionRequestHandling: NSObjectProtocol {
    /// Something is asked for.
    func beginRequest(with context: NSExtensionContext)
}
