/// What the private sound server plays, as a person at the endpoint would hear it.
struct Recording {
    /// Quieter than this is silence: -66 dB of full scale.
    static let silenceAmplitude = 16
    /// Bytes a millisecond: 48 samples of 16 bits.
    static let bytesPerMillisecond = 96

    private let start: Int

    /// How far the recording may be behind what was asked of the sound server.
    private static let lateMilliseconds = 100

    /// Listens from now on.
    init() { self.init(start: size(of: Surroundings.recording) & ~1) }

    private init(start: Int) { self.start = start }

    /// Whether anything has sounded since.
    var isHeard: Bool { loudness > 0 }

    /// The loudest sample since then; 1 is full scale.
    var peak: Double {
        let samples = samples(of: bytes(of: Surroundings.recording, from: start))
        return Double(samples.reduce(0) { max($0, abs(Int($1))) }) / 32_768
    }

    /// The root of the mean square of all since then; 1 is full scale.
    var loudness: Double {
        let samples = samples(of: bytes(of: Surroundings.recording, from: start))
        guard samples.contains(where: { abs(Int($0)) > Self.silenceAmplitude }) else { return 0 }
        let energy = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        return (energy / Double(samples.count)).squareRoot() / 32_768
    }

    /// How many sounds there were since then: what a pause of 100 ms parts are two.
    var bursts: Int {
        var (count, quiet) = (0, Int.max)
        for sample in samples(of: bytes(of: Surroundings.recording, from: start)) {
            if abs(Int(sample)) > Self.silenceAmplitude {
                if quiet > 100 * Self.bytesPerMillisecond / 2 { count += 1 }
                quiet = 0
            } else if quiet < .max {
                quiet += 1
            }
        }
        return count
    }

    /// Waits until a sound is recorded; false after `seconds`.
    func waitUntilHeard(seconds: Int64 = 5) -> Bool { waitUntil(seconds: seconds) { isHeard } }

    /// Waits for so long without a sound; false if two seconds bring no beginning of it. By default half a second: a
    /// ring that goes on never pauses for so long, and what is recorded may be behind what the sound server was asked.
    static func waitUntilSilent(forMilliseconds milliseconds: Int = 500) -> Bool {
        waitUntil(seconds: 2) { listening(forMilliseconds: milliseconds).map { !$0.isHeard } ?? false }
    }

    /// What follows, once `milliseconds` of it are recorded; nil if they are not.
    static func listening(forMilliseconds milliseconds: Int) -> Recording? {
        let recording = Recording()
        let end = recording.start + milliseconds * bytesPerMillisecond
        return waitUntil { size(of: Surroundings.recording) >= end } ? recording : nil
    }

    /// How loud the loudest sample is of half a second that begins now, by the sound server's time; nil if that is not
    /// recorded. A ring that goes on is heard in it, since it never pauses for so long.
    static func peakFromNow() -> Double? {
        let start = Recording().start + lateMilliseconds * bytesPerMillisecond
        let recording = Recording(start: start)
        return waitUntil { size(of: Surroundings.recording) >= start + 500 * bytesPerMillisecond }
            ? recording.peak : nil
    }

    private func samples(of bytes: [UInt8]) -> [Int16] {
        stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }
}
