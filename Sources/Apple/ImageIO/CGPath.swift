import BelfryAppleGround

/// Which points lie in a path that crosses itself. Source: Apple, `CGPathFillRule`.
public enum CGPathFillRule: Int, Sendable {
    /// Those that the path goes around, counted with its direction.
    case winding
    /// Those from which a line to the outside crosses the path an odd number of times.
    case evenOdd
}

/// One or more lines of straight and curved parts. Source: Apple, `CGPath`.
open class CGPath: @unchecked Sendable {
    enum Part: Hashable {
        case move(CGPoint)
        case line(CGPoint)
        case curve(CGPoint, CGPoint, to: CGPoint)
        case close

        var points: [CGPoint] {
            switch self {
            case .move(let point), .line(let point): [point]
            case .curve(let first, let second, let end): [first, second, end]
            case .close: []
            }
        }
    }

    /// The distance from the end of a quarter of a circle to its control point, in radii. Source: the best known
    /// approximation of a circle by Bézier curves, 4/3 tan(π/8).
    package static let roundness = CGFloat(4.0 / 3 * tan(Double.pi / 8))
    /// How many straight lines replace a curve to find out which points lie in it.
    private static let linesOfCurve = 32

    fileprivate(set) var parts: [Part]

    fileprivate init(parts: [Part]) { self.parts = parts }

    /// A rectangle.
    public convenience init(rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
        let path = CGMutablePath()
        path.addRect(rect)
        unsafe self.init(parts: path.parts(transform))
    }

    /// An oval that touches the sides of `rect`.
    public convenience init(ellipseIn rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
        let path = CGMutablePath()
        path.addEllipse(in: rect)
        unsafe self.init(parts: path.parts(transform))
    }

    /// A rectangle whose corners are quarters of an oval.
    public convenience init(
        roundedRect rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat,
        transform: UnsafePointer<CGAffineTransform>?
    ) {
        let path = CGMutablePath()
        path.addRoundedRect(in: rect, cornerWidth: cornerWidth, cornerHeight: cornerHeight)
        unsafe self.init(parts: path.parts(transform))
    }

    private func parts(_ transform: UnsafePointer<CGAffineTransform>?) -> [Part] {
        unsafe transform.map { unsafe Self.parts(parts, applying: $0.pointee) } ?? parts
    }

    fileprivate static func parts(_ parts: [Part], applying transform: CGAffineTransform) -> [Part] {
        parts.map { part in
            switch part {
            case .move(let point): .move(point.applying(transform))
            case .line(let point): .line(point.applying(transform))
            case .curve(let first, let second, let end):
                .curve(first.applying(transform), second.applying(transform), to: end.applying(transform))
            case .close: .close
            }
        }
    }

    /// Whether it has no parts.
    public var isEmpty: Bool { parts.isEmpty }

    /// The end of its last line; zero if there is none.
    public var currentPoint: CGPoint { parts.last { $0 != .close }?.points.last ?? CGPoint(x: 0, y: 0) }

    /// The smallest rectangle around its points and the control points of its curves; null without any.
    public var boundingBox: CGRect { CGRect(around: parts.flatMap(\.points)) }

    /// A copy that can be changed.
    public func mutableCopy() -> CGMutablePath? {
        let copy = CGMutablePath()
        copy.parts = parts
        return copy
    }

    /// Whether `point` lies in it.
    public func contains(
        _ point: CGPoint, using rule: CGPathFillRule = .winding, transform: CGAffineTransform = .identity
    ) -> Bool {
        // Counts the lines that a ray from `point` to the right crosses.
        var turns = 0
        var crossings = 0
        for (from, to) in Self.lines(of: Self.parts(parts, applying: transform))
        where (from.y <= point.y) != (to.y <= point.y) {
            let x = from.x + (point.y - from.y) / (to.y - from.y) * (to.x - from.x)
            guard x > point.x else { continue }
            crossings += 1
            turns += to.y > from.y ? 1 : -1
        }
        return rule == .winding ? turns != 0 : crossings % 2 == 1
    }

    /// The parts as straight lines, each part closed.
    private static func lines(of parts: [Part]) -> [(CGPoint, CGPoint)] {
        var lines: [(CGPoint, CGPoint)] = []
        var start = CGPoint(x: 0, y: 0)
        var here = start
        for part in parts {
            switch part {
            case .move(let point):
                lines.append((here, start))
                (start, here) = (point, point)
            case .line(let point):
                lines.append((here, point))
                here = point
            case .curve(let first, let second, let end):
                let from = here
                for step in 1...linesOfCurve {
                    let t = CGFloat(step) / CGFloat(linesOfCurve)
                    let next = curvePoint(t, from, first, second, end)
                    lines.append((here, next))
                    here = next
                }
            case .close:
                lines.append((here, start))
                here = start
            }
        }
        return lines + [(here, start)]
    }

    private static func curvePoint(
        _ t: CGFloat, _ from: CGPoint, _ first: CGPoint, _ second: CGPoint, _ end: CGPoint
    ) -> CGPoint {
        let rest = 1 - t
        let weights = [rest * rest * rest, 3 * rest * rest * t, 3 * rest * t * t, t * t * t]
        return zip(weights, [from, first, second, end]).reduce(CGPoint(x: 0, y: 0)) {
            CGPoint(x: $0.x + $1.0 * $1.1.x, y: $0.y + $1.0 * $1.1.y)
        }
    }

    /// The quarter of an oval from `angle` on, with these radii.
    fileprivate static func corner(_ centre: CGPoint, _ wide: CGFloat, _ high: CGFloat, from angle: CGFloat) -> Part {
        let (x, y) = (cos(angle), sin(angle))
        let handle = roundness
        func point(_ x: CGFloat, _ y: CGFloat) -> CGPoint {
            CGPoint(x: centre.x + wide * x, y: centre.y + high * y)
        }
        return .curve(point(x - handle * y, y + handle * x), point(-y + handle * x, x + handle * y), to: point(-y, x))
    }
}

/// A path to which parts can be added. Source: Apple, `CGMutablePath`.
public final class CGMutablePath: CGPath, @unchecked Sendable {
    /// One without a part.
    public init() { super.init(parts: []) }

    private func add(_ new: [Part], _ transform: CGAffineTransform) {
        parts += Self.parts(new, applying: transform)
    }

    /// Begins a line at `point`.
    public func move(to point: CGPoint, transform: CGAffineTransform = .identity) { add([.move(point)], transform) }

    /// Goes straight to `point`.
    public func addLine(to point: CGPoint, transform: CGAffineTransform = .identity) { add([.line(point)], transform) }

    /// Goes straight through `points`, from the first.
    public func addLines(between points: [CGPoint], transform: CGAffineTransform = .identity) {
        guard let first = points.first else { return }
        add([.move(first)] + points.dropFirst().map { .line($0) }, transform)
    }

    /// Adds a curve to `end` with two control points.
    public func addCurve(
        to end: CGPoint, control1: CGPoint, control2: CGPoint, transform: CGAffineTransform = .identity
    ) { add([.curve(control1, control2, to: end)], transform) }

    /// Adds a curve to `end` with one control point.
    public func addQuadCurve(to end: CGPoint, control: CGPoint, transform: CGAffineTransform = .identity) {
        let from = currentPoint
        let (end, control) = (end.applying(transform), control.applying(transform))
        // The same curve with two control points has them at two thirds of the way to this one.
        func between(_ point: CGPoint) -> CGPoint {
            CGPoint(x: point.x + 2 / 3 * (control.x - point.x), y: point.y + 2 / 3 * (control.y - point.y))
        }
        parts.append(.curve(between(from), between(end), to: end))
    }

    /// Goes straight to where the line began.
    public func closeSubpath() { if !parts.isEmpty { parts.append(.close) } }

    /// Adds a rectangle.
    public func addRect(_ rect: CGRect, transform: CGAffineTransform = .identity) {
        let corners = [(rect.maxX, rect.minY), (rect.maxX, rect.maxY), (rect.minX, rect.maxY)]
        add(
            [.move(CGPoint(x: rect.minX, y: rect.minY))] + corners.map { .line(CGPoint(x: $0.0, y: $0.1)) } + [.close],
            transform)
    }

    /// Adds an oval that touches the sides of `rect`.
    public func addEllipse(in rect: CGRect, transform: CGAffineTransform = .identity) {
        addRoundedRect(in: rect, cornerWidth: rect.width / 2, cornerHeight: rect.height / 2, transform: transform)
    }

    /// Adds a rectangle whose corners are quarters of an oval, no larger than fits.
    public func addRoundedRect(
        in rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat, transform: CGAffineTransform = .identity
    ) {
        let (wide, high) = (max(0, min(cornerWidth, rect.width / 2)), max(0, min(cornerHeight, rect.height / 2)))
        let (left, right, top, bottom) = (rect.minX, rect.maxX, rect.minY, rect.maxY)
        func corner(_ x: CGFloat, _ y: CGFloat, _ quarters: Double) -> Part {
            Self.corner(CGPoint(x: x, y: y), wide, high, from: CGFloat(quarters * .pi / 2))
        }
        add(
            [
                .move(CGPoint(x: right, y: bottom - high)), corner(right - wide, bottom - high, 0),
                .line(CGPoint(x: left + wide, y: bottom)), corner(left + wide, bottom - high, 1),
                .line(CGPoint(x: left, y: top + high)), corner(left + wide, top + high, 2),
                .line(CGPoint(x: right - wide, y: top)), corner(right - wide, top + high, 3), .close,
            ], transform)
    }

    /// Adds a part of a circle, angles in radians, after a straight line to its beginning if a line was begun.
    public func addArc(
        center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool,
        transform: CGAffineTransform = .identity
    ) {
        guard startAngle.isFinite, endAngle.isFinite else { return }
        let whole = 2 * CGFloat.pi
        var sweep = clockwise ? startAngle - endAngle : endAngle - startAngle
        if sweep < 0 || sweep > whole { sweep -= whole * (sweep / whole).rounded(.down) }
        let count = max(1, (sweep / (CGFloat.pi / 2)).rounded(.up))
        let step = (clockwise ? -sweep : sweep) / count
        let handle = 4 / 3 * tan(step / 4)
        func point(_ angle: CGFloat, _ ahead: CGFloat = 0) -> CGPoint {
            CGPoint(
                x: center.x + radius * (cos(angle) - ahead * sin(angle)),
                y: center.y + radius * (sin(angle) + ahead * cos(angle)))
        }
        var new: [Part] = [parts.isEmpty || parts.last == .close ? .move(point(startAngle)) : .line(point(startAngle))]
        var angle = startAngle
        // The margin keeps rounding from adding one more, empty curve.
        for _ in 0..<4 where abs(angle - startAngle) < sweep - 1e-9 {
            new.append(.curve(point(angle, handle), point(angle + step, -handle), to: point(angle + step)))
            angle += step
        }
        add(new, transform)
    }

    /// Adds `path`.
    public func addPath(_ path: CGPath, transform: CGAffineTransform = .identity) { add(path.parts, transform) }
}
