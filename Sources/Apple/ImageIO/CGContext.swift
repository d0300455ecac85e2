import BelfryAppleGround
import BelfryTerms

/// Where a picture's alpha is. Source: Apple, `CGImageAlphaInfo`.
public enum CGImageAlphaInfo: UInt32, Sendable {
    /// There is none.
    case none
    /// Last, and the colours are multiplied with it.
    case premultipliedLast
    /// First, and the colours are multiplied with it.
    case premultipliedFirst
    /// Last.
    case last
    /// First.
    case first
    /// Last, and ignored.
    case noneSkipLast
    /// First, and ignored.
    case noneSkipFirst
    /// There is nothing else.
    case alphaOnly
}

/// How a drawing is combined with the pixels below it. Source: Apple, `CGBlendMode`; some modes are left out.
public enum CGBlendMode: Int32, Sendable {
    /// The drawing lies over the pixels.
    case normal
    /// Both darken each other.
    case multiply
    /// Both lighten each other.
    case screen
    /// Nothing is left.
    case clear = 16
    /// The drawing replaces the pixels.
    case copy
    /// The drawing replaces the pixels, only where something was.
    case sourceIn
    /// The drawing lies over the pixels, only where something was.
    case sourceAtop = 20
    /// The drawing lies under the pixels.
    case destinationOver
    /// The pixels stay where the drawing is.
    case destinationIn

    /// The number of cairo's operator.
    fileprivate var number: Int32 {
        switch self {
        case .normal: Cairo.over
        case .multiply: 14
        case .screen: 15
        case .clear: 0
        case .copy: 1
        case .sourceIn: 3
        case .sourceAtop: 5
        case .destinationOver: 7
        case .destinationIn: 8
        }
    }
}

/// A surface to draw on, for one thread. Source: Apple, `CGContext`.
@safe
public final class CGContext {
    private struct State {
        var transform: CGAffineTransform
        var fillColour = CGColor(gray: 0, alpha: 1)
        var strokeColour = CGColor(gray: 0, alpha: 1)
        var alpha = 1.0
        var blendMode = CGBlendMode.normal
        var lineWidth = 1.0
    }

    private let cairo: Cairo
    /// The current settings; the transform is to pixels from the upper left corner.
    private var state: State
    private var saved: [State] = []
    /// The path so far, in pixels.
    private var current = CGMutablePath()

    /// A context of this many pixels; `transform` maps its points to pixels from the upper left corner, in different
    /// ways for UIKit and Core Graphics. Nil if that size is not possible.
    package init?(width: Int, height: Int, transform: CGAffineTransform) {
        guard let cairo = Cairo(width: width, height: height) else { return nil }
        self.cairo = cairo
        state = State(transform: transform)
        apply(transform)
    }

    /// A context of this many pixels, with the origin in the lower left corner and eight bits for each part of a
    /// colour. Refuses memory of the caller's own, with a warning.
    public convenience init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
        space: CGColorSpace, bitmapInfo: UInt32
    ) {
        guard unsafe data == nil else {
            KeeperDoor.warn(.unsupported, "CGContext(data:) with memory of the caller's own")
            return nil
        }
        self.init(
            width: width, height: height,
            transform: CGAffineTransform(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: CGFloat(min(height, Cairo.sideMax))))
    }

    /// Its width in pixels.
    public var width: Int { cairo.width }

    /// Its height in pixels.
    public var height: Int { cairo.height }

    /// The drawing so far; nil with a warning if no picture can be made.
    public func makeImage() -> CGImage? { cairo.image }

    // Settings.

    /// Saves the settings.
    public func saveGState() {
        saved.append(state)
        unsafe cairo.calls.save(cairo.target)
    }

    /// Restores the settings that were saved last.
    public func restoreGState() {
        guard let last = saved.popLast() else { return }
        state = last
        unsafe cairo.calls.restore(cairo.target)
    }

    private func apply(_ transform: CGAffineTransform) {
        let numbers = [transform.a, transform.b, transform.c, transform.d, transform.tx, transform.ty].map {
            Double($0)
        }
        // cairo stops for good at a transform that cannot be inverted.
        guard numbers.allSatisfy(\.isFinite), numbers[0] * numbers[3] != numbers[1] * numbers[2] else { return }
        unsafe cairo.calls.transform(cairo.target, numbers)
    }

    /// Maps points to pixels from the upper left corner.
    public var ctm: CGAffineTransform { state.transform }

    /// From now on applies `transform` to points first.
    public func concatenate(_ transform: CGAffineTransform) {
        state.transform = transform.concatenating(state.transform)
        apply(transform)
    }

    /// Moves the origin.
    public func translateBy(x tx: CGFloat, y ty: CGFloat) { concatenate(CGAffineTransform(translationX: tx, y: ty)) }

    /// Scales both axes.
    public func scaleBy(x sx: CGFloat, y sy: CGFloat) { concatenate(CGAffineTransform(scaleX: sx, y: sy)) }

    /// Turns the axes, by an angle in radians.
    public func rotate(by angle: CGFloat) { concatenate(CGAffineTransform(rotationAngle: angle)) }

    /// Sets the colour to fill with.
    public func setFillColor(_ color: CGColor) { state.fillColour = color }

    /// Sets the colour to fill with.
    public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        setFillColor(CGColor(red: red, green: green, blue: blue, alpha: alpha))
    }

    /// Sets the colour of lines.
    public func setStrokeColor(_ color: CGColor) { state.strokeColour = color }

    /// Sets the colour of lines.
    public func setStrokeColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        setStrokeColor(CGColor(red: red, green: green, blue: blue, alpha: alpha))
    }

    /// Sets the width of lines.
    public func setLineWidth(_ width: CGFloat) { state.lineWidth = Double(width) }

    /// Sets the opacity of everything drawn from now on.
    public func setAlpha(_ alpha: CGFloat) { state.alpha = Double(alpha) }

    /// Sets how drawings are combined with the pixels below.
    public func setBlendMode(_ mode: CGBlendMode) { state.blendMode = mode }

    // Drawing: first a path, then what to do with it.

    /// Forgets the path.
    public func beginPath() { current = CGMutablePath() }

    /// Begins a line at `point`.
    public func move(to point: CGPoint) { current.move(to: point, transform: ctm) }

    /// Goes straight to `point`.
    public func addLine(to point: CGPoint) { current.addLine(to: point, transform: ctm) }

    /// Goes straight through `points`.
    public func addLines(between points: [CGPoint]) { current.addLines(between: points, transform: ctm) }

    /// Adds a curve to `end` with two control points.
    public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) {
        current.addCurve(to: end, control1: control1, control2: control2, transform: ctm)
    }

    /// Adds a curve to `end` with one control point.
    public func addQuadCurve(to end: CGPoint, control: CGPoint) {
        current.addQuadCurve(to: end, control: control, transform: ctm)
    }

    /// Adds a part of a circle, angles in radians.
    public func addArc(
        center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        current.addArc(
            center: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise,
            transform: ctm)
    }

    /// Adds a rectangle.
    public func addRect(_ rect: CGRect) { current.addRect(rect, transform: ctm) }

    /// Adds an oval that touches the sides of `rect`.
    public func addEllipse(in rect: CGRect) { current.addEllipse(in: rect, transform: ctm) }

    /// Adds `path`.
    public func addPath(_ path: CGPath) { current.addPath(path, transform: ctm) }

    /// Goes straight to where the line began.
    public func closePath() { current.closeSubpath() }

    /// Fills the path, and forgets it.
    public func fillPath(using rule: CGPathFillRule = .winding) {
        takePath(rule)
        setSource(state.fillColour)
        unsafe cairo.calls.fill(cairo.target)
    }

    /// Draws the path as a line, and forgets it.
    public func strokePath() {
        takePath(.winding)
        setSource(state.strokeColour)
        unsafe cairo.calls.setLineWidth(cairo.target, state.lineWidth)
        unsafe cairo.calls.stroke(cairo.target)
    }

    /// From now on draws only inside of the path too, and forgets the path.
    public func clip(using rule: CGPathFillRule = .winding) {
        takePath(rule)
        unsafe cairo.calls.clip(cairo.target)
    }

    /// From now on draws only inside of `rect` too.
    public func clip(to rect: CGRect) { with(unsafe CGPath(rect: rect, transform: nil)) { clip() } }

    /// Fills `rect`.
    public func fill(_ rect: CGRect) { with(unsafe CGPath(rect: rect, transform: nil)) { fillPath() } }

    /// Fills an oval that touches the sides of `rect`.
    public func fillEllipse(in rect: CGRect) { with(unsafe CGPath(ellipseIn: rect, transform: nil)) { fillPath() } }

    /// Draws a line around `rect`.
    public func stroke(_ rect: CGRect) { with(unsafe CGPath(rect: rect, transform: nil)) { strokePath() } }

    /// Draws a line around an oval that touches the sides of `rect`.
    public func strokeEllipse(in rect: CGRect) { with(unsafe CGPath(ellipseIn: rect, transform: nil)) { strokePath() } }

    /// Makes `rect` transparent.
    public func clear(_ rect: CGRect) {
        saveGState()
        state.blendMode = .clear
        fill(rect)
        restoreGState()
    }

    /// Calls `body` with `path` as the current path.
    private func with(_ path: CGPath, _ body: () -> Void) {
        beginPath()
        addPath(path)
        body()
    }

    /// Hands the path to cairo. Its points stay where they were added, even if the transform has changed since.
    private func takePath(_ rule: CGPathFillRule) {
        let calls = cairo.calls
        let back = ctm.inverted()
        unsafe calls.newPath(cairo.target)
        unsafe calls.setFillRule(cairo.target, rule == .winding ? 0 : 1)
        let path = CGMutablePath()
        path.addPath(current, transform: back)
        for part in path.parts {
            switch part {
            case .move(let point): unsafe calls.move(cairo.target, Double(point.x), Double(point.y))
            case .line(let point): unsafe calls.line(cairo.target, Double(point.x), Double(point.y))
            case .curve(let first, let second, let end):
                unsafe calls.curve(
                    cairo.target, Double(first.x), Double(first.y), Double(second.x), Double(second.y), Double(end.x),
                    Double(end.y))
            case .close: unsafe calls.closePath(cairo.target)
            }
        }
        beginPath()
    }

    private func setSource(_ colour: CGColor) {
        let parts = colour.parts.map { Double($0) }
        unsafe cairo.calls.setOperator(cairo.target, state.blendMode.number)
        unsafe cairo.calls.setSourceColour(
            cairo.target, parts[0], parts[1], parts[2], Double(colour.alpha) * state.alpha)
    }

    // Drawing without a path.

    /// Draws `image` stretched to `rect`, its upper side at the largest `y` of `rect`.
    public func draw(_ image: CGImage, in rect: CGRect) { draw(image, in: rect, isUpperSideAtMost: true) }

    /// Draws `image` stretched to `rect`, its upper side at the smallest `y` of `rect`.
    package func drawUpright(_ image: CGImage, in rect: CGRect) { draw(image, in: rect, isUpperSideAtMost: false) }

    private func draw(_ image: CGImage, in rect: CGRect, isUpperSideAtMost: Bool) {
        // A picture that becomes much smaller is scaled down first: cairo would look at few of its pixels.
        let place = rect.applying(ctm)
        guard rect.width > 0, rect.height > 0, let source = Cairo(image.atMost(place.width, place.height)) else {
            return
        }
        saveGState()
        defer { restoreGState() }
        translateBy(x: rect.minX, y: isUpperSideAtMost ? rect.maxY : rect.minY)
        scaleBy(
            x: rect.width / CGFloat(source.width),
            y: rect.height / CGFloat(source.height) * (isUpperSideAtMost ? -1 : 1))
        with(unsafe CGPath(rect: CGRect(x: 0, y: 0, width: source.width, height: source.height), transform: nil)) {
            clip()
        }
        unsafe cairo.calls.setOperator(cairo.target, state.blendMode.number)
        cairo.paint(source, alpha: state.alpha)
    }

    /// Draws `text` downwards from `point`, in lines of at most `width` points if that is given; draws nothing, with a
    /// warning, if no text can be drawn.
    package func draw(_ text: String, _ style: TextStyle, at point: CGPoint, width: CGFloat?, colour: CGColor) {
        saveGState()
        defer { restoreGState() }
        translateBy(x: point.x, y: point.y)
        // Pango draws at cairo's current point, so that must be the origin.
        beginPath()
        move(to: CGPoint(x: 0, y: 0))
        takePath(.winding)
        setSource(colour)
        TextLayout(text, style: style, width: width, on: cairo)?.draw()
    }

    /// Draws colours that blend into each other along a line.
    public func drawLinearGradient(
        _ gradient: CGGradient, start: CGPoint, end: CGPoint, options: CGGradientDrawingOptions
    ) {
        let pattern = unsafe cairo.calls.makeLinear(Double(start.x), Double(start.y), Double(end.x), Double(end.y))
        unsafe draw(gradient, with: pattern, options)
    }

    /// Draws colours that blend into each other from one circle to another.
    public func drawRadialGradient(
        _ gradient: CGGradient, startCenter: CGPoint, startRadius: CGFloat, endCenter: CGPoint, endRadius: CGFloat,
        options: CGGradientDrawingOptions
    ) {
        let pattern = unsafe cairo.calls.makeRadial(
            Double(startCenter.x), Double(startCenter.y), Double(startRadius), Double(endCenter.x),
            Double(endCenter.y), Double(endRadius))
        unsafe draw(gradient, with: pattern, options)
    }

    private func draw(_ gradient: CGGradient, with pattern: OpaquePointer?, _ options: CGGradientDrawingOptions) {
        guard let pattern = unsafe pattern else { return }
        defer { unsafe cairo.calls.destroyPattern(pattern) }
        unsafe cairo.calls.setExtend(pattern, Cairo.goesOn)
        func add(_ at: Double, _ colour: CGColor, _ alpha: Double) {
            let parts = colour.parts.map { Double($0) }
            unsafe cairo.calls.addStop(pattern, at, parts[0], parts[1], parts[2], Double(colour.alpha) * alpha)
        }
        // cairo continues the outermost stop beyond each end: without the option that is a transparent one.
        if !options.contains(.drawsBeforeStartLocation), let first = gradient.stops.first { add(0, first.colour, 0) }
        for stop in gradient.stops { add(stop.at, stop.colour, state.alpha) }
        if !options.contains(.drawsAfterEndLocation), let last = gradient.stops.last { add(1, last.colour, 0) }
        unsafe cairo.calls.setOperator(cairo.target, state.blendMode.number)
        unsafe cairo.calls.setSource(cairo.target, pattern)
        unsafe cairo.calls.paint(cairo.target)
    }
}

extension CGImage {
    /// The picture, made smaller if it has more pixels than this along a side.
    fileprivate func atMost(_ width: CGFloat, _ height: CGFloat) -> CGImage {
        func side(_ length: Int, _ most: CGFloat) -> Int {
            let most = Double(most).rounded(.up)
            return most < Double(length) ? NSNumber(value: max(most, 1)).intValue : length
        }
        let (wide, high) = (side(self.width, width), side(self.height, height))
        guard (wide, high) != (self.width, self.height) else { return self }
        return bitmap?.stretched(width: wide, height: high).map { CGImage($0) } ?? self
    }

    /// The part of the picture in `rect`, in pixels from its upper left corner; nil if none lies there.
    public func cropping(to rect: CGRect) -> CGImage? {
        let part = rect.integral.intersection(CGRect(x: 0, y: 0, width: width, height: height))
        guard !part.isNull, part.width >= 1, part.height >= 1,
            let context = CGContext(
                width: NSNumber(value: Double(part.width)).intValue,
                height: NSNumber(value: Double(part.height)).intValue, transform: .identity)
        else { return nil }
        context.drawUpright(
            self, in: CGRect(x: -part.minX, y: -part.minY, width: CGFloat(width), height: CGFloat(height)))
        return context.makeImage()
    }
}
