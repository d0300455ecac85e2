import BelfryAppleGround
import BelfryTerms

// What a screen is made of. There is none here: the types exist, on the main actor as on iOS, since app delegates and
// what they hold are of them.

/// What takes up an activity. Source: Apple, `UIUserActivityRestoring`.
@preconcurrency @MainActor
public protocol UIUserActivityRestoring: NSObjectProtocol {
    /// Takes up `activity`.
    func restoreUserActivityState(_ activity: NSUserActivity)
}

/// Handles events; nothing here does. Source: Apple, `UIResponder`.
@preconcurrency @MainActor
open class UIResponder: NSObject, UIUserActivityRestoring {
    /// What the person does in it.
    public final var userActivity: NSUserActivity?

    /// A responder that handles nothing. Required, so that ``UIApplicationDelegate/main()`` can make a delegate.
    public required override init() { super.init() }

    /// Does nothing.
    open func restoreUserActivityState(_ activity: NSUserActivity) {}
}

/// A view, which is never drawn: only its type exists.
@preconcurrency @MainActor
open class UIView: UIResponder {
    /// Where it is.
    public final var frame: CGRect

    /// A view at `frame`.
    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }

    /// A view of no size.
    public required convenience init() { self.init(frame: .zero) }
}

/// Controls a view, which never appears: only its type exists.
@preconcurrency @MainActor
open class UIViewController: UIResponder {
    /// Does nothing: no screen appears.
    open func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
    ) {
        KeeperDoor.warn(.unsupported, "UIViewController.present(_:animated:completion:)")
    }
}

/// A window, which is never shown: only its type exists.
@preconcurrency @MainActor
open class UIWindow: UIView {
    /// What it would show.
    public final var rootViewController: UIViewController?

    /// Does nothing: no window appears.
    open func makeKeyAndVisible() { KeeperDoor.warn(.unsupported, "UIWindow.makeKeyAndVisible()") }
}
