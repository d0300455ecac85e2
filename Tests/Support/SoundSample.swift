import BelfrySoundDecoding
import CBelfrySndfile

/// A tone of 500 Hz in a sound file, written by libsndfile.
public struct SoundSample {
    /// Kinds of file.
    public enum Kind: CaseIterable, Sendable {
        /// WAVE, 16 bits.
        case wave
        /// WAVE, 24 bits.
        case wave24
        /// CAF, floating point.
        case caf
        /// AIFF, 16 bits.
        case aiff
        /// MP3.
        case mp3
        /// Ogg Vorbis.
        case ogg

        var format: Int32 {
            switch self {
            case .wave: 0x01_0002
            case .wave24: 0x01_0003
            case .caf: 0x18_0006
            case .aiff: 0x02_0002
            case .mp3: 0x23_0082
            case .ogg: 0x20_0060
            }
        }
    }

    /// What kind of file it is.
    public var kind: Kind
    /// How long it lasts.
    public var milliseconds: Int
    /// How many samples there are a second.
    public var samplesPerSecond = 44_100
    /// How many channels have the tone.
    public var channels = 1
    /// How long it is silent at its end.
    public var pauseMilliseconds = 0
    /// How loud it is; 1 is full scale.
    public var amplitude: Float = 0.25

    /// A tone on one channel.
    public init(_ kind: Kind, milliseconds: Int) {
        self.kind = kind
        self.milliseconds = milliseconds
    }

    /// Writes it to `path`.
    public func write(to path: String) throws {
        let calls = try Sndfile.opened.get()
        var information = SF_INFO()
        information.samplerate = Int32(samplesPerSecond)
        information.channels = Int32(channels)
        information.format = kind.format
        guard let file = unsafe calls.open(path, Int32(SFM_WRITE), &information) else { throw NoSample(path: path) }
        let frames = samplesPerSecond * milliseconds / 1_000
        var samples = [Float](repeating: amplitude, count: frames * channels)
        for index in samples.indices where index / channels * 1_000 / samplesPerSecond % 2 == 1 {
            samples[index] = -amplitude
        }
        let pause = samplesPerSecond * pauseMilliseconds / 1_000 * channels
        for index in samples.indices.suffix(pause) { samples[index] = 0 }
        let count = unsafe calls.write_frames(file, samples, sf_count_t(frames))
        _ = unsafe calls.close(file)
        guard count == frames else { throw NoSample(path: path) }
    }
}

/// A sound file could not be written.
struct NoSample: Error {
    let path: String
}
