import BelfryAppleGround

// How code for Swift 3 and 4 spells the words of an audio session. Source: Apple, AVAudioSessionTypes.h.

/// ``AVAudioSession/CategoryOptions``.
public typealias AVAudioSessionCategoryOptions = AVAudioSession.CategoryOptions
/// ``AVAudioSession/SetActiveOptions``.
public typealias AVAudioSessionSetActiveOptions = AVAudioSession.SetActiveOptions
/// ``AVAudioSession/PortOverride``.
public typealias AVAudioSessionPortOverride = AVAudioSession.PortOverride
/// ``AVAudioSession/RecordPermission``.
public typealias AVAudioSessionRecordPermission = AVAudioSession.RecordPermission
/// ``AVAudioSession/RouteChangeReason``.
public typealias AVAudioSessionRouteChangeReason = AVAudioSession.RouteChangeReason
/// ``AVAudioSession/InterruptionType``.
public typealias AVAudioSessionInterruptionType = AVAudioSession.InterruptionType
/// ``AVAudioSession/InterruptionOptions``.
public typealias AVAudioSessionInterruptionOptions = AVAudioSession.InterruptionOptions

/// ``AVAudioSession/Category/ambient``.
public let AVAudioSessionCategoryAmbient = AVAudioSession.Category.ambient.rawValue
/// ``AVAudioSession/Category/soloAmbient``.
public let AVAudioSessionCategorySoloAmbient = AVAudioSession.Category.soloAmbient.rawValue
/// ``AVAudioSession/Category/playback``.
public let AVAudioSessionCategoryPlayback = AVAudioSession.Category.playback.rawValue
/// ``AVAudioSession/Category/record``.
public let AVAudioSessionCategoryRecord = AVAudioSession.Category.record.rawValue
/// ``AVAudioSession/Category/playAndRecord``.
public let AVAudioSessionCategoryPlayAndRecord = AVAudioSession.Category.playAndRecord.rawValue
/// ``AVAudioSession/Category/audioProcessing``.
public let AVAudioSessionCategoryAudioProcessing = AVAudioSession.Category.audioProcessing.rawValue
/// ``AVAudioSession/Category/multiRoute``.
public let AVAudioSessionCategoryMultiRoute = AVAudioSession.Category.multiRoute.rawValue

/// ``AVAudioSession/Mode/default``.
public let AVAudioSessionModeDefault = AVAudioSession.Mode.default.rawValue
/// ``AVAudioSession/Mode/voiceChat``.
public let AVAudioSessionModeVoiceChat = AVAudioSession.Mode.voiceChat.rawValue
/// ``AVAudioSession/Mode/gameChat``.
public let AVAudioSessionModeGameChat = AVAudioSession.Mode.gameChat.rawValue
/// ``AVAudioSession/Mode/videoRecording``.
public let AVAudioSessionModeVideoRecording = AVAudioSession.Mode.videoRecording.rawValue
/// ``AVAudioSession/Mode/measurement``.
public let AVAudioSessionModeMeasurement = AVAudioSession.Mode.measurement.rawValue
/// ``AVAudioSession/Mode/moviePlayback``.
public let AVAudioSessionModeMoviePlayback = AVAudioSession.Mode.moviePlayback.rawValue
/// ``AVAudioSession/Mode/videoChat``.
public let AVAudioSessionModeVideoChat = AVAudioSession.Mode.videoChat.rawValue
/// ``AVAudioSession/Mode/spokenAudio``.
public let AVAudioSessionModeSpokenAudio = AVAudioSession.Mode.spokenAudio.rawValue
/// ``AVAudioSession/Mode/voicePrompt``.
public let AVAudioSessionModeVoicePrompt = AVAudioSession.Mode.voicePrompt.rawValue

/// ``AVAudioSession/Port/lineIn``.
public let AVAudioSessionPortLineIn = AVAudioSession.Port.lineIn.rawValue
/// ``AVAudioSession/Port/builtInMic``.
public let AVAudioSessionPortBuiltInMic = AVAudioSession.Port.builtInMic.rawValue
/// ``AVAudioSession/Port/headsetMic``.
public let AVAudioSessionPortHeadsetMic = AVAudioSession.Port.headsetMic.rawValue
/// ``AVAudioSession/Port/lineOut``.
public let AVAudioSessionPortLineOut = AVAudioSession.Port.lineOut.rawValue
/// ``AVAudioSession/Port/headphones``.
public let AVAudioSessionPortHeadphones = AVAudioSession.Port.headphones.rawValue
/// ``AVAudioSession/Port/bluetoothA2DP``.
public let AVAudioSessionPortBluetoothA2DP = AVAudioSession.Port.bluetoothA2DP.rawValue
/// ``AVAudioSession/Port/builtInReceiver``.
public let AVAudioSessionPortBuiltInReceiver = AVAudioSession.Port.builtInReceiver.rawValue
/// ``AVAudioSession/Port/builtInSpeaker``.
public let AVAudioSessionPortBuiltInSpeaker = AVAudioSession.Port.builtInSpeaker.rawValue
/// ``AVAudioSession/Port/HDMI``.
public let AVAudioSessionPortHDMI = AVAudioSession.Port.HDMI.rawValue
/// ``AVAudioSession/Port/airPlay``.
public let AVAudioSessionPortAirPlay = AVAudioSession.Port.airPlay.rawValue
/// ``AVAudioSession/Port/bluetoothLE``.
public let AVAudioSessionPortBluetoothLE = AVAudioSession.Port.bluetoothLE.rawValue
/// ``AVAudioSession/Port/bluetoothHFP``.
public let AVAudioSessionPortBluetoothHFP = AVAudioSession.Port.bluetoothHFP.rawValue
/// ``AVAudioSession/Port/usbAudio``.
public let AVAudioSessionPortUSBAudio = AVAudioSession.Port.usbAudio.rawValue
/// ``AVAudioSession/Port/carAudio``.
public let AVAudioSessionPortCarAudio = AVAudioSession.Port.carAudio.rawValue

extension AVAudioSession.Category {
    /// Whether `category` has this name.
    public static func == (category: Self, name: String) -> Bool { category.rawValue == name }

    /// Whether `category` has another name.
    public static func != (category: Self, name: String) -> Bool { category.rawValue != name }
}

extension AVAudioSession.Mode {
    /// Whether `mode` has this name.
    public static func == (mode: Self, name: String) -> Bool { mode.rawValue == name }

    /// Whether `mode` has another name.
    public static func != (mode: Self, name: String) -> Bool { mode.rawValue != name }
}

extension AVAudioSession.Port {
    /// Whether `kind` has this name.
    public static func == (kind: Self, name: String) -> Bool { kind.rawValue == name }

    /// Whether `kind` has another name.
    public static func != (kind: Self, name: String) -> Bool { kind.rawValue != name }
}

extension AVAudioSession {
    /// Sets the category of this name, and `options`.
    ///
    /// - Throws: `badParam` for a name that is no category's.
    public func setCategory(_ category: String, with options: CategoryOptions = []) throws {
        try setCategory(Category(rawValue: category), options: options)
    }

    /// Sets category, mode and options by their names.
    ///
    /// - Throws: `badParam` for a name that is no category's or mode's.
    public func setCategory(_ category: String, mode: String, options: CategoryOptions = []) throws {
        try setCategory(Category(rawValue: category), mode: Mode(rawValue: mode), options: options)
    }

    /// Sets category and options.
    ///
    /// - Throws: `badParam` for a name that is no category's.
    public func setCategory(_ category: Category, with options: CategoryOptions) throws {
        try setCategory(category, options: options)
    }

    /// Sets the mode of this name.
    ///
    /// - Throws: `badParam` for a name that is no mode's.
    public func setMode(_ mode: String) throws { try setMode(Mode(rawValue: mode)) }

    /// As ``setActive(_:options:)``.
    public func setActive(_ active: Bool, with options: SetActiveOptions) throws {
        try setActive(active, options: options)
    }
}

extension NSNotification.Name {
    /// ``AVAudioSession/interruptionNotification``.
    public static let AVAudioSessionInterruption = AVAudioSession.interruptionNotification
    /// ``AVAudioSession/routeChangeNotification``.
    public static let AVAudioSessionRouteChange = AVAudioSession.routeChangeNotification
    /// ``AVAudioSession/mediaServicesWereLostNotification``.
    public static let AVAudioSessionMediaServicesWereLost = AVAudioSession.mediaServicesWereLostNotification
    /// ``AVAudioSession/mediaServicesWereResetNotification``.
    public static let AVAudioSessionMediaServicesWereReset = AVAudioSession.mediaServicesWereResetNotification
    /// ``AVAudioSession/silenceSecondaryAudioHintNotification``.
    public static let AVAudioSessionSilenceSecondaryAudioHint = AVAudioSession.silenceSecondaryAudioHintNotification
}
