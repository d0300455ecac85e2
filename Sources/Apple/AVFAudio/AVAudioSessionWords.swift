import BelfryAppleGround

// The closed lists of an audio session, with Apple's numbers and names. Source: Apple, AVAudioSessionTypes.h.

extension AVAudioSession {
    /// What an app does with sound.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// Apple's name.
        public let rawValue: String

        /// The category of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ word: String) { rawValue = "AVAudioSessionCategory\(word)" }

        /// Plays beside others, silenced by the switch.
        public static let ambient = Category("Ambient")
        /// Plays alone, silenced by the switch.
        public static let soloAmbient = Category("SoloAmbient")
        /// Plays alone.
        public static let playback = Category("Playback")
        /// Records.
        public static let record = Category("Record")
        /// Plays and records, as a call does.
        public static let playAndRecord = Category("PlayAndRecord")
        /// Works on sound without playing it.
        public static let audioProcessing = Category("AudioProcessing")
        /// Plays to several outputs.
        public static let multiRoute = Category("MultiRoute")

        static let all = [ambient, soloAmbient, playback, record, playAndRecord, multiRoute, audioProcessing]

        /// Whether it has an input.
        var records: Bool { [.record, .playAndRecord, .multiRoute].contains(self) }
    }

    /// What the sound is.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        /// Apple's name.
        public let rawValue: String

        /// The mode of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ word: String) { rawValue = "AVAudioSessionMode\(word)" }

        /// Anything.
        public static let `default` = Mode("Default")
        /// A call.
        public static let voiceChat = Mode("VoiceChat")
        /// Talk beside a game.
        public static let gameChat = Mode("GameChat")
        /// The sound of a film that is taken.
        public static let videoRecording = Mode("VideoRecording")
        /// Something to be measured.
        public static let measurement = Mode("Measurement")
        /// A film.
        public static let moviePlayback = Mode("MoviePlayback")
        /// A call with pictures.
        public static let videoChat = Mode("VideoChat")
        /// Speech.
        public static let spokenAudio = Mode("SpokenAudio")
        /// Speech that interrupts.
        public static let voicePrompt = Mode("VoicePrompt")

        static let all = [
            `default`, voiceChat, gameChat, videoRecording, measurement, moviePlayback, videoChat, spokenAudio,
            voicePrompt,
        ]
    }

    /// What a category allows beside.
    public struct CategoryOptions: OptionSet, Sendable {
        /// The options' bits.
        public let rawValue: UInt

        /// The options of these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Others play on.
        public static let mixWithOthers = CategoryOptions(rawValue: 1)
        /// Others play on, and softly.
        public static let duckOthers = CategoryOptions(rawValue: 2)
        /// A headset by Bluetooth.
        public static let allowBluetooth = CategoryOptions(rawValue: 4)
        /// A headset by Bluetooth.
        public static let allowBluetoothHFP = CategoryOptions(rawValue: 4)
        /// The speaker instead of the receiver.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 8)
        /// Others play on, unless they speak.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 17)
        /// A speaker by Bluetooth.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 32)
        /// A speaker on the network.
        public static let allowAirPlay = CategoryOptions(rawValue: 64)
        /// A muted microphone interrupts nothing.
        public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 128)
    }

    /// Who shares the route.
    public enum RouteSharingPolicy: UInt, Sendable {
        /// Whoever plays.
        case `default`
        /// Long sounds.
        case longFormAudio
        /// Nobody; only the system sets it.
        case independent
        /// Films.
        case longFormVideo
    }

    /// What deactivation does beside.
    public struct SetActiveOptions: OptionSet, Sendable {
        /// The options' bits.
        public let rawValue: UInt

        /// The options of these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Others may go on.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// What is heard in place of the route's output.
    public enum PortOverride: UInt, Sendable {
        /// Nothing else.
        case none = 0
        /// The speaker.
        case speaker = 0x7370_6B72
    }

    /// Whether the app may record.
    public enum RecordPermission: UInt, Sendable {
        /// The person was not asked.
        case undetermined = 0x756E_6474
        /// It may not.
        case denied = 0x6465_6E79
        /// It may.
        case granted = 0x6772_6E74
    }

    /// How the system speaks to the person.
    public enum PromptStyle: UInt, Sendable {
        /// Not at all.
        case none = 0x6E6F_6E65
        /// Briefly.
        case short = 0x7368_7274
        /// As ever.
        case normal = 0x6E72_6D6C
    }

    /// Why a route changed.
    public enum RouteChangeReason: UInt, Sendable {
        /// It is not known.
        case unknown = 0
        /// A device came.
        case newDeviceAvailable = 1
        /// A device went.
        case oldDeviceUnavailable = 2
        /// The category changed.
        case categoryChange = 3
        /// The output was overridden.
        case override = 4
        /// The device woke up.
        case wakeFromSleep = 6
        /// No route fits the category.
        case noSuitableRouteForCategory = 7
        /// The ports are the same, and set up otherwise.
        case routeConfigurationChange = 8
    }

    /// Which end of an interruption it is.
    public enum InterruptionType: UInt, Sendable {
        /// Its end.
        case ended
        /// Its beginning.
        case began
    }

    /// What the end of an interruption means.
    public struct InterruptionOptions: OptionSet, Sendable {
        /// The options' bits.
        public let rawValue: UInt

        /// The options of these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The app may go on.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// Why there is an interruption.
    public enum InterruptionReason: UInt, Sendable {
        /// Another session became active.
        case `default` = 0
        /// The app was suspended.
        case appWasSuspended = 1
        /// The microphone was muted.
        case builtInMicMuted = 2
        /// The route went.
        case routeDisconnected = 4
    }

    /// Whether what plays beside shall be silent.
    public enum SilenceSecondaryAudioHintType: UInt, Sendable {
        /// No longer.
        case end
        /// From now on.
        case begin
    }

    /// Apple's codes of what an audio session refuses. They are thrown in the domain of `OSStatus`.
    public enum ErrorCode: Int, Sendable {
        /// Nothing went wrong.
        case none = 0
        /// The system's sound was lost.
        case mediaServicesFailed = 0x6D73_7276
        /// It plays or records.
        case isBusy = 0x2161_6374
        /// The category does not allow it.
        case incompatibleCategory = 0x2163_6174
        /// Others may not be interrupted.
        case cannotInterruptOthers = 0x2169_6E74
        /// An entitlement is missing.
        case missingEntitlement = 0x656E_743F
        /// The assistant records.
        case siriIsRecording = 0x7369_7269
        /// It may not start to play.
        case cannotStartPlaying = 0x2170_6C61
        /// It may not start to record.
        case cannotStartRecording = 0x2172_6563
        /// A parameter is wrong.
        case badParam = -50
        /// Something that counts more has the sound.
        case insufficientPriority = 0x2170_7269
        /// There is no such device.
        case resourceNotAvailable = 0x2172_6573
        /// Something else.
        case unspecified = 0x7768_6174
        /// The session is over.
        case expiredSession = 0x2173_6573
        /// The session is not active.
        case sessionNotActive = 0x696E_6163

        var error: NSError { NSError(domain: "NSOSStatusErrorDomain", code: rawValue) }
    }
}
