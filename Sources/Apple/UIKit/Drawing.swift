import BelfryAppleGround
import BelfryTerms
@_exported public import ImageIO

/// The context that a thread draws in, and its scale.
final class Drawing {
    private static let key = "belfry.drawing"

    /// The innermost drawing of this thread.
    static var current: Drawing? { stack.last ?? nil }

    /// Nil stands for a drawing that could not begin: code ends it all the same.
    private static var stack: [Drawing?] {
        get { Thread.current.threadDictionary[key] as? [Drawing?] ?? [] }
        set { Thread.current.threadDictionary[key] = newValue }
    }

    let context: CGContext
    private let scale: CGFloat

    /// Begins to draw; nil with a warning if that size is not possible.
    init?(_ size: CGSize, scale: CGFloat, isOpaque: Bool) {
        let scale = scale > 0 ? scale : UIScreen.main.scale
        let sides = [size.width, size.height].map { (Double($0) * Double(scale)).rounded(.up) }
        guard sides.allSatisfy({ (1...1e6).contains($0) }),
            let context = CGContext(
                width: NSNumber(value: sides[0]).intValue, height: NSNumber(value: sides[1]).intValue,
                transform: CGAffineTransform(scaleX: scale, y: scale))
        else {
            KeeperDoor.warn(.unsupported, "drawing a picture of \(size.width) × \(size.height) points")
            return nil
        }
        self.scale = scale
        self.context = context
        if isOpaque { context.fill(CGRect(origin: CGPoint(x: 0, y: 0), size: size)) }
    }

    static func begin(_ drawing: Drawing?) { stack.append(drawing) }

    static func end() { _ = stack.popLast() }

    /// The drawing so far.
    var image: UIImage? { context.makeImage().map { UIImage(cgImage: $0, scale: scale, orientation: .up) } }
}

extension UIColor {
    /// From now on fills shapes with it.
    public func setFill() { Drawing.current?.context.setFillColor(cgColor) }

    /// From now on draws lines with it.
    public func setStroke() { Drawing.current?.context.setStrokeColor(cgColor) }

    /// From now on fills shapes and draws lines with it.
    public func set() {
        setFill()
        setStroke()
    }
}

extension UIImage {
    /// Draws the picture, stretched to `rect`.
    public func draw(in rect: CGRect) { draw(in: rect, blendMode: .normal, alpha: 1) }

    /// Draws the picture with its upper left corner at `point`.
    public func draw(at point: CGPoint) { draw(in: CGRect(origin: point, size: size)) }

    /// Draws the picture, stretched to `rect`, with this opacity and blend mode.
    public func draw(in rect: CGRect, blendMode: CGBlendMode, alpha: CGFloat) {
        guard let context = Drawing.current?.context, let cgImage else { return }
        context.saveGState()
        context.setBlendMode(blendMode)
        context.setAlpha(alpha)
        context.drawUpright(cgImage, in: rect)
        context.restoreGState()
    }
}

/// Fills `rect` with the current colour.
public func UIRectFill(_ rect: CGRect) { Drawing.current?.context.fill(rect) }

/// Draws nothing outside `rect` from now on.
public func UIRectClip(_ rect: CGRect) { Drawing.current?.context.clip(to: rect) }

/// How a picture is drawn. Source: Apple, `UIGraphicsImageRendererFormat`.
open class UIGraphicsImageRendererFormat: NSObject {
    /// The pixels of a point.
    open var scale: CGFloat = UIScreen.main.scale
    /// Whether it is black at first rather than transparent.
    open var opaque = false

    /// The screen's format.
    public override init() { super.init() }

    /// The screen's format.
    open class func `default`() -> UIGraphicsImageRendererFormat { UIGraphicsImageRendererFormat() }

    /// The screen's format.
    open class func preferred() -> UIGraphicsImageRendererFormat { UIGraphicsImageRendererFormat() }
}

/// The context that a renderer's actions draw in. Source: Apple, `UIGraphicsImageRendererContext`.
open class UIGraphicsImageRendererContext: NSObject {
    /// The format of the picture.
    public let format: UIGraphicsImageRendererFormat
    /// The Core Graphics context, in the renderer's points.
    public let cgContext: CGContext

    fileprivate init(_ format: UIGraphicsImageRendererFormat, _ drawing: Drawing) {
        self.format = format
        cgContext = drawing.context
        super.init()
    }

    /// The drawing so far.
    open var currentImage: UIImage { Drawing.current?.image ?? UIImage() }

    /// Fills `rect` with the current colour.
    open func fill(_ rect: CGRect) { UIRectFill(rect) }
}

/// Draws pictures. Source: Apple, `UIGraphicsImageRenderer`.
open class UIGraphicsImageRenderer: NSObject {
    private let size: CGSize
    private let format: UIGraphicsImageRendererFormat

    /// A renderer of pictures of `size` points.
    public init(size: CGSize, format: UIGraphicsImageRendererFormat = .default()) {
        self.size = size
        self.format = format
        super.init()
    }

    /// The picture that `actions` draw; an empty one, with a warning, if that size is not possible.
    open func image(actions: (UIGraphicsImageRendererContext) -> Void) -> UIImage {
        guard let drawing = Drawing(size, scale: format.scale, isOpaque: format.opaque) else { return UIImage() }
        Drawing.begin(drawing)
        defer { Drawing.end() }
        actions(UIGraphicsImageRendererContext(format, drawing))
        return drawing.image ?? UIImage()
    }

    /// The picture that `actions` draw, as PNG.
    open func pngData(actions: (UIGraphicsImageRendererContext) -> Void) -> Data {
        image(actions: actions).pngData() ?? Data()
    }

    /// The picture that `actions` draw, as JPEG.
    open func jpegData(
        withCompressionQuality compressionQuality: CGFloat, actions: (UIGraphicsImageRendererContext) -> Void
    ) -> Data {
        image(actions: actions).jpegData(compressionQuality: compressionQuality) ?? Data()
    }
}

/// Begins to draw a picture of `size` points, with the pixels of the screen if `scale` is 0.
public func UIGraphicsBeginImageContextWithOptions(_ size: CGSize, _ opaque: Bool, _ scale: CGFloat) {
    Drawing.begin(Drawing(size, scale: scale, isOpaque: opaque))
}

/// Begins to draw a picture of `size` points, a pixel each.
public func UIGraphicsBeginImageContext(_ size: CGSize) { UIGraphicsBeginImageContextWithOptions(size, false, 1) }

/// The current context; nil if no drawing was begun.
public func UIGraphicsGetCurrentContext() -> CGContext? { Drawing.current?.context }

/// The drawing so far; nil if none was begun.
public func UIGraphicsGetImageFromCurrentImageContext() -> UIImage? { Drawing.current?.image }

/// Ends the drawing that was begun last.
public func UIGraphicsEndImageContext() { Drawing.end() }
