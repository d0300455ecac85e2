import BelfryAppleGround
import BelfrySyscalls
import CBelfryPulse
import CBelfrySndfile

/// A sound file that an app plays to the sound server, on a thread of its own. The server knows whose stream it is, and
/// what role its process has.
final class AppSound: Sendable {
    /// How long a piece is that is written at once: by then a stop is seen.
    private static let millisecondsAtOnce: Int64 = 20
    /// However many a file says that a second has.
    private static let framesAtOnceMax: Int64 = 4_096

    private let path: String
    private let isStopped = LockedValue(false)

    init(_ path: String) { self.path = path }

    /// Plays it, and again as long as `goesOn` says so; then calls `ended` with the problem, if there was one. Both are
    /// called on another thread.
    func play(goesOn: @escaping @Sendable () -> Bool, ended: @escaping @Sendable (String?) -> Void) {
        Thread { [self] in ended(problem(goesOn)) }.start()
    }

    /// Is silent at once.
    func stop() { isStopped.withLock { $0 = true } }

    private func problem(_ goesOn: () -> Bool) -> String? {
        do throws(SystemError) {
            var information = SF_INFO()
            guard let file = try SoundFile(path, .read, &information) else { return "\(path) cannot be read" }
            // Else its repetitions would never wait.
            guard information.frames > 0 else { return "\(path) has no sound in it" }
            let channels = Int(information.channels)
            let stream = try SoundStream(channels: channels, samplesPerSecond: Int(information.samplerate))
            let framesAtOnce = min(
                Int64(information.samplerate) * Self.millisecondsAtOnce / 1_000 + 1, Self.framesAtOnceMax)
            var samples = [Float](repeating: 0, count: Int(framesAtOnce) * channels)
            repeat {
                guard file.seek(to: 0) else { return "\(path) cannot be read from its beginning" }
                while !isStopped.withLock({ $0 }) {
                    let frames = Int(file.read(into: &samples, frames: framesAtOnce))
                    guard frames > 0 else { break }
                    try stream.write(samples[..<(frames * channels)])
                }
            } while !isStopped.withLock { $0 } && goesOn()
            if isStopped.withLock({ $0 }) { stream.flush() } else { try stream.drain() }
            return nil
        } catch {
            return "\(error)"
        }
    }
}

/// A stream of this process at the sound server.
@safe
private final class SoundStream {
    /// libpulse-simple, which is opened for the first sound.
    private static let opened = Result { () throws(SystemError) in
        let library = try DynamicLibrary("libpulse-simple.so.0")
        var calls = cpulse_simple_calls()
        unsafe calls.open = try library.function("pa_simple_new")
        unsafe calls.write = try library.function("pa_simple_write")
        unsafe calls.drain = try library.function("pa_simple_drain")
        unsafe calls.flush = try library.function("pa_simple_flush")
        unsafe calls.close = try library.function("pa_simple_free")
        unsafe calls.error_text = try library.function("pa_strerror")
        return calls
    }
    /// How far ahead of the ear it is written: so soon it can be stopped.
    private static let millisecondsAhead = 100

    private let calls: cpulse_simple_calls
    private let handle: UnsafeMutableRawPointer

    init(channels: Int, samplesPerSecond: Int) throws(SystemError) {
        calls = try Self.opened.get()
        var spec = cpulse_sample_spec(
            format: Int32(CPULSE_SAMPLE_FLOAT32LE), rate: UInt32(clamping: samplesPerSecond),
            channels: UInt8(clamping: channels))
        let bytes = samplesPerSecond * Self.millisecondsAhead / 1_000 * channels * MemoryLayout<Float>.size
        var buffer = cpulse_buffer(
            max_bytes: .max, target_bytes: UInt32(clamping: bytes), bytes_before_start: .max, bytes_at_once: .max,
            fragment_bytes: .max)
        var error: Int32 = 0
        let opened = unsafe calls.open(
            nil, ProcessInfo.processInfo.processName, Int32(CPULSE_STREAM_PLAYBACK), nil, "AVAudioPlayer",
            &spec, nil, &buffer, &error)
        guard let opened = unsafe opened else { throw Self.failure(calls, error, "pa_simple_new") }
        unsafe handle = opened
    }

    deinit { unsafe calls.close(handle) }

    func write(_ samples: ArraySlice<Float>) throws(SystemError) {
        var error: Int32 = 0
        let result = unsafe samples.withUnsafeBytes {
            unsafe calls.write(handle, $0.baseAddress, UInt($0.count), &error)
        }
        guard result >= 0 else { throw Self.failure(calls, error, "pa_simple_write") }
    }

    /// Waits until all of it has sounded.
    func drain() throws(SystemError) {
        var error: Int32 = 0
        guard unsafe calls.drain(handle, &error) >= 0 else { throw Self.failure(calls, error, "pa_simple_drain") }
    }

    /// Drops what has not sounded.
    func flush() {
        var error: Int32 = 0
        _ = unsafe calls.flush(handle, &error)
    }

    private static func failure(_ calls: cpulse_simple_calls, _ error: Int32, _ call: String) -> SystemError {
        let text = unsafe calls.error_text(error).map { unsafe String(cString: $0) } ?? "error \(error)"
        return SystemError(errno: EIO, call: call, subject: text)
    }
}
