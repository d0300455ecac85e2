import BelfryAppleGround

/// What an app may record. Source: Apple, `AVAudioApplication`.
public final class AVAudioApplication: NSObject, Sendable {
    /// Whether the app may record.
    public enum recordPermission: Int, Sendable {
        /// The person was not asked.
        case undetermined = 0x756E_6474
        /// It may not.
        case denied = 0x6465_6E79
        /// It may.
        case granted = 0x6772_6E74
    }

    /// The app.
    public static let shared = AVAudioApplication()

    /// Granted in an app. Denied in an extension: there is no microphone for it.
    public var recordPermission: recordPermission { KeeperDoor.isOfExtension ? .denied : .granted }

    /// Calls `response` on another thread with true in an app, without asking; with false in an extension.
    @preconcurrency
    public class func requestRecordPermission(completionHandler response: @escaping @Sendable (Bool) -> Void) {
        AVAudioSession.sharedInstance().requestRecordPermission(response)
    }

    /// True in an app, without asking; false in an extension.
    public class func requestRecordPermission() async -> Bool { shared.recordPermission == .granted }
}
