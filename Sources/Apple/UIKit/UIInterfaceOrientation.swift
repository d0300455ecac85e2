import BelfryAppleGround

// How an interface is held, and what a person chooses at an app's picture: values, since there is no screen.

/// How an interface is held. Source: Apple, `UIInterfaceOrientation`.
public enum UIInterfaceOrientation: Int, Sendable {
    /// It is not known.
    case unknown
    /// Upright.
    case portrait
    /// Upside down.
    case portraitUpsideDown
    /// On its left side.
    case landscapeRight
    /// On its right side.
    case landscapeLeft

    /// Whether it stands.
    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
    /// Whether it lies on a side.
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
}

/// Ways to hold an interface. Source: Apple, `UIInterfaceOrientationMask`.
public struct UIInterfaceOrientationMask: OptionSet, Sendable {
    /// A bit for each of ``UIInterfaceOrientation``.
    public let rawValue: UInt

    /// The ways of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    private init(_ ways: UIInterfaceOrientation...) { rawValue = ways.reduce(0) { $0 | 1 << UInt($1.rawValue) } }

    /// Upright.
    public static let portrait = UIInterfaceOrientationMask(.portrait)
    /// Upside down.
    public static let portraitUpsideDown = UIInterfaceOrientationMask(.portraitUpsideDown)
    /// On its right side.
    public static let landscapeLeft = UIInterfaceOrientationMask(.landscapeLeft)
    /// On its left side.
    public static let landscapeRight = UIInterfaceOrientationMask(.landscapeRight)
    /// On a side.
    public static let landscape: UIInterfaceOrientationMask = [.landscapeLeft, .landscapeRight]
    /// In every way.
    public static let all: UIInterfaceOrientationMask = [.portrait, .portraitUpsideDown, .landscape]
    /// In every way but upside down.
    public static let allButUpsideDown: UIInterfaceOrientationMask = [.portrait, .landscape]
}

/// What a person can choose at an app's picture: nothing here. Source: Apple, `UIApplicationShortcutItem`.
open class UIApplicationShortcutItem: NSObject, @unchecked Sendable {
    /// What it is for.
    public let type: String
    /// What it says.
    public let localizedTitle: String
    /// What it says beside.
    public let localizedSubtitle: String?

    /// A choice.
    public init(type: String, localizedTitle: String, localizedSubtitle: String? = nil) {
        self.type = type
        self.localizedTitle = localizedTitle
        self.localizedSubtitle = localizedSubtitle
        super.init()
    }
}
