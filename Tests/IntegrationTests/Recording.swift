/// What the private sound server plays, as a person at the endpoint would hear it.
struct Recording {
    /// Quieter than this is silence: -66 dB of full scale.
    static let silenceAmplitude = 16
    /// Bytes a millisecond: 48 samples of 16 bits.
    static let bytesPerMillisecond = 96

    private let start: Int

    /// Listens from now on.
    init() { start = size(of: Surroundings.recording) & ~1 }

    /// Whether anything has sounded since.
    var isHeard: Bool { loudness > 0 }

    /// The root of the mean square of all since then; 1 is full scale.
    var loudness: Double {
        let samples = samples(of: bytes(of: Surroundings.recording, from: start))
        guard samples.contains(where: { abs(Int($0)) > Self.silenceAmplitude }) else { return 0 }
        let energy = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        return (energy / Double(samples.count)).squareRoot() / 32_768
    }

    /// Waits until a sound is recorded; false after `seconds`.
    func waitUntilHeard(seconds: Int64 = 5) -> Bool { waitUntil(seconds: seconds) { isHeard } }

    /// Waits until the next `milliseconds` are recorded and tells whether they are silent.
    static func isSilent(forMilliseconds milliseconds: Int) -> Bool {
        let recording = Recording()
        let end = recording.start + milliseconds * bytesPerMillisecond
        guard waitUntil({ size(of: Surroundings.recording) >= end }) else { return false }
        return !recording.isHeard
    }

    private func samples(of bytes: [UInt8]) -> [Int16] {
        stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }
}
