import BelfryAppleGround
import BelfryPictures
import BelfrySyscalls

/// A file or data from which pictures are read. Source: Apple, `CGImageSource`.
public final class CGImageSource: Sendable {
    /// The most bytes of a picture.
    static let bytesMax = 50 << 20

    fileprivate let format: PictureFormat
    fileprivate let image: CGImage

    fileprivate init?(_ bytes: [UInt8]) {
        guard let format = PictureFormat(of: bytes), let image = CGImage(encoded: bytes) else { return nil }
        self.format = format
        self.image = image
    }
}

/// The longest side of a thumbnail in pixels: a number.
public var kCGImageSourceThumbnailMaxPixelSize: CFString { "kCGImageSourceThumbnailMaxPixelSize" }
/// Whether a thumbnail is made of the picture even where the file has one.
public var kCGImageSourceCreateThumbnailFromImageAlways: CFString { "kCGImageSourceCreateThumbnailFromImageAlways" }
/// Whether a thumbnail is made of the picture where the file has none.
public var kCGImageSourceCreateThumbnailFromImageIfAbsent: CFString {
    "kCGImageSourceCreateThumbnailFromImageIfAbsent"
}
/// Whether a thumbnail is turned upright; here each is.
public var kCGImageSourceCreateThumbnailWithTransform: CFString { "kCGImageSourceCreateThumbnailWithTransform" }
/// Whether the picture is kept decoded.
public var kCGImageSourceShouldCache: CFString { "kCGImageSourceShouldCache" }
/// Whether the picture is decoded at once.
public var kCGImageSourceShouldCacheImmediately: CFString { "kCGImageSourceShouldCacheImmediately" }
/// A picture's width in pixels.
public var kCGImagePropertyPixelWidth: CFString { "PixelWidth" }
/// A picture's height in pixels.
public var kCGImagePropertyPixelHeight: CFString { "PixelHeight" }

/// A source of the file at `url`; nil unless that is a PNG, JPEG, GIF or WebP of at most 50 MiB and within the limits
/// of pictures.
public func CGImageSourceCreateWithURL(_ url: CFURL, _ options: CFDictionary?) -> CGImageSource? {
    guard let path = (url as URL).isFileURL ? (url as URL).path : nil,
        let file = try? readFile(at: path, bytesMax: CGImageSource.bytesMax)
    else { return nil }
    return CGImageSource(file.bytes)
}

/// A source of `data`; nil unless that is a PNG, JPEG, GIF or WebP within the limits of pictures.
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? {
    CGImageSource([UInt8](data as Data))
}

/// How many pictures there are: 1, since only the first one of an animation is read.
public func CGImageSourceGetCount(_ isrc: CGImageSource) -> Int { 1 }

/// The uniform type identifier of the source.
public func CGImageSourceGetType(_ isrc: CGImageSource) -> CFString? {
    switch isrc.format {
    case .png: "public.png"
    case .jpeg: "public.jpeg"
    case .gif: "com.compuserve.gif"
    case .webp: "org.webmproject.webp"
    }
}

/// The width and height of a picture, without decoding it; nil for any but the first.
public func CGImageSourceCopyPropertiesAtIndex(
    _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? {
    guard index == 0 else { return nil }
    return [
        kCGImagePropertyPixelWidth as String: NSNumber(value: isrc.image.width),
        kCGImagePropertyPixelHeight as String: NSNumber(value: isrc.image.height),
    ] as NSDictionary
}

/// The picture; nil for any but the first.
public func CGImageSourceCreateImageAtIndex(
    _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
    index == 0 ? isrc.image : nil
}

/// A smaller picture of at most `kCGImageSourceThumbnailMaxPixelSize`; nil if it cannot be decoded, or if `options` do
/// not ask for one made of the picture.
public func CGImageSourceCreateThumbnailAtIndex(
    _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
    func number(_ key: CFString) -> NSNumber? { options?.object(forKey: key) as? NSNumber }
    let asks = [kCGImageSourceCreateThumbnailFromImageAlways, kCGImageSourceCreateThumbnailFromImageIfAbsent]
    guard index == 0, asks.contains(where: { number($0)?.boolValue == true }), let bitmap = isrc.image.bitmap else {
        return nil
    }
    let side = number(kCGImageSourceThumbnailMaxPixelSize)?.intValue ?? max(bitmap.width, bitmap.height)
    return bitmap.scaled(toSide: side).map(CGImage.init)
}
