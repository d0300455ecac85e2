import BelfryAppleGround

// Scenes of an app. There are none here: app delegates say how one would be made.

/// How a scene is made. Source: Apple, `UISceneConfiguration`.
@preconcurrency @MainActor
open class UISceneConfiguration: NSObject {
    /// Its name in `Info.plist`.
    public let name: String?
    /// What the scene is for.
    public let role: UISceneSession.Role
    /// The class of its delegate.
    public final var delegateClass: AnyClass?
    /// Its class.
    public final var sceneClass: AnyClass?

    /// A way to make a scene.
    public init(name: String?, sessionRole: UISceneSession.Role) {
        self.name = name
        role = sessionRole
        super.init()
    }
}

/// A scene that was made once: there is none. Source: Apple, `UISceneSession`.
@preconcurrency @MainActor
open class UISceneSession: NSObject {
    /// What a scene is for. Source: Apple, `UISceneSession.Role`.
    public struct Role: RawRepresentable, Hashable, Sendable {
        /// Apple's name.
        public let rawValue: String

        /// The role of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A window.
        public static let windowApplication = Role(rawValue: "UIWindowSceneSessionRoleApplication")
    }

    /// What the scene is for.
    public let role: Role
    /// How it was made.
    public let configuration: UISceneConfiguration

    init(role: Role, configuration: UISceneConfiguration) {
        self.role = role
        self.configuration = configuration
        super.init()
    }
}

/// A part of an app's screen: there is none. Source: Apple, `UIScene`.
@preconcurrency @MainActor
open class UIScene: UIResponder {
    /// What a scene is made for. Source: Apple, `UIScene.ConnectionOptions`.
    @preconcurrency @MainActor
    open class ConnectionOptions: NSObject {
        /// None.
        open var userActivities: Set<NSUserActivity> { [] }
        /// None.
        open var urlContexts: Set<UIOpenURLContext> { [] }
    }

    /// What a scene does. Source: Apple, `UIScene.ActivationState`.
    public enum ActivationState: Int, Sendable {
        /// It is not connected.
        case unattached = -1
        /// It is in front.
        case foregroundActive
        /// It is in front, and something lies over it.
        case foregroundInactive
        /// It is not in front.
        case background
    }

    /// Unattached: there is no screen.
    open var activationState: ActivationState { .unattached }
    /// Its delegate.
    public final var delegate: (any UISceneDelegate)?
}

/// A scene with windows: there is none. Source: Apple, `UIWindowScene`.
@preconcurrency @MainActor
open class UIWindowScene: UIScene {
    /// None.
    open var windows: [UIWindow] { [] }
    /// Nil.
    open var keyWindow: UIWindow? { nil }
}

/// An address that a scene shall open. Source: Apple, `UIOpenURLContext`.
@preconcurrency @MainActor
open class UIOpenURLContext: NSObject {
    /// The address.
    public let url: URL

    init(url: URL) {
        self.url = url
        super.init()
    }
}

/// Learns of a scene; nothing calls it. Source: Apple, `UISceneDelegate`.
@preconcurrency @MainActor
public protocol UISceneDelegate: NSObjectProtocol {
    /// The scene was made.
    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions)
    /// The scene is gone.
    func sceneDidDisconnect(_ scene: UIScene)
    /// The scene is in front.
    func sceneDidBecomeActive(_ scene: UIScene)
    /// The scene is about to be in front no longer.
    func sceneWillResignActive(_ scene: UIScene)
    /// The scene is about to be in front.
    func sceneWillEnterForeground(_ scene: UIScene)
    /// The scene is not in front.
    func sceneDidEnterBackground(_ scene: UIScene)
    /// The scene shall take up `userActivity`.
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
    /// The scene shall open addresses.
    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>)
}

extension UISceneDelegate {
    /// Does nothing.
    public func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {}
    /// Does nothing.
    public func sceneDidDisconnect(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneDidBecomeActive(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneWillResignActive(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneWillEnterForeground(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneDidEnterBackground(_ scene: UIScene) {}
    /// Does nothing.
    public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}
    /// Does nothing.
    public func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {}
}

/// Learns of a scene with windows; nothing calls it. Source: Apple, `UIWindowSceneDelegate`.
@preconcurrency @MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {}
