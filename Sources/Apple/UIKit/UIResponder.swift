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
    /// Kept: nothing is drawn.
    public final var isHidden = false
    /// Kept: nothing is drawn.
    public final var alpha: CGFloat = 1
    /// Kept: nothing is drawn.
    public final var backgroundColor: UIColor?
    /// Kept.
    public final var tag = 0

    /// A view at `frame`.
    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }

    /// A view of no size.
    public required convenience init() { self.init(frame: .zero) }
}

/// Controls a view, which never appears: of the methods that are there to be overridden only those are called that make
/// the view, once something asks for it.
@preconcurrency @MainActor
open class UIViewController: UIResponder {
    /// Its view, which is made when it is first asked for.
    public final var view: UIView! {
        get {
            if let kept = viewIfLoaded { return kept }
            loadView()
            viewDidLoad()
            return viewIfLoaded
        }
        set { viewIfLoaded = newValue }
    }
    /// Its view, if it was made.
    public final private(set) var viewIfLoaded: UIView?
    /// Whether its view was made.
    public final var isViewLoaded: Bool { viewIfLoaded != nil }
    /// What it is called: kept.
    public final var title: String?
    /// Nil: no screen appears.
    open var presentedViewController: UIViewController? { nil }
    /// Nil: no screen appears.
    open var presentingViewController: UIViewController? { nil }
    /// Nil: no screen appears.
    open var navigationController: UIViewController? { nil }

    /// A controller whose view is made by ``loadView()``: there are no nibs.
    public convenience init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { self.init() }

    /// Makes a view of no size.
    open func loadView() { view = UIView() }
    /// The view was made.
    open func viewDidLoad() {}
    /// Never called: no screen appears.
    open func viewWillAppear(_ animated: Bool) {}
    /// Never called: no screen appears.
    open func viewDidAppear(_ animated: Bool) {}
    /// Never called: no screen appears.
    open func viewWillDisappear(_ animated: Bool) {}
    /// Never called: no screen appears.
    open func viewDidDisappear(_ animated: Bool) {}
    /// Never called.
    open func didReceiveMemoryWarning() {}

    /// Does nothing: no screen appears.
    open func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
    ) {
        KeeperDoor.warn(.unsupported, "UIViewController.present(_:animated:completion:)")
    }

    /// Does nothing but call `completion`: no screen appears.
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) { completion?() }
}

/// A window, which is never shown: only its type exists.
@preconcurrency @MainActor
open class UIWindow: UIView {
    /// What it would show.
    public final var rootViewController: UIViewController?
    /// The scene that it would be in.
    public final weak var windowScene: UIWindowScene?

    /// A window of `windowScene`, as large as the screen.
    public convenience init(windowScene: UIWindowScene) {
        self.init(frame: UIScreen.main.bounds)
        self.windowScene = windowScene
    }

    /// Does nothing: no window appears.
    open func makeKeyAndVisible() { KeeperDoor.warn(.unsupported, "UIWindow.makeKeyAndVisible()") }
}
