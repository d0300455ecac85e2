import BelfryAppleGround
import BelfryTerms
@_exported public import Foundation
@_exported public import ImageIO

/// A picture: PNG, JPEG, GIF or WebP; the first frame of an animation. Source: Apple, `UIImage`.
open class UIImage: NSObject, @unchecked Sendable {
    /// The picture itself; nil for an empty one.
    public let cgImage: CGImage?
    /// The pixels of a point.
    public let scale: CGFloat

    /// An empty picture.
    public override init() {
        cgImage = nil
        scale = 1
        super.init()
    }

    /// A picture of `cgImage`, one pixel a point.
    public init(cgImage: CGImage) {
        self.cgImage = cgImage
        scale = 1
        super.init()
    }

    /// How a picture is turned.
    public enum Orientation: Int, Sendable {
        /// Upright.
        case up
        /// Upside down.
        case down
        /// Turned to the left.
        case left
        /// Turned to the right.
        case right
        /// Upright, mirrored.
        case upMirrored
        /// Upside down, mirrored.
        case downMirrored
        /// Turned to the left, mirrored.
        case leftMirrored
        /// Turned to the right, mirrored.
        case rightMirrored
    }

    /// How it is turned: upright, since decoding does that.
    open var imageOrientation: Orientation { .up }

    /// A picture of `cgImage`, of `scale` pixels a point. Another orientation than up has no effect, but a warning.
    public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
        if orientation != .up { KeeperDoor.warn(.unsupported, "UIImage(cgImage:scale:orientation:) that is not up") }
        self.cgImage = cgImage
        self.scale = scale > 0 ? scale : 1
        super.init()
    }

    /// A picture in `data`; nil if that is no picture, or beyond the limits of pictures.
    public convenience init?(data: Data) { self.init(data: data, scale: 1) }

    /// A picture in `data`, of `scale` pixels a point; nil if that is no picture, or beyond the limits of pictures.
    public init?(data: Data, scale: CGFloat) {
        guard let image = CGImage(encoded: [UInt8](data)) else { return nil }
        cgImage = image
        self.scale = scale > 0 ? scale : 1
        super.init()
    }

    /// The picture in the file at `path`; nil if that is no picture.
    public convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data: data, scale: Self.scale(ofFile: path))
    }

    /// The picture of this name in the main bundle, with or without its extension; nil if there is none.
    public convenience init?(named name: String) { self.init(named: name, in: nil) }

    /// The picture of this name in `bundle`, nil for the main one; nil if there is none. There is one look.
    public convenience init?(
        named name: String, in bundle: Bundle?, compatibleWith traitCollection: UITraitCollection? = nil
    ) {
        let suffixes = ["", ".png", "@2x.png", "@3x.png", ".jpg", ".jpeg", ".gif"]
        let folder = bundle ?? KeeperDoor.bundle
        let paths = suffixes.lazy.compactMap { folder.path(forResource: name + $0, ofType: nil) }
        guard let path = paths.first else { return nil }
        self.init(contentsOfFile: path)
    }

    /// The picture of this name in the main bundle, as an image literal has it; an empty one, with a warning, if there
    /// is none, which ends an app on iOS.
    public required convenience init(imageLiteralResourceName name: String) {
        guard let image = UIImage(named: name)?.cgImage else {
            KeeperDoor.warn(.unsupported, "an image literal without its picture: \"\(name)\"")
            self.init()
            return
        }
        self.init(cgImage: image)
    }

    /// Nil, with a warning: Apple's symbols are not here.
    public convenience init?(systemName name: String) {
        KeeperDoor.warn(.unsupported, "UIImage(systemName: \"\(name)\"): Apple's symbols are not here")
        return nil
    }

    /// Its size in points.
    open var size: CGSize {
        CGSize(width: CGFloat(cgImage?.width ?? 0) / scale, height: CGFloat(cgImage?.height ?? 0) / scale)
    }

    /// The picture as PNG; nil if it cannot be decoded.
    open func pngData() -> Data? { cgImage?.png() }

    /// The picture as JPEG, of a quality from 0 to 1; nil if it cannot be decoded.
    open func jpegData(compressionQuality: CGFloat) -> Data? { cgImage?.jpeg(quality: Double(compressionQuality)) }

    /// The scale that a file's name says, as in `icon@2x.png`.
    private static func scale(ofFile path: String) -> CGFloat {
        let name = NSString(string: path).deletingPathExtension
        return name.hasSuffix("@2x") ? 2 : name.hasSuffix("@3x") ? 3 : 1
    }
}

extension UIImage {
    /// How a picture's colours count. Source: Apple, `UIImage.RenderingMode`.
    public enum RenderingMode: Int, Sendable {
        /// As where it stands has it.
        case automatic
        /// As they are.
        case alwaysOriginal
        /// Not at all: what is opaque counts.
        case alwaysTemplate
    }

    /// The picture as it is: nothing here draws one in another colour.
    public func withRenderingMode(_ renderingMode: RenderingMode) -> UIImage { self }
}

/// What a picture is chosen by: nothing here. Source: Apple, `UITraitCollection`.
open class UITraitCollection: NSObject, @unchecked Sendable {
    /// None.
    public override init() { super.init() }
}

extension UIImage: _ExpressibleByImageLiteral {}

/// What an image literal is. Swift finds it by this name.
public typealias _ImageLiteralType = UIImage

/// ``UIImage/pngData()``, as code for Swift 3 and 4 has it.
public func UIImagePNGRepresentation(_ image: UIImage) -> Data? { image.pngData() }

/// ``UIImage/jpegData(compressionQuality:)``, as code for Swift 3 and 4 has it.
public func UIImageJPEGRepresentation(_ image: UIImage, _ compressionQuality: CGFloat) -> Data? {
    image.jpegData(compressionQuality: compressionQuality)
}
