import AVFAudio
import Testing

/// Films, of which nothing here takes pictures.
@Suite struct FilmTests {
    @Test("whoever wants a picture of a film is told that there is none") func picture() async {
        let asset = AVURLAsset(url: URL(fileURLWithPath: "/tmp/film.mp4"))
        let generator = AVAssetImageGenerator(asset: asset)
        generator.appliesPreferredTrackTransform = true
        let time = CMTimeMakeWithSeconds(0.5, preferredTimescale: 600)
        #expect(throws: AVError(.decodeFailed)) { try unsafe generator.copyCGImage(at: time, actualTime: nil) }
        await #expect(throws: AVError(.decodeFailed)) { try await generator.image(at: .zero) }
        var told: (CMTime, (any Error)?)?
        generator.generateCGImageAsynchronously(for: time) { told = ($1, $2) }
        #expect(told?.0 == time && told?.1 as? AVError == AVError(.decodeFailed))
        #expect(!asset.duration.isValid && asset.url.lastPathComponent == "film.mp4")
        #expect((AVError(.decodeFailed) as NSError).domain == "AVFoundationErrorDomain")
    }

    @Test("times are parts of a second") func times() {
        #expect(CMTimeGetSeconds(CMTimeMake(value: 300, timescale: 600)) == 0.5)
        #expect(CMTime(seconds: 0.5, preferredTimescale: 600) == CMTime(value: 300, timescale: 600))
        #expect(CMTime(seconds: .nan, preferredTimescale: 600) == .invalid && CMTime.invalid.seconds.isNaN)
        #expect(CMTime(seconds: 1e300, preferredTimescale: 600) == .invalid)
        #expect(CMTime(seconds: 1, preferredTimescale: -1) == .invalid)
    }
}
