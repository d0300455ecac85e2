import BelfryAppleGround
import BelfrySyscalls
import BelfryTerms

/// How an app uses sound: category, mode, options and preferences, which are kept and read back. Source: Apple,
/// `AVAudioSession`.
///
/// The system alone activates it, for a call whose answer was fulfilled. What would need a device's sound, and is not
/// here, throws.
open class AVAudioSession: NSObject, @unchecked Sendable {
    private struct State {
        var category = Category.soloAmbient
        var mode = Mode.default
        var options: CategoryOptions = []
        var policy = RouteSharingPolicy.default
        var promptStyle = PromptStyle.normal
        var preferences = Preferences()
    }

    private static let shared = AVAudioSession()

    private let state = LockedValue(State())

    /// The session of this process.
    open class func sharedInstance() -> AVAudioSession { shared }

    /// What makes it unfit for a call, with the remedy, for people; nil if nothing does.
    package var misfit: String? {
        let (category, mode) = state.withLock { ($0.category, $0.mode) }
        let remedy = "Set .playAndRecord and .voiceChat (.videoChat with video) before the answer or start is fulfilled"
        guard category.records else {
            return "the session's category is \(category.rawValue), which cannot record: on iOS the other side hears "
                + "nothing. \(remedy)"
        }
        guard ![.voiceChat, .videoChat].contains(mode) else { return nil }
        return "the session's mode is \(mode.rawValue), which is for no call: on iOS the other side hears an echo. "
            + remedy
    }

    // MARK: Category, mode and options

    /// The category; `soloAmbient` until one is set.
    open var category: Category { state.withLock { $0.category } }
    /// The mode; `default` until one is set.
    open var mode: Mode { state.withLock { $0.mode } }
    /// The options of the category; none until some are set.
    open var categoryOptions: CategoryOptions { state.withLock { $0.options } }
    /// Who shares the route.
    open var routeSharingPolicy: RouteSharingPolicy { state.withLock { $0.policy } }
    /// All categories.
    open var availableCategories: [Category] { Category.all }
    /// All modes.
    open var availableModes: [Mode] { Mode.all }

    /// Sets the category, and no options.
    ///
    /// - Throws: `badParam` for a name that is no category's.
    open func setCategory(_ category: Category) throws { try setCategory(category, options: []) }

    /// Sets category and options.
    ///
    /// - Throws: `badParam` for a name that is no category's.
    open func setCategory(_ category: Category, options: CategoryOptions = []) throws {
        try set(category, mode: nil, policy: nil, options)
    }

    /// Sets category, mode and options.
    ///
    /// - Throws: `badParam` for a name that is no category's or mode's.
    open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        try set(category, mode: mode, policy: nil, options)
    }

    /// Sets category, mode, policy and options.
    ///
    /// - Throws: `badParam` for a name that is no category's or mode's.
    open func setCategory(
        _ category: Category, mode: Mode, policy: RouteSharingPolicy, options: CategoryOptions = []
    ) throws {
        try set(category, mode: mode, policy: policy, options)
    }

    /// Sets the mode.
    ///
    /// - Throws: `badParam` for a name that is no mode's.
    open func setMode(_ mode: Mode) throws {
        guard Mode.all.contains(mode) else { throw ErrorCode.badParam.error }
        state.withLock { $0.mode = mode }
    }

    private func set(
        _ category: Category, mode: Mode?, policy: RouteSharingPolicy?, _ options: CategoryOptions
    ) throws {
        guard Category.all.contains(category), mode.map({ Mode.all.contains($0) }) != false else {
            throw ErrorCode.badParam.error
        }
        state.withLock {
            $0.category = category
            $0.options = options
            $0.mode = mode ?? $0.mode
            $0.policy = policy ?? $0.policy
        }
    }

    // MARK: Activation

    /// Does nothing if the session is as `active` says. Only the system changes it: it activates a call's audio once
    /// the answer was fulfilled, and deactivates it after the last call.
    ///
    /// - Throws: with a warning, `insufficientPriority` if it is inactive, as iOS does during a call whose audio it has
    ///   not activated, and `isBusy` if it is active.
    open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        let audio = CallAudio.current
        guard active != audio.isActive else { return }
        if active, audio.begins("AVAudioSession.setActive(true)") { throw ErrorCode.insufficientPriority.error }
        KeeperDoor.warn(
            .unsupported,
            "AVAudioSession.setActive(\(active)): the system activates audio once an answer was fulfilled, and "
                + "deactivates it after the last call")
        throw (active ? ErrorCode.insufficientPriority : .isBusy).error
    }

    // MARK: Recording

    /// Granted in an app, denied in an extension.
    open var recordPermission: RecordPermission { KeeperDoor.isOfExtension ? .denied : .granted }

    /// Calls `response` on another thread with true in an app, without asking; with false in an extension.
    @preconcurrency open func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
        let isGranted = recordPermission == .granted
        KeeperDoor.current.run(on: .global()) { response(isGranted) }
    }

    /// How the system says that something would record: kept.
    open var promptStyle: PromptStyle { state.withLock { $0.promptStyle } }

    // MARK: Routes

    /// The route that a telephone without accessories has: its receiver, or its speaker for what is not held to an ear,
    /// and its microphone if the category records.
    open var currentRoute: AVAudioSessionRouteDescription {
        let (category, mode, options) = state.withLock { ($0.category, $0.mode, $0.options) }
        let isAtEar = category == .playAndRecord && !options.contains(.defaultToSpeaker) && mode != .videoChat
        return AVAudioSessionRouteDescription(
            inputs: category.records ? [.microphone] : [], outputs: [isAtEar ? .receiver : .speaker])
    }

    /// The microphone, if the category records.
    open var availableInputs: [AVAudioSessionPortDescription]? { category.records ? [.microphone] : [] }

    /// Nil: there is nothing to choose from.
    open var inputDataSources: [AVAudioSessionDataSourceDescription]? { nil }
    /// Nil: there is nothing to choose from.
    open var inputDataSource: AVAudioSessionDataSourceDescription? { nil }
    /// Nil: there is nothing to choose from.
    open var outputDataSources: [AVAudioSessionDataSourceDescription]? { nil }
    /// Nil: there is nothing to choose from.
    open var outputDataSource: AVAudioSessionDataSourceDescription? { nil }

    /// Does nothing for `none`: the route is never overridden.
    ///
    /// - Throws: `resourceNotAvailable` for the speaker, with a warning.
    open func overrideOutputAudioPort(_ portOverride: PortOverride) throws {
        guard portOverride != .none else { return }
        KeeperDoor.warn(.unsupported, "AVAudioSession.overrideOutputAudioPort(_:)")
        throw ErrorCode.resourceNotAvailable.error
    }

    // MARK: Preferences

    private struct Preferences {
        var input: AVAudioSessionPortDescription?
        var sampleRate = 0.0
        var bufferDuration: TimeInterval = 0
        var inputChannels = 0
        var outputChannels = 0
        var allowsHaptics = false
        var prefersNoInterruptions = false
    }

    private func prefer(_ body: (inout Preferences) -> Void) { state.withLock { body(&$0.preferences) } }
    private var preferences: Preferences { state.withLock { $0.preferences } }

    /// The input that was asked for; nil if none was.
    open var preferredInput: AVAudioSessionPortDescription? { preferences.input }
    /// The rate that was asked for, in frames a second; 0 if none was.
    open var preferredSampleRate: Double { preferences.sampleRate }
    /// The length of a buffer that was asked for, in seconds; 0 if none was.
    open var preferredIOBufferDuration: TimeInterval { preferences.bufferDuration }
    /// The input's channels that were asked for; 0 if none were.
    open var preferredInputNumberOfChannels: Int { preferences.inputChannels }
    /// The output's channels that were asked for; 0 if none were.
    open var preferredOutputNumberOfChannels: Int { preferences.outputChannels }
    /// Whether the person shall feel something while it records: kept.
    open var allowHapticsAndSystemSoundsDuringRecording: Bool { preferences.allowsHaptics }
    /// Whether alerts shall not interrupt: kept.
    open var prefersNoInterruptionsFromSystemAlerts: Bool { preferences.prefersNoInterruptions }

    /// Keeps the input that the app prefers; nil for none.
    ///
    /// - Throws: `badParam` for one that is not among ``availableInputs``.
    open func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws {
        if let inPort, availableInputs?.contains(inPort) != true { throw ErrorCode.badParam.error }
        prefer { $0.input = inPort }
    }

    /// Keeps the rate that the app prefers, in frames a second.
    ///
    /// - Throws: `badParam` for one below 0, or no number.
    open func setPreferredSampleRate(_ sampleRate: Double) throws {
        guard sampleRate >= 0 else { throw ErrorCode.badParam.error }
        prefer { $0.sampleRate = sampleRate }
    }

    /// Keeps the length of a buffer that the app prefers, in seconds.
    ///
    /// - Throws: `badParam` for one below 0, or no number.
    open func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        guard duration >= 0 else { throw ErrorCode.badParam.error }
        prefer { $0.bufferDuration = duration }
    }

    /// Keeps how many channels of the input the app prefers.
    ///
    /// - Throws: `badParam` beyond ``maximumInputNumberOfChannels``.
    open func setPreferredInputNumberOfChannels(_ count: Int) throws {
        guard (0...maximumInputNumberOfChannels).contains(count) else { throw ErrorCode.badParam.error }
        prefer { $0.inputChannels = count }
    }

    /// Keeps how many channels of the output the app prefers.
    ///
    /// - Throws: `badParam` beyond ``maximumOutputNumberOfChannels``.
    open func setPreferredOutputNumberOfChannels(_ count: Int) throws {
        guard (0...maximumOutputNumberOfChannels).contains(count) else { throw ErrorCode.badParam.error }
        prefer { $0.outputChannels = count }
    }

    /// Keeps whether the person shall feel something while it records.
    open func setAllowHapticsAndSystemSoundsDuringRecording(_ inValue: Bool) throws {
        prefer { $0.allowsHaptics = inValue }
    }

    /// Keeps whether alerts shall not interrupt.
    open func setPrefersNoInterruptionsFromSystemAlerts(_ inValue: Bool) throws {
        prefer { $0.prefersNoInterruptions = inValue }
    }

    // MARK: The telephone's sound, as values

    /// 48,000 frames a second.
    open var sampleRate: Double { 48_000 }
    /// The length of a buffer, in seconds.
    open var ioBufferDuration: TimeInterval { 1_024 / sampleRate }
    /// 1 if the category records, else 0.
    open var inputNumberOfChannels: Int { category.records ? 1 : 0 }
    /// 2.
    open var outputNumberOfChannels: Int { 2 }
    /// 1 if the category records, else 0.
    open var maximumInputNumberOfChannels: Int { inputNumberOfChannels }
    /// 2.
    open var maximumOutputNumberOfChannels: Int { outputNumberOfChannels }
    /// Unknown, and so 0.
    open var inputLatency: TimeInterval { 0 }
    /// Unknown, and so 0.
    open var outputLatency: TimeInterval { 0 }
    /// As loud as the sound server has it, which is not asked: 1.
    open var outputVolume: Float { 1 }
    /// The whole input: 1.
    open var inputGain: Float { 1 }
    /// False.
    open var isInputGainSettable: Bool { false }
    /// True: a telephone has a microphone.
    open var isInputAvailable: Bool { true }
    /// False: the app does not see what others play.
    open var isOtherAudioPlaying: Bool { false }
    /// False: the app does not see what others play.
    open var secondaryAudioShouldBeSilencedHint: Bool { false }
}
