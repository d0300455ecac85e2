import BelfryAppleGround
@_exported public import ImageIO

/// A font; the system's is the one that fontconfig calls sans. Source: Apple, `UIFont`.
open class UIFont: NSObject, @unchecked Sendable {
    /// How bold letters are, from -1 to 1.
    public struct Weight: RawRepresentable, Hashable, Sendable {
        /// Apple's number.
        public let rawValue: CGFloat

        /// The weight of Apple's number.
        public init(rawValue: CGFloat) { self.rawValue = rawValue }

        /// The thinnest.
        public static let ultraLight = Weight(rawValue: -0.8)
        /// Thin.
        public static let thin = Weight(rawValue: -0.6)
        /// Light.
        public static let light = Weight(rawValue: -0.4)
        /// The usual weight.
        public static let regular = Weight(rawValue: 0)
        /// A little bold.
        public static let medium = Weight(rawValue: 0.23)
        /// Rather bold.
        public static let semibold = Weight(rawValue: 0.3)
        /// Bold.
        public static let bold = Weight(rawValue: 0.4)
        /// Bolder.
        public static let heavy = Weight(rawValue: 0.56)
        /// The boldest.
        public static let black = Weight(rawValue: 0.62)

        /// The weight as font files number it.
        fileprivate var number: Int {
            let known: [(Weight, Int)] = [
                (.ultraLight, 100), (.thin, 200), (.light, 300), (.regular, 400), (.medium, 500), (.semibold, 600),
                (.bold, 700), (.heavy, 800), (.black, 900),
            ]
            return known.last { $0.0.rawValue <= rawValue }?.1 ?? 100
        }
    }

    let style: TextStyle

    private init(style: TextStyle) {
        self.style = style
        super.init()
    }

    /// The font of this family; the system's is drawn if there is none.
    public convenience init?(name fontName: String, size fontSize: CGFloat) {
        var style = TextStyle()
        (style.family, style.size) = (fontName, fontSize)
        self.init(style: style)
    }

    /// The height of a line, in points.
    open var pointSize: CGFloat { style.size }

    /// The system's font.
    open class func systemFont(ofSize fontSize: CGFloat) -> UIFont { systemFont(ofSize: fontSize, weight: .regular) }

    /// The system's font, bold.
    open class func boldSystemFont(ofSize fontSize: CGFloat) -> UIFont { systemFont(ofSize: fontSize, weight: .bold) }

    /// The system's font, of this weight.
    open class func systemFont(ofSize fontSize: CGFloat, weight: Weight) -> UIFont {
        var style = TextStyle()
        (style.size, style.weight) = (fontSize, weight.number)
        return UIFont(style: style)
    }

    /// The system's font, italic.
    open class func italicSystemFont(ofSize fontSize: CGFloat) -> UIFont {
        var style = TextStyle()
        (style.size, style.isItalic) = (fontSize, true)
        return UIFont(style: style)
    }
}

/// The alignment of lines. Source: Apple, `NSTextAlignment`.
public enum NSTextAlignment: Int, Sendable {
    /// On the left.
    case left
    /// In the middle.
    case center
    /// On the right.
    case right
    /// From side to side; here on the left.
    case justified
    /// The language's own; here on the left.
    case natural
}

/// The style of a paragraph. Source: Apple, `NSParagraphStyle`.
open class NSParagraphStyle: NSObject {
    fileprivate var aligned = NSTextAlignment.natural

    /// The alignment of lines.
    open var alignment: NSTextAlignment { aligned }
}

/// The style of a paragraph, which can be changed. Source: Apple, `NSMutableParagraphStyle`.
open class NSMutableParagraphStyle: NSParagraphStyle {
    /// The default style.
    public override init() { super.init() }

    /// The alignment of lines.
    open override var alignment: NSTextAlignment {
        get { aligned }
        set { aligned = newValue }
    }
}

extension NSAttributedString.Key {
    /// A `UIFont`.
    public static let font = NSAttributedString.Key(rawValue: "NSFont")
    /// A `UIColor`.
    public static let foregroundColor = NSAttributedString.Key(rawValue: "NSColor")
    /// An `NSParagraphStyle`.
    public static let paragraphStyle = NSAttributedString.Key(rawValue: "NSParagraphStyle")
}

extension String {
    private static func style(_ attributes: [NSAttributedString.Key: Any]?) -> TextStyle {
        var style = (attributes?[.font] as? UIFont)?.style ?? TextStyle()
        switch (attributes?[.paragraphStyle] as? NSParagraphStyle)?.alignment {
        case .center: style.alignment = 1
        case .right: style.alignment = 2
        default: style.alignment = 0
        }
        return style
    }

    /// Its width and height when drawn; zero, with a warning, if no text can be drawn.
    public func size(withAttributes attributes: [NSAttributedString.Key: Any]? = nil) -> CGSize {
        TextLayout(self, style: Self.style(attributes))?.size ?? CGSize(width: 0, height: 0)
    }

    /// Draws it with its upper left corner at `point`.
    public func draw(at point: CGPoint, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
        draw(at: point, width: nil, attributes)
    }

    /// Draws it in lines from the upper side of `rect` down.
    public func draw(in rect: CGRect, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
        draw(at: CGPoint(x: rect.minX, y: rect.minY), width: rect.width, attributes)
    }

    private func draw(at point: CGPoint, width: CGFloat?, _ attributes: [NSAttributedString.Key: Any]?) {
        let colour = (attributes?[.foregroundColor] as? UIColor ?? .black).cgColor
        Drawing.current?.context.draw(self, Self.style(attributes), at: point, width: width, colour: colour)
    }
}

extension NSString {
    /// Its width and height when drawn; zero, with a warning, if no text can be drawn.
    public func size(withAttributes attributes: [NSAttributedString.Key: Any]? = nil) -> CGSize {
        String(describing: self).size(withAttributes: attributes)
    }

    /// Draws it with its upper left corner at `point`.
    public func draw(at point: CGPoint, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
        String(describing: self).draw(at: point, withAttributes: attributes)
    }

    /// Draws it in lines from the upper side of `rect` down.
    public func draw(in rect: CGRect, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
        String(describing: self).draw(in: rect, withAttributes: attributes)
    }
}

extension NSAttributedString {
    private var attributesOfAll: [NSAttributedString.Key: Any]? {
        length > 0 ? unsafe attributes(at: 0, effectiveRange: nil) : nil
    }

    /// Its width and height when drawn, all in the style of its first letter; zero, with a warning, if no text can be
    /// drawn.
    public func size() -> CGSize { string.size(withAttributes: attributesOfAll) }

    /// Draws it, all in the style of its first letter, with its upper left corner at `point`.
    public func draw(at point: CGPoint) { string.draw(at: point, withAttributes: attributesOfAll) }

    /// Draws it in lines, all in the style of its first letter, from the upper side of `rect` down.
    public func draw(in rect: CGRect) { string.draw(in: rect, withAttributes: attributesOfAll) }
}
