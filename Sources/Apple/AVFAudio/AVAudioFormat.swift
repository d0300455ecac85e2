@_exported public import Foundation

/// A place in a sound, in frames.
public typealias AVAudioFramePosition = Int64
/// A length of a sound, in frames.
public typealias AVAudioFrameCount = UInt32
/// How many channels a sound has.
public typealias AVAudioChannelCount = UInt32

/// The format of a sound's samples.
public enum AVAudioCommonFormat: UInt, Sendable {
    /// Something else.
    case otherFormat
    /// Real numbers of 32 bits.
    case pcmFormatFloat32
    /// Real numbers of 64 bits.
    case pcmFormatFloat64
    /// Integers of 16 bits.
    case pcmFormatInt16
    /// Integers of 32 bits.
    case pcmFormatInt32
}

/// The key of a format's number, such as `kAudioFormatLinearPCM`.
public let AVFormatIDKey = "AVFormatIDKey"
/// The key of how many frames a second has.
public let AVSampleRateKey = "AVSampleRateKey"
/// The key of how many channels there are.
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"
/// The key of how many bits a sample has.
public let AVLinearPCMBitDepthKey = "AVLinearPCMBitDepthKey"
/// The key of whether samples are real numbers.
public let AVLinearPCMIsFloatKey = "AVLinearPCMIsFloatKey"
/// The key of whether the highest byte of a sample is first.
public let AVLinearPCMIsBigEndianKey = "AVLinearPCMIsBigEndianKey"
/// The key of whether each channel is apart.
public let AVLinearPCMIsNonInterleaved = "AVLinearPCMIsNonInterleaved"
/// The number of a format: samples as they are.
public let kAudioFormatLinearPCM: UInt32 = 0x6C70_636D
/// The number of a format: µ-law.
public let kAudioFormatULaw: UInt32 = 0x756C_6177
/// The number of a format: A-law.
public let kAudioFormatALaw: UInt32 = 0x616C_6177
/// The number of a format: IMA ADPCM of Apple's.
public let kAudioFormatAppleIMA4: UInt32 = 0x696D_6134

/// The format of a sound's frames: here 32-bit floats, each channel apart. Source: Apple, `AVAudioFormat`.
open class AVAudioFormat: NSObject, @unchecked Sendable {
    /// How many frames a second has.
    public let sampleRate: Double
    /// How many channels there are.
    public let channelCount: AVAudioChannelCount
    /// The format as a dictionary, for code that writes a file.
    public let settings: [String: Any]

    init(sampleRate: Double, channels: AVAudioChannelCount, settings: [String: Any]? = nil) {
        self.sampleRate = sampleRate
        channelCount = channels
        self.settings =
            settings ?? [
                AVFormatIDKey: NSNumber(value: kAudioFormatLinearPCM), AVSampleRateKey: NSNumber(value: sampleRate),
                AVNumberOfChannelsKey: NSNumber(value: channels), AVLinearPCMBitDepthKey: NSNumber(value: 32),
                AVLinearPCMIsFloatKey: NSNumber(value: true), AVLinearPCMIsBigEndianKey: NSNumber(value: false),
                AVLinearPCMIsNonInterleaved: NSNumber(value: true),
            ]
        super.init()
    }

    /// The format of this many frames a second and channels; nil unless both are above 0.
    public convenience init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) {
        guard sampleRate > 0, channels > 0 else { return nil }
        self.init(sampleRate: sampleRate, channels: channels)
    }

    /// The format of its samples.
    open var commonFormat: AVAudioCommonFormat { .pcmFormatFloat32 }

    /// Whether the samples of all channels are in one buffer: never.
    open var isInterleaved: Bool { false }

    /// Whether `object` is a format of the same rate and channels.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? AVAudioFormat).map { $0.sampleRate == sampleRate && $0.channelCount == channelCount } ?? false
    }

    /// The same for formats that are equal.
    open override var hash: Int { sampleRate.hashValue ^ channelCount.hashValue }
}

/// A sound in memory. Source: Apple, `AVAudioBuffer`.
open class AVAudioBuffer: NSObject {
    /// The format of its frames.
    public let format: AVAudioFormat

    init(format: AVAudioFormat) {
        self.format = format
        super.init()
    }
}

/// Frames in memory. Source: Apple, `AVAudioPCMBuffer`.
@safe
open class AVAudioPCMBuffer: AVAudioBuffer {
    /// How many samples a buffer may have in all: 256 MiB.
    private static let samplesMax = 64 << 20

    /// How many frames it has room for.
    public let frameCapacity: AVAudioFrameCount
    /// How many of them count; never more than there is room for.
    public final var frameLength: AVAudioFrameCount = 0 {
        didSet { frameLength = min(frameLength, frameCapacity) }
    }
    private let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

    /// Room for frames of `format`; nil if that is more memory than there may be.
    public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
        let channelCount = Int(format.channelCount)
        guard channelCount > 0, channelCount * Int(frameCapacity) <= Self.samplesMax else { return nil }
        self.frameCapacity = frameCapacity
        unsafe channels = .allocate(capacity: channelCount)
        for channel in 0..<channelCount {
            let samples = UnsafeMutablePointer<Float>.allocate(capacity: max(Int(frameCapacity), 1))
            unsafe samples.initialize(repeating: 0, count: max(Int(frameCapacity), 1))
            unsafe (channels + channel).initialize(to: samples)
        }
        super.init(format: format)
    }

    deinit {
        for channel in 0..<Int(format.channelCount) { unsafe channels[channel].deallocate() }
        unsafe channels.deallocate()
    }

    /// The samples of each channel.
    public final var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? { unsafe UnsafePointer(channels) }

    /// How far one sample of a channel is from the next.
    public final var stride: Int { 1 }
}
