import AVFAudio

// Audio of calls, as published apps write it, in the spellings of Swift 5 and of Swift 3 and 4.

/// Prepares the audio of a call.
public func configure(_ session: AVAudioSession, video: Bool) throws {
    try session.setCategory(
        .playAndRecord, mode: video ? .videoChat : .voiceChat, options: [.allowBluetooth, .allowBluetoothA2DP])
    try session.setPreferredSampleRate(44_100)
    try session.setPreferredIOBufferDuration(0.005)
}

/// Prepares the audio of a call, by an author of 2017.
public func configureOfOld(_ session: AVAudioSession) {
    do {
        try session.setCategory(AVAudioSessionCategoryPlayAndRecord, with: .defaultToSpeaker)
        try session.setMode(AVAudioSessionModeVoiceChat)
        try session.setActive(false, with: .notifyOthersOnDeactivation)
    } catch let error as NSError {
        print("audio: \(error.localizedDescription)")
    }
}

/// Whether the speaker is on.
public func isLoud(_ session: AVAudioSession) -> Bool {
    session.currentRoute.outputs.contains { $0.portType == AVAudioSessionPortBuiltInSpeaker }
        && session.currentRoute.outputs.first?.portType == .builtInSpeaker
}

/// Follows interruptions and routes.
public final class AudioWatch: NSObject {
    /// What came.
    public private(set) var seen: [String] = []

    /// A watch.
    public override init() {
        super.init()
        let center = NotificationCenter.default
        _ = center.addObserver(forName: AVAudioSession.interruptionNotification, object: nil, queue: nil) {
            [weak self] in self?.interrupted($0)
        }
        _ = center.addObserver(forName: .AVAudioSessionRouteChange, object: nil, queue: nil) { [weak self] in
            guard let number = $0.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt,
                let reason = AVAudioSessionRouteChangeReason(rawValue: number)
            else { return }
            self?.seen.append("route \(reason)")
        }
    }

    private func interrupted(_ notification: Notification) {
        guard let number = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt,
            let type = AVAudioSession.InterruptionType(rawValue: number)
        else { return }
        let options = notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0
        let resumes = AVAudioSession.InterruptionOptions(rawValue: options).contains(.shouldResume)
        seen.append("\(type) \(resumes)")
    }
}

/// The sound of a call, from the microphone and to the loudspeaker.
public final class CallEngine {
    /// How often the microphone gave something.
    public private(set) var buffers = 0
    private let engine = AVAudioEngine()
    private let mixer = AVAudioMixerNode()

    /// An engine whose nodes are connected.
    public init() {
        let input = engine.inputNode
        let format = input.outputFormat(forBus: 0)
        engine.attach(mixer)
        mixer.outputVolume = 0.5
        engine.connect(input, to: mixer, format: format)
        engine.connect(mixer, to: engine.mainMixerNode, fromBus: 0, toBus: 1, format: nil)
        input.installTap(onBus: AVAudioNodeBus(0), bufferSize: 1_024, format: format) { [weak self] _, _ in
            self?.buffers += 1
        }
    }

    /// What it is made of.
    public var words: [String] {
        let nodes = engine.attachedNodes.map { "\($0.inputFormat(forBus: 0).channelCount)" }.sorted()
        return nodes + ["\(engine.isRunning)", "\(mixer.engine === engine)"]
    }

    /// Starts it.
    public func start() throws {
        engine.prepare()
        try engine.inputNode.setVoiceProcessingEnabled(true)
        try engine.start()
    }

    /// Stops it.
    public func stop() {
        engine.inputNode.removeTap(onBus: 0)
        engine.stop()
        engine.reset()
        engine.detach(mixer)
    }
}
