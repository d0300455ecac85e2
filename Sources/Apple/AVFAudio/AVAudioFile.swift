import BelfryAppleGround
import BelfrySyscalls
import BelfryTerms
import CBelfrySndfile

/// A sound file: WAVE, AIFF, CAF, MP3 and the other formats of libsndfile. Source: Apple, `AVAudioFile`.
open class AVAudioFile: NSObject {
    /// Where the file is.
    public let url: URL
    /// The format of the frames in the file.
    public let fileFormat: AVAudioFormat
    /// The format of the frames as they are read or written.
    public let processingFormat: AVAudioFormat
    /// How many frames there are.
    public private(set) final var length: AVAudioFramePosition
    private let file: SoundFile
    private let isWritten: Bool
    private var position: AVAudioFramePosition = 0

    /// The file at `fileURL`, to be read.
    ///
    /// - Throws: `kAudioFileUnspecifiedError` or its like, if there is no such file or it cannot be read.
    public convenience init(forReading fileURL: URL) throws {
        var info = SF_INFO()
        let file = try Self.open(fileURL, .read, &info)
        self.init(file, fileURL, info, isWritten: false, settings: nil)
    }

    /// A new file at `fileURL`, as `settings` say: linear PCM, µ-law or A-law, in WAVE, AIFF or CAF after its
    /// extension.
    ///
    /// - Throws: if there is no such format, or the file cannot be made.
    public convenience init(forWriting fileURL: URL, settings: [String: Any]) throws {
        let settings = settings.mapValues(UserInfo.boxed)
        guard let format = Self.format(of: fileURL, settings) else { throw AudioFileError.unsupportedDataFormat }
        let rate = (settings[AVSampleRateKey] as? NSNumber)?.int32Value ?? 44_100
        let channels = (settings[AVNumberOfChannelsKey] as? NSNumber)?.int32Value ?? 2
        var info = SF_INFO()
        (info.samplerate, info.channels, info.format) = (rate, channels, format)
        let file = try Self.open(fileURL, .write, &info)
        self.init(file, fileURL, info, isWritten: true, settings: settings)
    }

    private init(
        _ file: SoundFile, _ url: URL, _ info: SF_INFO, isWritten: Bool, settings: [String: Any]?
    ) {
        let (rate, channels) = (Double(info.samplerate), AVAudioChannelCount(max(info.channels, 0)))
        self.file = file
        self.url = url
        self.isWritten = isWritten
        length = info.frames
        fileFormat = AVAudioFormat(sampleRate: rate, channels: channels, settings: settings)
        processingFormat = AVAudioFormat(sampleRate: rate, channels: channels)
        super.init()
    }

    /// The frame that is read or written next.
    public final var framePosition: AVAudioFramePosition {
        get { position }
        set { if file.seek(to: newValue) { position = newValue } }
    }

    /// Reads as many frames as `buffer` has room for, from ``framePosition`` on.
    ///
    /// - Throws: if the buffer is of another format, or the file is one that is written.
    open func read(into buffer: AVAudioPCMBuffer) throws { try read(into: buffer, frameCount: buffer.frameCapacity) }

    /// Reads up to `frames` frames, from ``framePosition`` on; at the end of the file there are none.
    ///
    /// - Throws: if the buffer is of another format, or the file is one that is written.
    open func read(into buffer: AVAudioPCMBuffer, frameCount frames: AVAudioFrameCount) throws {
        guard !isWritten, buffer.format.isEqual(processingFormat) else { throw AudioFileError.operationNotSupported }
        let channels = Int(processingFormat.channelCount)
        let wanted = min(frames, buffer.frameCapacity)
        var samples = [Float](repeating: 0, count: Int(wanted) * channels)
        let count = max(file.read(into: &samples, frames: Int64(wanted)), 0)
        for channel in 0..<channels {
            for frame in 0..<Int(count) {
                unsafe buffer.floatChannelData?[channel][frame] = samples[frame * channels + channel]
            }
        }
        buffer.frameLength = AVAudioFrameCount(count)
        position += count
    }

    /// Writes the frames of `buffer`.
    ///
    /// - Throws: if the buffer is of another format, the file is one that is read, or the disk is full.
    open func write(from buffer: AVAudioPCMBuffer) throws {
        guard isWritten, buffer.format.isEqual(processingFormat) else { throw AudioFileError.operationNotSupported }
        let channels = Int(processingFormat.channelCount)
        let frames = Int(buffer.frameLength)
        var samples = [Float](repeating: 0, count: frames * channels)
        for channel in 0..<channels {
            for frame in 0..<frames {
                unsafe samples[frame * channels + channel] = buffer.floatChannelData?[channel][frame] ?? 0
            }
        }
        guard file.write(samples, frames: Int64(frames)) == Int64(frames) else { throw AudioFileError.unspecified }
        position += Int64(frames)
        length = max(length, position)
    }

    private static func open(
        _ url: URL, _ mode: SoundFile.Mode, _ info: inout SF_INFO
    ) throws -> SoundFile {
        guard url.isFileURL else { throw AudioFileError.fileNotFound }
        do throws(SystemError) {
            if let file = try SoundFile(url.path, mode, &info) { return file }
        } catch {
            KeeperDoor.warn(.unsupported, "AVAudioFile: \(error); install libsndfile1")
            throw AudioFileError.unspecified
        }
        let exists = FileManager.default.fileExists(atPath: url.path)
        throw mode == .read && !exists ? AudioFileError.fileNotFound : AudioFileError.unsupportedFileType
    }

    /// The number of a format in sndfile.h; nil for a format that cannot be written.
    private static func format(of url: URL, _ settings: [String: Any]) -> Int32? {
        let containers: [String: Int32] = [
            "wav": 0x01_0000, "wave": 0x01_0000, "aiff": 0x02_0000, "aif": 0x02_0000, "caf": 0x18_0000,
        ]
        guard let container = containers[url.pathExtension.lowercased()] else { return nil }
        func number(_ key: String) -> NSNumber? { settings[key] as? NSNumber }
        switch number(AVFormatIDKey)?.uint32Value ?? kAudioFormatLinearPCM {
        case kAudioFormatULaw: return container | 0x10
        case kAudioFormatALaw: return container | 0x11
        case kAudioFormatLinearPCM: break
        default: return nil
        }
        let bits = number(AVLinearPCMBitDepthKey)?.intValue ?? 16
        if number(AVLinearPCMIsFloatKey)?.boolValue == true { return container | (bits == 64 ? 0x07 : 0x06) }
        switch bits {
        case 8: return container | (container == 0x01_0000 ? 0x05 : 0x01)
        case 16: return container | 0x02
        case 24: return container | 0x03
        case 32: return container | 0x04
        default: return nil
        }
    }
}

/// The errors of sound files, as AudioToolbox numbers them.
private enum AudioFileError {
    static let unspecified = error(0x7768_743F)
    static let unsupportedFileType = error(0x7479_703F)
    static let unsupportedDataFormat = error(0x666D_743F)
    static let operationNotSupported = error(0x6F70_3F3F)
    static let fileNotFound = error(-43)

    private static func error(_ code: Int) -> NSError {
        NSError(domain: "com.apple.coreaudio.avfaudio", code: code, userInfo: nil)
    }
}
