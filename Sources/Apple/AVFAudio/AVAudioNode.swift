import BelfryAppleGround
import BelfrySyscalls

/// The number of a node's input or output.
public typealias AVAudioNodeBus = Int

/// What a tap is called with.
public typealias AVAudioNodeTapBlock = (AVAudioPCMBuffer, AVAudioTime) -> Void

/// A part of an engine, which gives, changes or takes sound. Source: Apple, `AVAudioNode`.
open class AVAudioNode: NSObject, @unchecked Sendable {
    private struct State {
        weak var engine: AVAudioEngine?
    }

    private let state = LockedValue(State())
    private let inputs: AVAudioChannelCount
    private let outputs: AVAudioChannelCount

    /// A node with so many channels on each bus; 0 where it has no bus.
    init(inputs: AVAudioChannelCount, outputs: AVAudioChannelCount) {
        (self.inputs, self.outputs) = (inputs, outputs)
        super.init()
    }

    /// The engine that has it; nil if none has.
    open internal(set) var engine: AVAudioEngine? {
        get { state.withLock { $0.engine } }
        set { state.withLock { $0.engine = newValue } }
    }

    /// How many inputs it has.
    open var numberOfInputs: Int { inputs > 0 ? 1 : 0 }
    /// How many outputs it has.
    open var numberOfOutputs: Int { outputs > 0 ? 1 : 0 }

    /// The format of an input: the session's rate.
    open func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { Self.format(inputs) }

    /// The format of an output: the session's rate.
    open func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { Self.format(outputs) }

    private static func format(_ channels: AVAudioChannelCount) -> AVAudioFormat {
        AVAudioFormat(sampleRate: AVAudioSession.sharedInstance().sampleRate, channels: channels)
    }

    /// `tapBlock` is never called, since no engine starts.
    open func installTap(
        onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
        block tapBlock: @escaping AVAudioNodeTapBlock
    ) {}

    /// Takes the tap away.
    open func removeTap(onBus bus: AVAudioNodeBus) {}

    /// Forgets what it holds: nothing.
    open func reset() {}
}

/// A node at the device. Source: Apple, `AVAudioIONode`.
open class AVAudioIONode: AVAudioNode, @unchecked Sendable {
    private let processes = LockedValue(false)

    /// Whether echo and noise are taken away: kept.
    open var isVoiceProcessingEnabled: Bool { processes.withLock { $0 } }

    /// Keeps whether echo and noise are taken away.
    open func setVoiceProcessingEnabled(_ enabled: Bool) throws { processes.withLock { $0 = enabled } }
}

/// The microphone. Source: Apple, `AVAudioInputNode`.
open class AVAudioInputNode: AVAudioIONode, @unchecked Sendable {
    init() { super.init(inputs: 1, outputs: 1) }
}

/// The loudspeaker. Source: Apple, `AVAudioOutputNode`.
open class AVAudioOutputNode: AVAudioIONode, @unchecked Sendable {
    init() { super.init(inputs: 2, outputs: 2) }
}

/// What mixes its inputs into one output. Source: Apple, `AVAudioMixerNode`.
open class AVAudioMixerNode: AVAudioNode, @unchecked Sendable {
    private let loudness = LockedValue<Float>(1)

    /// A mixer of its own.
    public init() { super.init(inputs: 2, outputs: 2) }

    /// How loud its output is: kept.
    open var outputVolume: Float {
        get { loudness.withLock { $0 } }
        set { loudness.withLock { $0 = newValue } }
    }

    /// The next input that is free.
    open var nextAvailableInputBus: AVAudioNodeBus { 0 }
}

/// A moment of a sound. Source: Apple, `AVAudioTime`.
open class AVAudioTime: NSObject, @unchecked Sendable {
    /// The frame, counted from the beginning.
    public let sampleTime: AVAudioFramePosition
    /// How many frames a second has.
    public let sampleRate: Double

    /// The frame `sampleTime` of a sound with `sampleRate` frames a second.
    public init(sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        (self.sampleTime, self.sampleRate) = (sampleTime, sampleRate)
        super.init()
    }
}
