import BelfrySyscalls

/// libsndfile, opened when the first file is asked for: its calls, as sndfile.h has them.
@safe
struct SndfileLibrary: Sendable {
    /// The parts of an `SF_INFO` that count here.
    struct Info {
        var frames: Int64 = 0
        var sampleRate: Int32 = 0
        var channels: Int32 = 0
        var format: Int32 = 0
    }

    /// As sndfile.h numbers them.
    enum Mode: Int32 {
        case read = 0x10
        case write = 0x20
    }

    /// The start of a file, of the whence of lseek(2).
    private static let fromStart: Int32 = 0
    /// `SF_INFO`: 64 bits of frames, five numbers of 32, and padding.
    private static let infoBytes = 32

    private let openFile: @convention(c) (UnsafePointer<CChar>, Int32, UnsafeMutableRawPointer) -> OpaquePointer?
    private let closeFile: @convention(c) (OpaquePointer) -> Int32
    private let seekFrame: @convention(c) (OpaquePointer, Int64, Int32) -> Int64
    private let readFrames: @convention(c) (OpaquePointer, UnsafeMutablePointer<Float>, Int64) -> Int64
    private let writeFrames: @convention(c) (OpaquePointer, UnsafePointer<Float>, Int64) -> Int64

    /// The library, or why it cannot be opened.
    static let opened = Result { try SndfileLibrary() }

    private init() throws {
        let library = try DynamicLibrary("libsndfile.so.1")
        unsafe openFile = try library.function("sf_open")
        unsafe closeFile = try library.function("sf_close")
        unsafe seekFrame = try library.function("sf_seek")
        unsafe readFrames = try library.function("sf_readf_float")
        unsafe writeFrames = try library.function("sf_writef_float")
    }

    /// Opens the file at `path`; nil if it cannot be read, or not be written as `info` says (sf_open). `info` is what
    /// the file is afterwards.
    func open(_ path: String, _ mode: Mode, _ info: inout Info) -> SoundFile? {
        var frames = info.frames
        var (rate, channels, format) = (info.sampleRate, info.channels, info.format)
        let handle: OpaquePointer? = unsafe withUnsafeTemporaryAllocation(byteCount: Self.infoBytes, alignment: 8) {
            unsafe $0.initializeMemory(as: UInt8.self, repeating: 0)
            unsafe $0.storeBytes(of: rate, toByteOffset: 8, as: Int32.self)
            unsafe $0.storeBytes(of: channels, toByteOffset: 12, as: Int32.self)
            unsafe $0.storeBytes(of: format, toByteOffset: 16, as: Int32.self)
            guard let base = $0.baseAddress, let handle = unsafe openFile(path, mode.rawValue, base) else {
                return nil
            }
            unsafe frames = $0.load(as: Int64.self)
            unsafe rate = $0.load(fromByteOffset: 8, as: Int32.self)
            unsafe channels = $0.load(fromByteOffset: 12, as: Int32.self)
            unsafe format = $0.load(fromByteOffset: 16, as: Int32.self)
            return unsafe handle
        }
        guard let handle = unsafe handle else { return nil }
        info = Info(frames: frames, sampleRate: rate, channels: channels, format: format)
        return unsafe SoundFile(handle: handle, library: self)
    }

    fileprivate func close(_ handle: OpaquePointer) { _ = unsafe closeFile(handle) }

    fileprivate func seek(_ handle: OpaquePointer, to frame: Int64) -> Bool {
        unsafe seekFrame(handle, frame, Self.fromStart) == frame
    }

    fileprivate func read(_ handle: OpaquePointer, into samples: inout [Float], frames: Int64) -> Int64 {
        unsafe readFrames(handle, &samples, frames)
    }

    fileprivate func write(_ handle: OpaquePointer, _ samples: [Float], frames: Int64) -> Int64 {
        unsafe writeFrames(handle, samples, frames)
    }
}

/// A file that is open, until it goes.
@safe
final class SoundFile {
    private let handle: OpaquePointer
    private let library: SndfileLibrary

    fileprivate init(handle: OpaquePointer, library: SndfileLibrary) {
        unsafe self.handle = handle
        self.library = library
    }

    deinit { unsafe library.close(handle) }

    /// Goes to a frame (sf_seek); false if there is none.
    func seek(to frame: Int64) -> Bool { unsafe library.seek(handle, to: frame) }

    /// Reads up to `frames` frames of interleaved samples (sf_readf_float), and tells how many there were.
    func read(into samples: inout [Float], frames: Int64) -> Int64 {
        unsafe library.read(handle, into: &samples, frames: frames)
    }

    /// Writes frames of interleaved samples (sf_writef_float), and tells how many.
    func write(_ samples: [Float], frames: Int64) -> Int64 { unsafe library.write(handle, samples, frames: frames) }
}
