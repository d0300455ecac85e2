import BelfryAppleGround
@_exported public import ImageIO

/// Which corners are round. Source: Apple, `UIRectCorner`.
public struct UIRectCorner: OptionSet, Sendable {
    /// Apple's number.
    public let rawValue: UInt

    /// The corners of Apple's number.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The upper left one.
    public static let topLeft = UIRectCorner(rawValue: 1)
    /// The upper right one.
    public static let topRight = UIRectCorner(rawValue: 2)
    /// The lower left one.
    public static let bottomLeft = UIRectCorner(rawValue: 4)
    /// The lower right one.
    public static let bottomRight = UIRectCorner(rawValue: 8)
    /// All of them.
    public static let allCorners = UIRectCorner(rawValue: .max)
}

/// One or more lines of straight and curved parts, and how they are drawn. Source: Apple, `UIBezierPath`.
open class UIBezierPath: NSObject {
    private var path = CGMutablePath()

    /// The width of the line.
    open var lineWidth: CGFloat = 1
    /// Whether points from which a line to the outside crosses the path an even number of times are outside.
    open var usesEvenOddFillRule = false

    /// A path without parts.
    public override init() { super.init() }

    /// The path `cgPath`.
    public init(cgPath: CGPath) {
        path.addPath(cgPath)
        super.init()
    }

    /// A rectangle.
    public convenience init(rect: CGRect) { self.init(cgPath: unsafe CGPath(rect: rect, transform: nil)) }

    /// An oval that touches the sides of `rect`.
    public convenience init(ovalIn rect: CGRect) { self.init(cgPath: unsafe CGPath(ellipseIn: rect, transform: nil)) }

    /// A rectangle whose corners are quarters of a circle.
    public convenience init(roundedRect rect: CGRect, cornerRadius: CGFloat) {
        let radius = max(0, min(cornerRadius, rect.width / 2, rect.height / 2))
        self.init(cgPath: unsafe CGPath(roundedRect: rect, cornerWidth: radius, cornerHeight: radius, transform: nil))
    }

    /// A rectangle with these corners rounded, as quarters of an oval.
    public convenience init(roundedRect rect: CGRect, byRoundingCorners corners: UIRectCorner, cornerRadii: CGSize) {
        self.init()
        let (wide, high) = (min(cornerRadii.width, rect.width / 2), min(cornerRadii.height, rect.height / 2))
        let all: [(UIRectCorner, CGFloat, CGFloat, CGFloat, CGFloat)] = [
            (.topLeft, rect.minX, rect.minY, 0, 1), (.topRight, rect.maxX, rect.minY, -1, 0),
            (.bottomRight, rect.maxX, rect.maxY, 0, -1), (.bottomLeft, rect.minX, rect.maxY, 1, 0),
        ]
        func handle(_ end: CGPoint, _ corner: CGPoint) -> CGPoint {
            CGPoint(
                x: end.x + CGPath.roundness * (corner.x - end.x), y: end.y + CGPath.roundness * (corner.y - end.y))
        }
        for (corner, x, y, across, down) in all {
            let point = CGPoint(x: x, y: y)
            // Clockwise: the path reaches each corner along one side, and leaves it along the next.
            let from = CGPoint(x: x + across * wide, y: y + down * high)
            let to = CGPoint(x: x + down * wide, y: y - across * high)
            if path.isEmpty { path.move(to: corners.contains(corner) ? from : point) }
            if corners.contains(corner) {
                path.addLine(to: from)
                path.addCurve(to: to, control1: handle(from, point), control2: handle(to, point))
            } else {
                path.addLine(to: point)
            }
        }
        path.closeSubpath()
    }

    /// A part of a circle, angles in radians.
    public convenience init(
        arcCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        self.init()
        addArc(withCenter: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise)
    }

    /// The path without the settings.
    open var cgPath: CGPath {
        get { path.mutableCopy() ?? CGMutablePath() }
        set { path = newValue.mutableCopy() ?? CGMutablePath() }
    }

    /// The smallest rectangle around it.
    open var bounds: CGRect { path.boundingBox }
    /// Whether it has no parts.
    open var isEmpty: Bool { path.isEmpty }
    /// The end of its last line.
    open var currentPoint: CGPoint { path.currentPoint }

    /// Begins a line at `point`.
    open func move(to point: CGPoint) { path.move(to: point) }

    /// Goes straight to `point`.
    open func addLine(to point: CGPoint) { path.addLine(to: point) }

    /// Adds a curve to `endPoint` with two control points.
    open func addCurve(to endPoint: CGPoint, controlPoint1: CGPoint, controlPoint2: CGPoint) {
        path.addCurve(to: endPoint, control1: controlPoint1, control2: controlPoint2)
    }

    /// Adds a curve to `endPoint` with one control point.
    open func addQuadCurve(to endPoint: CGPoint, controlPoint: CGPoint) {
        path.addQuadCurve(to: endPoint, control: controlPoint)
    }

    /// Adds a part of a circle, angles in radians, clockwise as people see it.
    open func addArc(
        withCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        // Core Graphics counts clockwise with y upwards; here y goes down.
        path.addArc(
            center: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: !clockwise)
    }

    /// Goes straight to where the line began.
    open func close() { path.closeSubpath() }

    /// Adds `bezierPath`.
    open func append(_ bezierPath: UIBezierPath) { path.addPath(bezierPath.path) }

    /// Moves all of it by `transform`.
    open func apply(_ transform: CGAffineTransform) {
        let moved = CGMutablePath()
        moved.addPath(path, transform: transform)
        path = moved
    }

    private var rule: CGPathFillRule { usesEvenOddFillRule ? .evenOdd : .winding }

    private func drawn(_ body: (CGContext) -> Void) {
        guard let context = Drawing.current?.context else { return }
        context.beginPath()
        context.addPath(path)
        body(context)
    }

    /// From now on draws only inside of it too.
    open func addClip() { drawn { $0.clip(using: rule) } }

    /// Fills it with the current colour.
    open func fill() { drawn { $0.fillPath(using: rule) } }

    /// Draws it as a line in the current colour of lines.
    open func stroke() {
        drawn {
            $0.setLineWidth(lineWidth)
            $0.strokePath()
        }
    }

    /// Whether `point` lies in it.
    open func contains(_ point: CGPoint) -> Bool { path.contains(point, using: rule) }
}
