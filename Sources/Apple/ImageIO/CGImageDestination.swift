import BelfryAppleGround
import BelfryTerms

/// Where one picture is written, as PNG or JPEG. Source: Apple, `CGImageDestination`.
public final class CGImageDestination: @unchecked Sendable {
    private enum Place {
        case file(URL)
        case data(NSMutableData)
    }

    private let place: Place
    private let isJPEG: Bool
    private var image: CGImage?
    private var properties: [CFString: Any] = [:]

    private init?(_ place: Place, type: CFString, count: Int) {
        let type = type as String
        guard count == 1, ["public.png", "public.jpeg"].contains(type) else {
            KeeperDoor.warn(.unsupported, "CGImageDestination: \(count) pictures of the type \(type)")
            return nil
        }
        self.place = place
        isJPEG = type == "public.jpeg"
    }

    fileprivate convenience init?(_ url: URL, type: CFString, count: Int) {
        self.init(.file(url), type: type, count: count)
    }

    fileprivate convenience init?(_ data: NSMutableData, type: CFString, count: Int) {
        self.init(.data(data), type: type, count: count)
    }

    fileprivate func add(_ image: CGImage, _ properties: CFDictionary?) {
        if self.image == nil { self.image = image }
        set(properties)
    }

    fileprivate func set(_ properties: CFDictionary?) {
        for (key, value) in properties ?? [:] {
            if let key = key as? String { self.properties[NSString(string: key)] = value }
        }
    }

    /// Writes the picture; false without one, or if it cannot be decoded or written.
    fileprivate func finish() -> Bool {
        func number(_ key: CFString) -> NSNumber? { properties[key] as? NSNumber }
        var smaller = image
        if let side = number(kCGImageDestinationImageMaxPixelSize)?.intValue {
            smaller = image?.bitmap?.scaled(toSide: side).map(CGImage.init)
        }
        let quality = number(kCGImageDestinationLossyCompressionQuality)?.doubleValue ?? 0.8
        guard let data = isJPEG ? smaller?.jpeg(quality: quality) : smaller?.png() else { return false }
        switch place {
        case .data(let target): target.setData(data)
        case .file(let url): return url.isFileURL && (try? data.write(to: url, options: .atomic)) != nil
        }
        return true
    }
}

/// How good a JPEG is, from 0 to 1: a number.
public var kCGImageDestinationLossyCompressionQuality: CFString { "kCGImageDestinationLossyCompressionQuality" }
/// The longest side of the written picture in pixels: a number.
public var kCGImageDestinationImageMaxPixelSize: CFString { "kCGImageDestinationImageMaxPixelSize" }

/// A destination in the file at `url`; nil with a warning unless `type` is `public.png` or `public.jpeg`, and `count`
/// is 1.
public func CGImageDestinationCreateWithURL(
    _ url: CFURL, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
    CGImageDestination(url as URL, type: type, count: count)
}

/// A destination in `data`; nil with a warning unless `type` is `public.png` or `public.jpeg`, and `count` 1.
public func CGImageDestinationCreateWithData(
    _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
    CGImageDestination(data, type: type, count: count)
}

/// Adds the picture that is written; further ones are passed over.
public func CGImageDestinationAddImage(
    _ idst: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
) {
    idst.add(image, properties)
}

/// Adds the picture of a source; does nothing for any but the first.
public func CGImageDestinationAddImageFromSource(
    _ idst: CGImageDestination, _ isrc: CGImageSource, _ index: Int, _ properties: CFDictionary?
) {
    if let image = CGImageSourceCreateImageAtIndex(isrc, index, nil) { idst.add(image, properties) }
}

/// Says how the picture is written.
public func CGImageDestinationSetProperties(_ idst: CGImageDestination, _ properties: CFDictionary?) {
    idst.set(properties)
}

/// Writes the picture.
///
/// - Returns: false without one, or if it cannot be decoded or written.
@discardableResult
public func CGImageDestinationFinalize(_ idst: CGImageDestination) -> Bool { idst.finish() }
