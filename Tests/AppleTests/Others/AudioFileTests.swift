import AVFAudio
import Support
import Testing

/// Sound files as extensions make them longer: read, and written again.
@Suite struct AudioFileTests {
    private let folder = TemporaryFolder()

    @Test("a ring is read, and written twice over into a file that plays as long", arguments: ["wav", "aiff", "caf"])
    func repeated(kind: String) throws {
        let ring = try AVAudioFile(forReading: URL(fileURLWithPath: sourceFile("Sounds/ring.wav")))
        let format = ring.processingFormat
        #expect(ring.length > 0 && format.sampleRate > 8_000 && format.channelCount >= 1)
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(ring.length)))
        try ring.read(into: buffer)
        #expect(Int64(buffer.frameLength) == ring.length && ring.framePosition == ring.length)
        let isHeard = (0..<Int(buffer.frameLength)).contains { unsafe buffer.floatChannelData?[0][$0] != 0 }
        #expect(isHeard)
        let url = URL(fileURLWithPath: "\(folder.path)/long.\(kind)")
        do {
            let settings: [String: Any] = [
                AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: format.sampleRate,
                AVNumberOfChannelsKey: format.channelCount, AVLinearPCMBitDepthKey: 16,
            ]
            let file = try AVAudioFile(forWriting: url, settings: settings)
            try file.write(from: buffer)
            try file.write(from: buffer)
            #expect(throws: NSError.self) { try file.read(into: buffer) }
        }
        let long = try AVAudioFile(forReading: url)
        #expect(long.length == 2 * ring.length && long.processingFormat == format)
        long.framePosition = ring.length
        let second = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: buffer.frameLength))
        try long.read(into: second)
        let difference = (0..<Int(second.frameLength)).map {
            unsafe abs((second.floatChannelData?[0][$0] ?? 9) - (buffer.floatChannelData?[0][$0] ?? 0))
        }
        #expect((difference.max() ?? 9) < 0.001)
        #expect(throws: NSError.self) { try long.write(from: buffer) }
    }

    @Test("frames are read from where one is; at the end there are none, and beyond it nobody goes")
    func positions() throws {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 8_000, channels: 2))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4))
        buffer.frameLength = 4
        for frame in 0..<4 {
            unsafe buffer.floatChannelData?[0][frame] = Float(frame)
            unsafe buffer.floatChannelData?[1][frame] = -Float(frame)
        }
        let url = URL(fileURLWithPath: "\(folder.path)/counted.wav")
        do {
            let file = try AVAudioFile(forWriting: url, settings: format.settings)
            try file.write(from: buffer)
            try file.write(from: buffer)
            #expect(file.framePosition == 8 && file.length == 8)
        }
        let file = try AVAudioFile(forReading: url)
        file.framePosition = 6
        #expect(file.framePosition == 6)
        try file.read(into: buffer)
        #expect(unsafe buffer.floatChannelData?[0][1] == 3 && buffer.floatChannelData?[1][1] == -3)
        #expect(buffer.frameLength == 2 && file.framePosition == 8)
        try file.read(into: buffer)
        #expect(buffer.frameLength == 0 && file.framePosition == 8)
        file.framePosition = 9
        #expect(file.framePosition == 8)
    }

    @Test("samples are as long and as fine as the settings say") func samples() throws {
        let kinds: [(format: UInt32, bits: Int, isFloat: Bool, bytes: Int, error: Float)] = [
            (kAudioFormatLinearPCM, 8, false, 1, 0x1p-7), (kAudioFormatLinearPCM, 16, false, 2, 0x1p-15),
            (kAudioFormatLinearPCM, 24, false, 3, 0x1p-23), (kAudioFormatLinearPCM, 32, false, 4, 0x1p-24),
            (kAudioFormatLinearPCM, 32, true, 4, 0), (kAudioFormatLinearPCM, 64, true, 8, 0),
            (kAudioFormatULaw, 8, false, 1, 0x1p-6), (kAudioFormatALaw, 8, false, 1, 0x1p-6),
        ]
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 8_000, channels: 1))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 1_000))
        for kind in kinds {
            let url = URL(fileURLWithPath: "\(folder.path)/\(kind).wav")
            let settings: [String: Any] = [
                AVFormatIDKey: kind.format, AVSampleRateKey: 8_000, AVNumberOfChannelsKey: 1,
                AVLinearPCMBitDepthKey: kind.bits, AVLinearPCMIsFloatKey: kind.isFloat,
            ]
            buffer.frameLength = 1_000
            unsafe buffer.floatChannelData?[0].update(repeating: 0.3, count: 1_000)
            try AVAudioFile(forWriting: url, settings: settings).write(from: buffer)
            // The header is shorter than a byte for each sample.
            #expect(try Data(contentsOf: url).count / 1_000 == kind.bytes, "\(kind)")
            try AVAudioFile(forReading: url).read(into: buffer)
            let sample = unsafe buffer.floatChannelData?[0][999] ?? 9
            #expect(abs(sample - 0.3) <= kind.error, "\(kind)")
        }
    }

    @Test("a buffer has no more frames than room, and its format is what Apple's is") func buffers() throws {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4))
        buffer.frameLength = 2
        #expect(buffer.frameLength == 2 && buffer.stride == 1)
        buffer.frameLength = 5
        #expect(buffer.frameLength == 4)
        let settings: [String: NSNumber] = [
            AVFormatIDKey: 0x6C70_636D, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2, AVLinearPCMBitDepthKey: 32,
            AVLinearPCMIsFloatKey: true, AVLinearPCMIsBigEndianKey: false, AVLinearPCMIsNonInterleaved: true,
        ]
        #expect(format.settings as? [String: NSNumber] == settings)
    }

    @Test("what is no sound file says so, as AudioToolbox numbers it") func refuses() {
        let text = URL(fileURLWithPath: folder.write(Array("text".utf8), to: "a.wav"))
        #expect(throws: NSError.self) { try AVAudioFile(forReading: text) }
        do {
            _ = try AVAudioFile(forReading: text.appendingPathExtension("none"))
        } catch {
            #expect((error as NSError).code == -43)
        }
        let other = URL(fileURLWithPath: "\(folder.path)/a.ogg")
        #expect(throws: NSError.self) { try AVAudioFile(forWriting: other, settings: [:]) }
        #expect(AVAudioFormat(standardFormatWithSampleRate: 0, channels: 1) == nil)
    }
}
