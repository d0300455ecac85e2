@testable import BelfrySoundDecoding
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

/// Sound files of all kinds, as libsndfile reads them.
@Suite struct SoundDecoderTests {
    let folder = TemporaryFolder()

    private func decode(_ sample: SoundSample) throws -> Wave {
        let path = "\(folder.path)/sample"
        try sample.write(to: path)
        return try Wave(SoundDecoder.wave(ofFileAt: path))
    }

    @Test(
        "every kind becomes a sealed WAVE of 16 bits of the same length and loudness",
        arguments: SoundSample.Kind.allCases)
    func kinds(kind: SoundSample.Kind) throws {
        let wave = try decode(SoundSample(kind, milliseconds: 400))
        #expect(wave.isSealed && wave.channels == 1 && wave.samplesPerSecond == 44_100)
        // What is compressed has its seams.
        #expect(abs(wave.samples.count - 17_640) < 4_000, "\(wave.samples.count) samples")
        let energy = wave.samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        let loudness = (energy / 17_640).squareRoot() / 32_768
        #expect(abs(loudness - 0.25) < 0.03, "\(loudness)")
    }

    @Test("two channels stay, more become one; a high rate is divided") func mixes() throws {
        var sample = SoundSample(.wave, milliseconds: 100)
        sample.channels = 2
        #expect(try decode(sample).channels == 2)
        (sample.channels, sample.samplesPerSecond) = (6, 96_000)
        let wave = try decode(sample)
        #expect(wave.channels == 1 && wave.samplesPerSecond == 48_000 && wave.samples.count == 4_800)
        #expect(wave.samples.allSatisfy { abs(abs(Int($0)) - 8_192) < 3 })
        sample.samplesPerSecond = 100_000
        #expect(try decode(sample).samplesPerSecond == 33_333)
    }

    @Test("30 s are a sound, more are none") func length() throws {
        var sample = SoundSample(.wave, milliseconds: 30_000)
        sample.samplesPerSecond = 8_000
        #expect(try decode(sample).samples.count == 240_000)
        sample.milliseconds = 30_001
        #expect(throws: SoundDecodingError(detail: "\(folder.path)/sample: longer than 30 s")) { try decode(sample) }
    }

    @Test("of a longer tune 30 s are played; one that is too large, or takes too long, is none") func tunes() throws {
        var sample = SoundSample(.wave, milliseconds: 45_000)
        sample.samplesPerSecond = 8_000
        let path = "\(folder.path)/tune"
        try sample.write(to: path)
        #expect(try Wave(SoundDecoder.tune(ofFileAt: path)).samples.count == 240_000)
        #expect(throws: SoundDecodingError(detail: "\(path): it takes too long to decode")) {
            try SoundDecoder.tune(ofFileAt: path, patience: .seconds(-1))
        }
        #expect(unsafe truncate(path, 1 << 30) == 0)
        #expect(throws: SoundDecodingError(detail: "\(path): larger than 64 MiB")) {
            try SoundDecoder.tune(ofFileAt: path)
        }
    }

    @Test("what is no sound says why") func nothing() throws {
        let text = folder.write(Array("no sound at all".utf8), to: "text")
        #expect(throws: SoundDecodingError.self) { try SoundDecoder.wave(ofFileAt: text) }
        let absent = SoundDecodingError(detail: "/no/such: No such file or directory")
        #expect(throws: absent) { try SoundDecoder.wave(ofFileAt: "/no/such") }
        let fifo = "\(folder.path)/fifo"
        unsafe mkfifo(fifo, 0o600)
        #expect(throws: SoundDecodingError(detail: "\(fifo): not a regular file")) {
            try SoundDecoder.wave(ofFileAt: fifo)
        }
        #expect(throws: SoundDecodingError.self) { try decode(SoundSample(.wave, milliseconds: 0)) }
    }

    @Test("values beyond full scale are full scale, and none is silence") func mix() {
        let mix = SoundMix(channels: 1, samplesPerSecond: 8_000)
        #expect(mix.mixed([2, -2, .nan, .infinity, 0.5]) == [32_767, -32_768, 0, 32_767, 16_384])
    }
}

/// A WAVE file taken apart.
private struct Wave {
    let isSealed: Bool
    let channels: Int
    let samplesPerSecond: Int
    let samples: [Int16]

    init(_ file: PassedFile) throws {
        isSealed = file.isSealedMemory
        let bytes = try readFile(at: file.path, bytesMax: 8 << 20).bytes
        func number(_ offset: Int, _ count: Int) -> Int {
            bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        channels = number(22, 2)
        samplesPerSecond = number(24, 4)
        #expect(number(4, 4) == bytes.count - 8 && number(40, 4) == bytes.count - 44)
        // Sixteen bytes of format, which is PCM, with sixteen bits a sample.
        #expect(number(16, 4) == 16 && number(20, 2) == 1 && number(34, 2) == 16)
        #expect(number(28, 4) == samplesPerSecond * channels * 2 && number(32, 2) == channels * 2)
        samples = stride(from: 44, to: bytes.count - 1, by: 2).map { Int16(truncatingIfNeeded: number($0, 2)) }
    }
}
