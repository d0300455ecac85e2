@_exported public import typealias BelfryAppleGround.CFArray
@_exported public import typealias BelfryAppleGround.CFData
@_exported public import typealias BelfryAppleGround.CFDictionary
@_exported public import typealias BelfryAppleGround.CFMutableData
@_exported public import typealias BelfryAppleGround.CFString
@_exported public import typealias BelfryAppleGround.CFURL
import BelfryPictures
import BelfrySyscalls
@_exported public import Foundation

/// A picture. It is decoded when its pixels are first needed. Source: Apple, `CGImage`.
public final class CGImage: Sendable {
    /// The picture's bytes as they came; nil for one that was made of pixels.
    private let encoded: [UInt8]?
    private let decoded: LockedValue<Bitmap?>
    /// Its width in pixels.
    public let width: Int
    /// Its height in pixels.
    public let height: Int

    /// The picture in `bytes`; nil unless they start as a PNG, JPEG, GIF or WebP within the limits of pictures.
    package init?(encoded bytes: [UInt8]) {
        guard let header = try? PictureHeader(of: bytes) else { return nil }
        encoded = bytes
        decoded = LockedValue(nil)
        width = header.width
        height = header.height
    }

    init(_ bitmap: Bitmap) {
        encoded = nil
        decoded = LockedValue(bitmap)
        width = bitmap.width
        height = bitmap.height
    }

    /// The pixels; nil with a warning if they cannot be decoded.
    var bitmap: Bitmap? {
        decoded.withLock { bitmap in
            if bitmap == nil, let encoded { bitmap = Bitmap(encoded) }
            return bitmap
        }
    }

    /// The picture as PNG; nil if it cannot be decoded.
    package func png() -> Data? { bitmap?.png().map { Data($0) } }

    /// The picture as JPEG, of a quality from 0 to 1; nil if it cannot be decoded.
    package func jpeg(quality: Double) -> Data? {
        let percent = quality.isNaN ? 0 : min(max(quality, 0), 1) * 100
        return bitmap?.jpeg(quality: NSNumber(value: percent.rounded()).intValue).map { Data($0) }
    }
}
