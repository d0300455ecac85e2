public import BelfryAppleGround
import BelfryTerms
@_exported public import ImageIO

// Films. Nothing here decodes them: a request for a picture fails as it does for a damaged film.

/// A time of a film. Source: Apple, `CMTime`.
public struct CMTime: Hashable, Sendable {
    /// How many parts of a second.
    public var value: Int64
    /// How many parts a second has.
    public var timescale: Int32

    /// The beginning.
    public static let zero = CMTime(value: 0, timescale: 1)
    /// No time.
    public static let invalid = CMTime(value: 0, timescale: 0)

    /// `value` parts of a second that has `timescale`.
    public init(value: Int64, timescale: Int32) { (self.value, self.timescale) = (value, timescale) }

    /// A time in seconds, to the part of a second that `preferredTimescale` says; invalid beyond its range.
    public init(seconds: Double, preferredTimescale: Int32) {
        let value = (seconds * Double(preferredTimescale)).rounded()
        guard let value = Int64(exactly: value), preferredTimescale > 0 else {
            self = .invalid
            return
        }
        self.init(value: value, timescale: preferredTimescale)
    }

    /// The time in seconds; not a number if it is invalid.
    public var seconds: Double { timescale == 0 ? .nan : Double(value) / Double(timescale) }

    /// Whether it is a time.
    public var isValid: Bool { timescale > 0 }
}

/// `value` parts of a second that has `timescale`.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime { CMTime(value: value, timescale: timescale) }

/// A time in seconds, to the part of a second that `preferredTimescale` says.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: Int32) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// The time in seconds.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }

/// What goes wrong with films. Source: Apple, `AVError`.
public struct AVError: CodedError, Hashable {
    /// What can go wrong.
    public enum Code: Int, Sendable {
        /// Nothing here reads the film.
        case decodeFailed = -11821
    }

    /// What went wrong.
    public let code: Code

    /// The error with this code.
    public init(_ code: Code) { self.code = code }

    /// Apple's.
    public static let errorDomain = "AVFoundationErrorDomain"
}

/// A film or a sound; its content is not read. Source: Apple, `AVAsset`.
open class AVAsset: NSObject, @unchecked Sendable {
    fileprivate let source: URL

    fileprivate init(source: URL) {
        self.source = source
        super.init()
    }

    /// The film at `url`.
    public convenience init(url: URL) { self.init(source: url) }

    /// Its duration: invalid, with a warning, since nothing here reads it.
    open var duration: CMTime {
        warn("the duration")
        return .invalid
    }

    fileprivate func warn(_ what: String) {
        KeeperDoor.warn(.unsupported, "AVAsset: \(what) of \(source.lastPathComponent)")
    }
}

/// A film at an address. Source: Apple, `AVURLAsset`.
open class AVURLAsset: AVAsset, @unchecked Sendable {
    /// The film at `URL`; options change nothing.
    public init(url URL: URL, options: [String: Any]? = nil) { super.init(source: URL) }

    /// Where it is.
    open var url: URL { source }
}

/// Takes pictures of a film on iOS; here it fails. Source: Apple, `AVAssetImageGenerator`.
open class AVAssetImageGenerator: NSObject, @unchecked Sendable {
    /// The result of a request for a picture.
    public enum Result: Int, Sendable {
        /// It is there.
        case succeeded
        /// It cannot be had.
        case failed
        /// The request was cancelled.
        case cancelled
    }

    /// The film.
    public let asset: AVAsset
    /// Whether pictures would be turned upright.
    open var appliesPreferredTrackTransform = false
    /// How large pictures would be at most, in pixels; zero for as large as they are.
    open var maximumSize = CGSize(width: 0, height: 0)
    /// How much earlier than asked for they might be.
    open var requestedTimeToleranceBefore = CMTime.zero
    /// How much later than asked for they might be.
    open var requestedTimeToleranceAfter = CMTime.zero

    /// For pictures of `asset`.
    public init(asset: AVAsset) {
        self.asset = asset
        super.init()
    }

    /// Fails with a warning.
    open func copyCGImage(at requestedTime: CMTime, actualTime: UnsafeMutablePointer<CMTime>?) throws -> CGImage {
        asset.warn("a picture")
        throw AVError(.decodeFailed)
    }

    /// Fails with a warning.
    open func image(at time: CMTime) async throws -> (image: CGImage, actualTime: CMTime) {
        (try unsafe copyCGImage(at: time, actualTime: nil), time)
    }

    /// Calls `handler` with a failure.
    open func generateCGImageAsynchronously(
        for requestedTime: CMTime, completionHandler handler: @escaping (CGImage?, CMTime, (any Error)?) -> Void
    ) {
        asset.warn("a picture")
        handler(nil, requestedTime, AVError(.decodeFailed))
    }
}
