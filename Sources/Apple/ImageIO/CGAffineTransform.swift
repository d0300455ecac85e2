@_exported public import Foundation

/// Moves, scales and turns points: `x' = a x + c y + tx`, `y' = b x + d y + ty`. Source: Apple, `CGAffineTransform`.
public struct CGAffineTransform: Hashable, Sendable {
    /// How far `x` goes along the first axis.
    public var a: CGFloat
    /// How far `x` goes along the second axis.
    public var b: CGFloat
    /// How far `y` goes along the first axis.
    public var c: CGFloat
    /// How far `y` goes along the second axis.
    public var d: CGFloat
    /// How far all goes along the first axis.
    public var tx: CGFloat
    /// How far all goes along the second axis.
    public var ty: CGFloat

    /// The transform that changes nothing.
    public static let identity = CGAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

    /// The transform with these numbers.
    public init(a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat) {
        (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
    }

    /// Moves.
    public init(translationX tx: CGFloat, y ty: CGFloat) { self.init(a: 1, b: 0, c: 0, d: 1, tx: tx, ty: ty) }

    /// Scales.
    public init(scaleX sx: CGFloat, y sy: CGFloat) { self.init(a: sx, b: 0, c: 0, d: sy, tx: 0, ty: 0) }

    /// Turns by an angle in radians.
    public init(rotationAngle angle: CGFloat) {
        self.init(a: cos(angle), b: sin(angle), c: -sin(angle), d: cos(angle), tx: 0, ty: 0)
    }

    /// Whether it changes nothing.
    public var isIdentity: Bool { self == .identity }

    /// First applies `other`, then this.
    private func after(_ other: CGAffineTransform) -> CGAffineTransform { other.concatenating(self) }

    /// First moves, then applies this.
    public func translatedBy(x tx: CGFloat, y ty: CGFloat) -> CGAffineTransform {
        after(CGAffineTransform(translationX: tx, y: ty))
    }

    /// First scales, then applies this.
    public func scaledBy(x sx: CGFloat, y sy: CGFloat) -> CGAffineTransform {
        after(CGAffineTransform(scaleX: sx, y: sy))
    }

    /// First turns, then applies this.
    public func rotated(by angle: CGFloat) -> CGAffineTransform { after(CGAffineTransform(rotationAngle: angle)) }

    /// First applies this, then `other`.
    public func concatenating(_ other: CGAffineTransform) -> CGAffineTransform {
        CGAffineTransform(
            a: a * other.a + b * other.c, b: a * other.b + b * other.d,
            c: c * other.a + d * other.c, d: c * other.b + d * other.d,
            tx: tx * other.a + ty * other.c + other.tx, ty: tx * other.b + ty * other.d + other.ty)
    }

    /// The transform that undoes it; itself if there is none.
    public func inverted() -> CGAffineTransform {
        let area = a * d - b * c
        guard area != 0, area.isFinite else { return self }
        return CGAffineTransform(
            a: d / area, b: -b / area, c: -c / area, d: a / area,
            tx: (c * ty - d * tx) / area, ty: (b * tx - a * ty) / area)
    }
}

extension CGPoint {
    /// The point moved by `transform`.
    public func applying(_ transform: CGAffineTransform) -> CGPoint {
        CGPoint(
            x: transform.a * x + transform.c * y + transform.tx, y: transform.b * x + transform.d * y + transform.ty)
    }
}

extension CGRect {
    /// The smallest rectangle around its corners, each moved by `transform`.
    public func applying(_ transform: CGAffineTransform) -> CGRect {
        CGRect(
            around: [(minX, minY), (maxX, minY), (minX, maxY), (maxX, maxY)].map {
                CGPoint(x: $0.0, y: $0.1).applying(transform)
            })
    }

    /// The smallest rectangle around `points`; null without any.
    init(around points: [CGPoint]) {
        guard let left = points.map(\.x).min(), let right = points.map(\.x).max(),
            let top = points.map(\.y).min(), let bottom = points.map(\.y).max()
        else {
            self = .null
            return
        }
        self.init(x: left, y: top, width: right - left, height: bottom - top)
    }
}
