import BelfryPictures
import BelfryTerms
import Support
import Testing

/// Formats are told by content and sizes known before anything is decoded.
@Suite struct PictureHeaderTests {
    @Test func readsTheSizeOfEveryFormat() throws {
        for (bytes, format) in [
            (PictureBytes.png(width: 640, height: 480), PictureFormat.png),
            (PictureBytes.jpeg(width: 640, height: 480), .jpeg),
            (PictureBytes.gif(width: 640, height: 480), .gif),
            (PictureBytes.lossyWebP(width: 640, height: 480), .webp),
            (PictureBytes.losslessWebP(width: 640, height: 480), .webp),
            (PictureBytes.animatedWebP(width: 640, height: 480, frameWidth: 320), .webp),
        ] {
            let header = try PictureHeader(of: bytes)
            #expect(header.format == format)
            #expect(header.width == 640 && header.height == 480, "\(format)")
        }
    }

    @Test func theLimitsAreTheLastThatPass() throws {
        for make in [PictureBytes.png(width:height:hasEnd:)] {
            #expect(throws: Never.self) { try PictureHeader(of: make(8192, 4096, true)) }
            for (width, height) in [(8193, 1), (1, 8193), (8192, 4097), (60_000, 60_000), (1 << 31 - 1, 1 << 31 - 1)] {
                #expect(reasonFor(make(width, height, true)) == .tooManyPixels, "\(width) × \(height)")
            }
        }
        #expect(reasonFor(PictureBytes.jpeg(width: 65_535, height: 65_535)) == .tooManyPixels)
        #expect(reasonFor(PictureBytes.gif(width: 65_535, height: 65_535)) == .tooManyPixels)
        // A frame beyond its screen counts as well.
        #expect(reasonFor(PictureBytes.gif(width: 1, height: 1, frameWidth: 65_535)) == .tooManyPixels)
        #expect(reasonFor(PictureBytes.lossyWebP(width: 16_383, height: 16_383)) == .tooManyPixels)
        #expect(reasonFor(PictureBytes.animatedWebP(width: 1 << 24, height: 2, frameWidth: 2)) == .tooManyPixels)
        #expect(reasonFor(PictureBytes.animatedWebP(width: 2, height: 2, frameWidth: 9_000)) == .tooManyPixels)
    }

    @Test func whatIsNoPictureIsNone() {
        for text in [
            "", "<svg xmlns='…'/>", "<!DOCTYPE html>", "BM……", "II*\u{0}", "RIFF\u{0}\u{0}\u{0}\u{0}WAVEfmt ", "GIF88a",
        ] {
            #expect(reasonFor(Array(text.utf8)) == .notAnImage, "\(text)")
        }
        #expect(PictureHeader.notAnImage([0x1F, 0x8B, 8]).detail.contains("gzip"))
        #expect(PictureHeader.notAnImage(Array("\n <html>".utf8)).detail.contains("HTML"))
    }

    @Test func whatIsCutShortIsDamaged() throws {
        #expect(reasonFor(PictureBytes.png(width: 1, height: 1, hasEnd: false)) == .decodeFailed)
        for (width, height) in [(0, 0), (0, 9), (9, 0)] {
            #expect(reasonFor(PictureBytes.png(width: width, height: height)) == .decodeFailed)
        }
        // libFuzzer's finding: cut out, such a frame would have claimed a canvas of 16 million pixels.
        #expect(reasonFor(PictureBytes.animatedWebP(width: 9, height: 9, frameWidth: 0)) == .decodeFailed)
        for whole in [
            PictureBytes.jpeg(width: 9, height: 9), PictureBytes.lossyWebP(width: 9, height: 9),
            PictureBytes.gif(width: 9, height: 9),
        ] {
            #expect(reasonFor(Array(whole.prefix(17))) == .decodeFailed)
        }
    }

    @Test("a segment of a JPEG may be empty, and a length below that of the length itself is damage")
    func segments() throws {
        func jpeg(_ segment: [UInt8]) -> [UInt8] {
            let whole = PictureBytes.jpeg(width: 9, height: 5)
            return whole.prefix(2) + segment + whole.dropFirst(2)
        }
        for segment: [UInt8] in [[0xFF, 0xE1, 0, 2], [0xFF, 0xFF, 0xE1, 0, 3, 7], [0xFF, 0x01], [0xFF, 0xD7]] {
            #expect(try PictureHeader(of: jpeg(segment)).width == 9)
        }
        for segment: [UInt8] in [
            [0xFF, 0xE1, 0, 1], [0xFF, 0xE1, 0, 0], [0xFF, 0x00], [0xFF, 0xDA],
        ] {
            #expect(reasonFor(jpeg(segment)) == .decodeFailed)
        }
    }

    @Test("a WebP that does not say it moves is one picture, whatever frames it holds")
    func framesOfAStill() throws {
        let still = PictureBytes.stillWebP(width: 64, height: 32, frameWidth: 900)
        #expect(try PictureHeader(of: still).width == 64)
        #expect(FirstFrame.only(of: still, as: .webp) == still)
    }

    @Test func aJPEGOfManyScansIsNotDecoded() throws {
        func jpeg(scans: Int, _ scan: [UInt8] = PictureBytes.scan) -> [UInt8] {
            PictureBytes.jpeg(width: 9, height: 9, scans: Array(repeating: scan, count: scans).flatMap(\.self))
        }
        #expect(throws: Never.self) { try PictureHeader(of: jpeg(scans: FetchLimits.scansMax)) }
        #expect(reasonFor(jpeg(scans: FetchLimits.scansMax + 1)) == .decodeFailed)
        // Between scans a decoder passes over more than a marker; what it does not pass over hides none.
        let passedOver: [[UInt8]] = [
            [0], [0xFF], [0xFF, 0xD3], [0xFF, 0x02, 0xFF, 0xFF], [0xFF, 0xC4, 0, 3, 0xFF], [0xFF, 0, 0xDA],
        ]
        for between in passedOver {
            #expect(reasonFor(jpeg(scans: FetchLimits.scansMax + 1, PictureBytes.scan + between)) == .decodeFailed)
            #expect(throws: Never.self) {
                try PictureHeader(of: jpeg(scans: FetchLimits.scansMax, PictureBytes.scan + between))
            }
        }
        // What stands in a segment, or behind the picture, is no scan.
        let hidden = [0xFF, 0xE0, 0, 8] + PictureBytes.scan.prefix(6)
        #expect(throws: Never.self) { try PictureHeader(of: jpeg(scans: FetchLimits.scansMax + 1, hidden)) }
        let behind = jpeg(scans: 1) + Array(repeating: PictureBytes.scan, count: 200).flatMap(\.self)
        #expect(throws: Never.self) { try PictureHeader(of: behind) }
    }

    @Test func ofAPNGOnlyThePixelsAreDecoded() {
        let more = SmallPNG.chunk("PLTE", [1, 2, 3]) + SmallPNG.chunk("tRNS", [0])
        let text = SmallPNG.chunk("zTXt", Array("A\0\0".utf8))
        let frames = SmallPNG.chunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0]) + SmallPNG.chunk("fdAT", [0, 0, 0, 1])
        let many = SmallPNG.bytes(more: Array(repeating: text, count: 900).flatMap(\.self) + more + frames)
        #expect(FirstFrame.only(of: many + Array("PK".utf8), as: .png) == SmallPNG.bytes(more: more))
    }

    @Test func whatIsWrittenFitsAndKeepsItsShape() throws {
        for (width, height, expected) in [
            (64, 32, (64, 32)), (512, 512, (512, 512)), (513, 513, (512, 512)), (1_600, 400, (512, 128)),
            (400, 1_600, (128, 512)), (8_192, 1, (512, 1)), (1_000, 999, (512, 511)),
            (1_024, 3, (512, 2)),
            (1_000, 3, (512, 2)),
        ] {
            let size = try PictureHeader.writtenSize(width: width, height: height)
            #expect(size == expected, "\(width) × \(height)")
        }
    }

    @Test func ofAMovingPictureOnlyTheFirstFrameIsLeft() throws {
        let one = PictureBytes.gif(width: 4, height: 4)
        let three = PictureBytes.gif(width: 4, height: 4, frames: 3)
        #expect(FirstFrame.only(of: three, as: .gif) == one)
        #expect(FirstFrame.only(of: one, as: .gif) == one)
        #expect(FirstFrame.only(of: Array(one.dropLast(3)), as: .gif) == Array(one.dropLast(3)))
        let moving = PictureBytes.animatedWebP(width: 64, height: 32, frameWidth: 16)
        let still = FirstFrame.only(of: moving, as: .webp)
        #expect(still.count < moving.count)
        let header = try PictureHeader(of: still)
        #expect(header.width == 16 && header.height == 32)
        #expect(FirstFrame.only(of: still, as: .webp) == still)
    }

    @Test func noBytesTrap() {
        var random = SeededRandom(seed: 3)
        let originals = [
            PictureBytes.png(width: 64, height: 32), PictureBytes.jpeg(width: 64, height: 32),
            PictureBytes.gif(width: 64, height: 32, frames: 2), PictureBytes.lossyWebP(width: 64, height: 32),
            PictureBytes.losslessWebP(width: 64, height: 32),
            PictureBytes.animatedWebP(width: 64, height: 32, frameWidth: 16),
        ]
        for _ in 0..<20_000 {
            var bytes = random.pick(originals)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = random.oneIn(3) ? 0xFF : UInt8.random(in: 0...255, using: &random)
            }
            if random.oneIn(4) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            guard let header = try? PictureHeader(of: bytes) else { continue }
            #expect(header.width * header.height <= FetchLimits.pixelsMax)
            #expect(PictureFormat(of: FirstFrame.only(of: bytes, as: header.format)) == header.format)
        }
    }

    private func reasonFor(_ bytes: [UInt8]) -> SkipReason? {
        do throws(Skip) {
            _ = try PictureHeader(of: bytes)
            return nil
        } catch {
            return error.reason
        }
    }
}
