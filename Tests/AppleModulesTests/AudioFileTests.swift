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

    @Test("an extension may not record") func records() {
        #expect(AVAudioApplication.shared.recordPermission == .denied)
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
