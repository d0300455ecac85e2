public import BelfrySyscalls
import BelfryTerms
import Glibc

/// Turns a sound file of whatever kind libsndfile reads (MP3, CAF, AIFF, WAVE, Ogg, FLAC) into one that libcanberra
/// plays: a WAVE of 16 bits in memory, sealed against changes.
public enum SoundDecoder {
    /// How long a sound may be. Source: Apple, "Audio Services": 30 seconds or shorter.
    public static let secondsMax = 30
    /// The highest rate that is kept: a higher one is divided by a whole number.
    public static let samplesPerSecondMax = 48_000
    /// The rates that are accepted.
    static let samplesPerSecond = 4_000...768_000
    /// More channels than any sound has. More than two become one.
    static let channelsMax = 32
    /// How large the file of a tune may be: thirty seconds of what no compression shortens.
    static let tuneBytesMax = 64 << 20
    /// How long the decoding of a tune may take.
    static let tunePatience = TimeSpan.seconds(10)
    /// How many frames are read at a time.
    private static let framesAtOnce = 4_096

    /// The sound in the file at `path`; at most 6 MiB, which do not count as any process's own memory.
    ///
    /// - Throws: why there is none: no file, none that libsndfile reads, one of no or of more than ``secondsMax``
    ///   seconds.
    public static func wave(ofFileAt path: String) throws(SoundDecodingError) -> PassedFile {
        do throws(SoundDecodingError) {
            return try wave(of: SoundSource(openedAt: path))
        } catch {
            throw SoundDecodingError(detail: "\(path): \(error.detail)")
        }
    }

    /// The sound in the file at `path`, of a longer one the first ``secondsMax`` seconds, to be played again and
    /// again; the file is anybody's.
    ///
    /// - Throws: why there is none: as for ``wave(ofFileAt:)``, or a file larger than 64 MiB, or one that takes longer
    ///   than 10 s.
    public static func tune(ofFileAt path: String) throws(SoundDecodingError) -> PassedFile {
        try tune(ofFileAt: path, patience: tunePatience)
    }

    static func tune(ofFileAt path: String, patience: TimeSpan) throws(SoundDecodingError) -> PassedFile {
        do throws(SoundDecodingError) {
            let due = bootTimeMicroseconds() + patience.microseconds
            return try wave(of: SoundSource(openedAt: path, bytesMax: tuneBytesMax), cutBy: due)
        } catch {
            throw SoundDecodingError(detail: "\(path): \(error.detail)")
        }
    }

    /// - Parameter due: when it has to be there, on the clock since boot; then a longer sound is cut, which else is
    ///   none.
    private static func wave(
        of source: SoundSource, cutBy due: Int64? = nil
    ) throws(SoundDecodingError) -> PassedFile {
        guard samplesPerSecond.contains(source.samplesPerSecond), (1...channelsMax).contains(source.channels) else {
            throw SoundDecodingError(
                detail: "\(source.channels) channels of \(source.samplesPerSecond) samples a second")
        }
        let mix = SoundMix(channels: source.channels, samplesPerSecond: source.samplesPerSecond)
        let framesMax = secondsMax * source.samplesPerSecond
        // Whole groups of frames, so that a mix never has to wait for the rest of one.
        let framesAtOnce = framesAtOnce / mix.framesAveraged * mix.framesAveraged
        let wave = try WaveInMemory()
        var frames = 0
        while true {
            if let due, bootTimeMicroseconds() > due { throw SoundDecodingError(detail: "it takes too long to decode") }
            let samples = source.read(due == nil ? framesAtOnce : min(framesAtOnce, framesMax - frames))
            guard !samples.isEmpty else { break }
            frames += samples.count / source.channels
            guard frames <= framesMax else {
                throw SoundDecodingError(detail: "longer than \(secondsMax) s")
            }
            try wave.append(mix.mixed(samples))
        }
        guard frames >= mix.framesAveraged else { throw SoundDecodingError(detail: "no sound in it") }
        return try wave.finished(channels: mix.channelsKept, samplesPerSecond: mix.samplesPerSecondKept)
    }
}

/// Why a file is no sound that can be played.
public struct SoundDecodingError: Error, Hashable, Sendable {
    /// In words for people.
    public let detail: String

    /// An error.
    public init(detail: String) { self.detail = detail }

    init(_ error: SystemError) { self.init(detail: error.reason) }
}

/// Brings samples down to one or two channels and to a rate that sound servers need not lower.
struct SoundMix {
    let channels: Int
    let channelsKept: Int
    /// How many frames become one, which is their mean.
    let framesAveraged: Int
    let samplesPerSecondKept: Int

    init(channels: Int, samplesPerSecond: Int) {
        self.channels = channels
        channelsKept = channels > 2 ? 1 : channels
        let max = SoundDecoder.samplesPerSecondMax
        framesAveraged = (samplesPerSecond + max - 1) / max
        samplesPerSecondKept = samplesPerSecond / framesAveraged
    }

    /// `samples`, of which 1 is full scale, as 16 bits each; a group that is not whole is left out.
    func mixed(_ samples: [Float]) -> [Int16] {
        let each = channels / channelsKept
        let group = channels * framesAveraged
        var mixed: [Int16] = []
        mixed.reserveCapacity(samples.count / group * channelsKept)
        for start in stride(from: 0, through: samples.count - group, by: group) {
            for channel in 0..<channelsKept {
                var sum: Float = 0
                for frame in 0..<framesAveraged {
                    let first = start + frame * channels + channel * each
                    for index in first..<first + each { sum += samples[index] }
                }
                mixed.append(Self.sample(sum / Float(each * framesAveraged)))
            }
        }
        return mixed
    }

    /// NaN becomes silence.
    private static func sample(_ value: Float) -> Int16 {
        guard !value.isNaN else { return 0 }
        return Int16(min(max(value * 32_768, -32_768), 32_767).rounded())
    }
}
