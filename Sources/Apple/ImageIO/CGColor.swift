import BelfryAppleGround

/// The meaning of a colour's numbers: here always sRGB, or grey. Source: Apple, `CGColorSpace`.
public final class CGColorSpace: Sendable {
    /// The colours of screens.
    public static var sRGB: CFString { "kCGColorSpaceSRGB" as NSString }
    /// Light to dark.
    public static var genericGrayGamma2_2: CFString { "kCGColorSpaceGenericGrayGamma2_2" as NSString }

    fileprivate let isGrey: Bool

    fileprivate init(isGrey: Bool) { self.isGrey = isGrey }

    /// The space of this name: grey if the name says so, else sRGB.
    public convenience init?(name: CFString) { self.init(isGrey: String(describing: name).contains("Gray")) }

    /// How many numbers a colour has beside its alpha.
    public var numberOfComponents: Int { isGrey ? 1 : 3 }
}

/// Red, green and blue.
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace(isGrey: false) }

/// Light to dark.
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace { CGColorSpace(isGrey: true) }

/// A colour. Source: Apple, `CGColor`.
public final class CGColor: Hashable, Sendable {
    /// Its red, green and blue, from 0 to 1.
    package let parts: [CGFloat]
    /// How opaque it is, from 0 to 1.
    public let alpha: CGFloat

    /// A colour of sRGB, each part from 0 to 1.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        parts = [red, green, blue]
        self.alpha = alpha
    }

    /// A colour of sRGB, each part from 0 to 1.
    public convenience init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.init(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// A grey, from 0 for black to 1.
    public convenience init(gray: CGFloat, alpha: CGFloat) {
        self.init(red: gray, green: gray, blue: gray, alpha: alpha)
    }

    /// A colour of `space`, whose numbers are followed by its alpha.
    public convenience init?(colorSpace space: CGColorSpace, components: UnsafePointer<CGFloat>) {
        let parts = (0..<space.numberOfComponents).map { unsafe components[$0] }
        let alpha = unsafe components[space.numberOfComponents]
        self.init(red: parts[0], green: parts[parts.count / 2], blue: parts[parts.count - 1], alpha: alpha)
    }

    /// Its red, green, blue and alpha.
    public var components: [CGFloat]? { parts + [alpha] }

    /// How many ``components`` it has.
    public var numberOfComponents: Int { 4 }

    /// The same colour, more or less transparent.
    public func copy(alpha: CGFloat) -> CGColor? {
        CGColor(red: parts[0], green: parts[1], blue: parts[2], alpha: alpha)
    }

    /// Whether all parts are the same.
    public static func == (first: CGColor, second: CGColor) -> Bool {
        first.parts == second.parts && first.alpha == second.alpha
    }

    /// Feeds all parts.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(parts)
        hasher.combine(alpha)
    }
}

/// Colours that blend into each other. Source: Apple, `CGGradient`.
public final class CGGradient: Sendable {
    /// Each colour, and where it is, from 0 to 1.
    let stops: [(at: Double, colour: CGColor)]

    /// These colours, each a `CGColor`, at these places, or evenly spaced; nil without a colour.
    public init?(colorsSpace space: CGColorSpace?, colors: CFArray, locations: UnsafePointer<CGFloat>?) {
        let colours = (0..<colors.count).compactMap { colors.object(at: $0) as? CGColor }
        guard !colours.isEmpty, colours.count == colors.count else { return nil }
        stops = colours.enumerated().map { index, colour in
            (unsafe locations.map { unsafe Double($0[index]) } ?? Self.place(of: index, in: colours.count), colour)
        }
    }

    /// `count` colours of `space`, whose numbers follow each other, at these places, or evenly spaced.
    public init?(
        colorSpace space: CGColorSpace, colorComponents components: UnsafePointer<CGFloat>,
        locations: UnsafePointer<CGFloat>?, count: Int
    ) {
        guard count > 0 else { return nil }
        stops = (0..<count).compactMap { index in
            unsafe CGColor(
                colorSpace: space, components: components + index * (space.numberOfComponents + 1)
            ).map { colour in
                (unsafe locations.map { unsafe Double($0[index]) } ?? Self.place(of: index, in: count), colour)
            }
        }
    }

    private static func place(of index: Int, in count: Int) -> Double {
        count == 1 ? 0 : Double(index) / Double(count - 1)
    }
}

/// Whether a gradient goes on beyond its ends. Source: Apple, `CGGradientDrawingOptions`.
public struct CGGradientDrawingOptions: OptionSet, Sendable {
    /// Apple's number.
    public let rawValue: UInt32

    /// The options of Apple's number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Its first colour goes on before its start.
    public static let drawsBeforeStartLocation = CGGradientDrawingOptions(rawValue: 1)
    /// Its last colour goes on after its end.
    public static let drawsAfterEndLocation = CGGradientDrawingOptions(rawValue: 2)
}
