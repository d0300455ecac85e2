import BelfryAppleGround
import BelfryTerms
@_exported public import ImageIO

// Types that code mentions although an extension never uses them: values, and calls that are refused.

/// Copied data that apps exchange: not for extensions.
open class UIPasteboard: NSObject, @unchecked Sendable {
    /// The pasteboard.
    public static let general = UIPasteboard()

    /// Refused: it is always nil, and setting it does nothing.
    open var string: String? {
        get {
            KeeperDoor.warn(.unsupported, "UIPasteboard")
            return nil
        }
        set { KeeperDoor.warn(.unsupported, "UIPasteboard") }
    }
}

/// A colour, as a value. Source: Apple, `UIColor`.
open class UIColor: NSObject, @unchecked Sendable {
    let parts: [CGFloat]

    /// A colour of these parts, each from 0 to 1.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        parts = [red, green, blue, alpha]
        super.init()
    }

    /// The colour of `cgColor`.
    public convenience init(cgColor: CGColor) {
        let parts = cgColor.components ?? [0, 0, 0, 0]
        self.init(red: parts[0], green: parts[1], blue: parts[2], alpha: parts[3])
    }

    /// A colour of this hue, each number from 0 to 1.
    public convenience init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {
        // Each part is brightest over a third of the circle of hues. Source: A. R. Smith, SIGGRAPH 1978.
        func part(_ ahead: CGFloat) -> CGFloat {
            let place = (hue * 6 + ahead).truncatingRemainder(dividingBy: 6)
            return brightness * (1 - saturation * max(0, min(place, 4 - place, 1)))
        }
        self.init(red: part(5), green: part(3), blue: part(1), alpha: alpha)
    }

    /// The same colour for Core Graphics.
    open var cgColor: CGColor { CGColor(red: parts[0], green: parts[1], blue: parts[2], alpha: parts[3]) }

    /// A grey, from 0 for black to 1.
    public convenience init(white: CGFloat, alpha: CGFloat) {
        self.init(red: white, green: white, blue: white, alpha: alpha)
    }

    /// The same colour, more or less transparent.
    open func withAlphaComponent(_ alpha: CGFloat) -> UIColor {
        UIColor(red: parts[0], green: parts[1], blue: parts[2], alpha: alpha)
    }

    /// Black.
    public static let black = UIColor(white: 0, alpha: 1)
    /// White.
    public static let white = UIColor(white: 1, alpha: 1)
    /// Grey.
    public static let gray = UIColor(white: 0.5, alpha: 1)
    /// Nothing.
    public static let clear = UIColor(white: 0, alpha: 0)
    /// Red.
    public static let red = UIColor(red: 1, green: 0, blue: 0, alpha: 1)
    /// Green.
    public static let green = UIColor(red: 0, green: 1, blue: 0, alpha: 1)
    /// Blue.
    public static let blue = UIColor(red: 0, green: 0, blue: 1, alpha: 1)
    /// Orange.
    public static let orange = UIColor(red: 1, green: 0.5, blue: 0, alpha: 1)
    /// Yellow.
    public static let yellow = UIColor(red: 1, green: 1, blue: 0, alpha: 1)
    /// Purple.
    public static let purple = UIColor(red: 0.5, green: 0, blue: 0.5, alpha: 1)
    /// Cyan.
    public static let cyan = UIColor(red: 0, green: 1, blue: 1, alpha: 1)
    /// Magenta.
    public static let magenta = UIColor(red: 1, green: 0, blue: 1, alpha: 1)
    /// Dark grey.
    public static let darkGray = UIColor(white: 1 / 3, alpha: 1)
    /// Light grey.
    public static let lightGray = UIColor(white: 2 / 3, alpha: 1)
    /// The system's red, by day.
    public static let systemRed = UIColor(red: 255 / 255, green: 59 / 255, blue: 48 / 255, alpha: 1)
    /// The system's orange, by day.
    public static let systemOrange = UIColor(red: 255 / 255, green: 149 / 255, blue: 0 / 255, alpha: 1)
    /// The system's yellow, by day.
    public static let systemYellow = UIColor(red: 255 / 255, green: 204 / 255, blue: 0 / 255, alpha: 1)
    /// The system's green, by day.
    public static let systemGreen = UIColor(red: 52 / 255, green: 199 / 255, blue: 89 / 255, alpha: 1)
    /// The system's blue, by day.
    public static let systemBlue = UIColor(red: 0 / 255, green: 122 / 255, blue: 255 / 255, alpha: 1)
    /// The system's purple, by day.
    public static let systemPurple = UIColor(red: 175 / 255, green: 82 / 255, blue: 222 / 255, alpha: 1)
    /// The system's grey, by day.
    public static let systemGray = UIColor(red: 142 / 255, green: 142 / 255, blue: 147 / 255, alpha: 1)

    /// Whether `object` is a colour of the same parts.
    open override func isEqual(_ object: Any?) -> Bool { (object as? UIColor)?.parts == parts }

    /// The same for colours that are equal.
    open override var hash: Int { parts.hashValue }
}

/// A choice in an alert, as a value.
open class UIAlertAction: NSObject {
    /// The look of a choice.
    public enum Style: Int, Sendable {
        /// The usual one.
        case `default`
        /// For the choice that changes nothing.
        case cancel
        /// For a choice that removes something.
        case destructive
    }

    /// The title that people see.
    public let title: String?
    /// Its look.
    public let style: Style

    /// A choice, whose handler is never called, since no alert appears.
    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
        self.title = title
        self.style = style
        super.init()
    }
}

/// An alert, as a value: presenting it does nothing.
@preconcurrency @MainActor
open class UIAlertController: UIViewController {
    /// The look of an alert.
    public enum Style: Int, Sendable {
        /// From below.
        case actionSheet
        /// In the middle.
        case alert
    }

    /// What it says.
    public final var message: String?
    /// Its look.
    public final let preferredStyle: Style
    /// What the person could choose, in their order.
    public final private(set) var actions: [UIAlertAction] = []

    /// An alert without choices.
    public init(title: String?, message: String?, preferredStyle: Style) {
        self.message = message
        self.preferredStyle = preferredStyle
        super.init()
        self.title = title
    }

    /// An alert without words.
    public required convenience init() { self.init(title: nil, message: nil, preferredStyle: .actionSheet) }

    /// Adds a choice.
    open func addAction(_ action: UIAlertAction) { actions.append(action) }
}
