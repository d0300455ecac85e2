import BelfrySyscalls
import CBelfryLinux
import Glibc

/// What a sound server's sink played, as it plays: 16 bits, one channel. Its silence is exact zeros.
public final class SoundRecording {
    /// Quieter than this is silence: -66 dB of full scale leaves room for dither.
    public static let silenceAmplitude = 16
    /// How much of it waits in the pipe while a test is busy: 10 s.
    private static let pipeBytes: Int32 = 1 << 20

    /// How loud a stretch of it is; 1 is full scale.
    public struct Loudness {
        /// The root of the mean square.
        public var rms = 0.0
        /// The loudest sample.
        public var peak = 0.0
        /// How long it sounded, from the first sound to the last, in milliseconds from the stretch's start; nil in
        /// silence.
        public var sounding: ClosedRange<Int>?
    }

    private let descriptor: OwnedDescriptor
    private var half: [UInt8] = []
    /// What was read when a sound was waited for, from that sound on.
    private var begun: [Int16] = []

    init(_ descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
        // Left as it is where the user's pipes are limited: then only less may wait.
        _ = clinux_set_pipe_size(self.descriptor.number, Self.pipeBytes)
    }

    /// False if nothing is recorded within `milliseconds`.
    func waitUntilRunning(within milliseconds: Int32) -> Bool {
        guard let first = readSome(from: descriptor.number, until: deadline(milliseconds)) else { return false }
        half = first.count % 2 == 0 ? [] : Array(first.suffix(1))
        return !first.isEmpty
    }

    /// Passes over what was recorded until now.
    public func skipToNow() {
        begun = []
        var waiting: Int32 = 0
        guard unsafe clinux_bytes_waiting(descriptor.number, &waiting) == 0 else { return }
        var left = Int(waiting)
        while left > 0, let some = readSome(from: descriptor.number, until: deadline(0)), !some.isEmpty {
            left -= some.count
            _ = samples(of: some)
        }
    }

    /// Listens until there is a sound, and tells how many milliseconds of recording passed before it; nil if there is
    /// none within `milliseconds` of recording. What is listened to next begins with it.
    public func millisecondsUntilSound(within milliseconds: Int) -> Int? {
        let count = milliseconds * PrivateSoundServer.samplesPerSecond / 1_000
        var passed = 0
        while passed < count, let samples = nextSamples() {
            if let first = samples.firstIndex(where: { abs(Int($0)) > Self.silenceAmplitude }) {
                begun = Array(samples[first...])
                return (passed + first) * 1_000 / PrivateSoundServer.samplesPerSecond
            }
            passed += samples.count
        }
        return nil
    }

    /// Listens to the next `milliseconds` of recording.
    public func listen(milliseconds: Int) -> Loudness {
        let count = milliseconds * PrivateSoundServer.samplesPerSecond / 1_000
        var heard: [Int16] = []
        while heard.count < count, let samples = nextSamples() { heard += samples }
        var loudness = Loudness()
        guard !heard.isEmpty else { return loudness }
        let energy = heard.reduce(0.0) { $0 + Double($1) * Double($1) }
        loudness.rms = (energy / Double(heard.count)).squareRoot() / 32_768
        loudness.peak = Double(heard.reduce(0) { max($0, abs(Int($1))) }) / 32_768
        if let first = heard.firstIndex(where: { abs(Int($0)) > Self.silenceAmplitude }),
            let last = heard.lastIndex(where: { abs(Int($0)) > Self.silenceAmplitude })
        {
            let perMillisecond = PrivateSoundServer.samplesPerSecond / 1_000
            loudness.sounding = first / perMillisecond...last / perMillisecond
        }
        return loudness
    }

    /// Nil once nothing is recorded any more.
    private func nextSamples() -> [Int16]? {
        if !begun.isEmpty {
            defer { begun = [] }
            return begun
        }
        guard let some = readSome(from: descriptor.number, until: deadline(2_000)), !some.isEmpty else { return nil }
        return samples(of: some)
    }

    private func samples(of bytes: [UInt8]) -> [Int16] {
        let all = half + bytes
        half = all.count % 2 == 0 ? [] : Array(all.suffix(1))
        return stride(from: 0, to: all.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(all[$0]) | UInt16(all[$0 + 1]) << 8)
        }
    }

    private func deadline(_ milliseconds: Int32) -> Int64 { bootTimeMicroseconds() + Int64(milliseconds) * 1_000 }
}
