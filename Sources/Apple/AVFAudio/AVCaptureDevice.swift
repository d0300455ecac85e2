import BelfryAppleGround
import BelfryTerms

/// What a medium is. Source: Apple, `AVMediaType`.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// The kind of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Sound.
    public static let audio = AVMediaType(rawValue: "soun")
    /// Pictures that move.
    public static let video = AVMediaType(rawValue: "vide")
    /// Text.
    public static let text = AVMediaType(rawValue: "text")
    /// Sound and pictures in one.
    public static let muxed = AVMediaType(rawValue: "muxx")
}

/// Whether an app may use something of the person's. Source: Apple, `AVAuthorizationStatus`.
public enum AVAuthorizationStatus: Int, Sendable {
    /// The person was not asked.
    case notDetermined
    /// It may not, and the person cannot change that.
    case restricted
    /// It may not.
    case denied
    /// It may.
    case authorized
}

/// A microphone or camera. There is none here, but an app may record. Source: Apple, `AVCaptureDevice`.
open class AVCaptureDevice: NSObject, @unchecked Sendable {
    /// Where a camera looks. Source: Apple, `AVCaptureDevice.Position`.
    public enum Position: Int, Sendable {
        /// It does not say.
        case unspecified
        /// Away from the person.
        case back
        /// At the person.
        case front
    }

    /// Its name for programs.
    public let uniqueID: String
    /// Its name for people.
    public let localizedName: String
    /// Where it looks.
    open var position: Position { .unspecified }

    init(uniqueID: String, localizedName: String) {
        self.uniqueID = uniqueID
        self.localizedName = localizedName
        super.init()
    }

    /// Sound: as ``AVAudioSession/recordPermission``. Everything else: denied, since there is no camera.
    open class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus {
        mediaType == .audio && AVAudioSession.sharedInstance().recordPermission == .granted ? .authorized : .denied
    }

    /// Calls `handler` on another thread, without asking: with true for sound in an app, else with false and a warning.
    open class func requestAccess(
        for mediaType: AVMediaType, completionHandler handler: @escaping @Sendable (Bool) -> Void
    ) {
        let isAuthorized = mayUse(mediaType)
        KeeperDoor.current.run(on: .global()) { handler(isAuthorized) }
    }

    /// True for sound in an app, without asking; else false, with a warning.
    open class func requestAccess(for mediaType: AVMediaType) async -> Bool { mayUse(mediaType) }

    private class func mayUse(_ mediaType: AVMediaType) -> Bool {
        if mediaType != .audio {
            KeeperDoor.warn(
                .unsupported, "AVCaptureDevice.requestAccess(for: \(mediaType.rawValue)): there is no camera")
        }
        return authorizationStatus(for: mediaType) == .authorized
    }

    /// Nil, with a warning: there is none.
    open class func `default`(for mediaType: AVMediaType) -> AVCaptureDevice? {
        KeeperDoor.warn(.unsupported, "AVCaptureDevice.default(for: \(mediaType.rawValue))")
        return nil
    }

    /// None.
    open class func devices(for mediaType: AVMediaType) -> [AVCaptureDevice] { [] }
}
