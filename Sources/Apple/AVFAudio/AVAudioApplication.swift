/// What an app may record: nothing. Source: Apple, `AVAudioApplication`.
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

    /// Denied: there is no microphone for an extension.
    public var recordPermission: recordPermission { .denied }
}
