import Glibc
import Support
@testable import SystemSound
import Testing

@Suite struct SoundFileCheckTests {
    let folder = TemporaryFolder()

    /// What is wrong with a file of these bytes; nil if nothing is.
    func fault(_ bytes: [UInt8]) -> String? { fault(at: folder.write(bytes, to: "x")) }

    func fault(_ change: (inout WaveFile) -> Void) -> String? {
        var file = WaveFile()
        change(&file)
        return fault(file.bytes)
    }

    func fault(at path: String) -> String? {
        do throws(SoundProblem) {
            try SoundFileCheck.check(path: path)
            return nil
        } catch {
            guard case .unusable(path, let why) = error else { return "\(error)" }
            return why
        }
    }

    @Test func plainWaveFilesAreFine() {
        #expect(fault { _ in } == nil)
        #expect(fault { $0.channels = 2 } == nil)
        #expect(fault { $0.rate = 8_000 } == nil)
        #expect(fault { $0.formatBytes = 18 } == nil)
        #expect(fault { $0.chunksBefore = [("LIST", [1, 2, 3, 4])] } == nil)
    }

    @Test func whatLibcanberraWouldRefuseIsSaid() {
        #expect(fault { $0.bits = 24 } == "24 bits a sample, where 16 are needed")
        #expect(fault { $0.bits = 32 } == "32 bits a sample, where 16 are needed")
        #expect(fault { $0.format = 3 }?.hasPrefix("not plain PCM") == true)
        #expect(fault { ($0.format, $0.formatBytes) = (0xFFFE, 40) }?.hasPrefix("not plain PCM") == true)
        #expect(fault { $0.channels = 0 } == "0 channels")
        #expect(fault { $0.channels = 9 } == "9 channels")
        #expect(fault { $0.rate = 0 } == "0 samples a second")
        #expect(fault { $0.rate = .max } == "4294967295 samples a second")
        #expect(fault { $0.sound = [1, 2, 3] } == "a WAVE file that ends in half a sample")
        #expect(fault { $0.sound = [] } == "a WAVE file with an empty or endless chunk")
        #expect(fault { $0.statedSoundBytes = .max } == "a WAVE file with an empty or endless chunk")
        #expect(fault { $0.statedFileBytes = .max }?.contains("written to a pipe?") == true)
        #expect(fault { $0.hasSound = false } == "a WAVE file without sound that libcanberra finds")
        #expect(fault { $0.hasFormat = false } == "a WAVE file that does not say its format")
        #expect(fault { $0.chunksBefore = Array(repeating: ("JUNK", [1, 2]), count: 100) } != nil)
    }

    @Test func anOddChunkIsReadAsLibcanberraDoes() {
        // By the format it is followed by a byte of padding, which libcanberra takes for the start of the next chunk.
        var file = WaveFile()
        file.chunksBefore = [("LIST", [1, 2, 3])]
        #expect(fault(file.bytes) == nil)
        var padded = file.bytes
        padded.insert(0, at: 12 + 24 + 8 + 3)
        #expect(fault(padded) != nil)
    }

    @Test func everyHeadOfAFileIsToldWithoutATrap() {
        let whole = WaveFile().bytes
        for count in 0..<whole.count { #expect(fault(Array(whole[..<count])) != nil, "\(count) bytes") }
        for index in 0..<44 {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var bytes = whole
                bytes[index] = value
                _ = fault(bytes)
            }
        }
    }

    @Test func oggVorbisIsFineAndOtherOggIsNot() {
        #expect(fault(OggFile().bytes) == nil)
        var other = OggFile()
        other.firstPacket = Array("OpusHead".utf8)
        #expect(fault(other.bytes) == "an Ogg file whose first stream is not Vorbis")
        #expect(fault(Array("OggS".utf8)) == "an Ogg file that is cut short")
        #expect(fault(Array("OggS".utf8) + Array(repeating: 0xFF, count: 60)) != nil)
    }

    @Test func aSoundThatIsCutShortIsSaidWhereverItIsCut() {
        let wave = WaveFile().bytes
        #expect(fault(Array(wave.dropLast())) == "a WAVE file that is cut short")
        #expect(fault(Array(wave.prefix(wave.count / 2))) == "a WAVE file that is cut short")
        #expect(fault(wave + Array("LIST".utf8)) == nil, "what follows the sound is not looked at")
        let ogg = OggFile().bytes
        for count in 59..<ogg.count {
            #expect(fault(Array(ogg[..<count])) == "an Ogg file that is cut short", "\(count) bytes")
        }
    }

    @Test func theLastPageOfAnOggFileIsFoundBehindTheLongestPageAndBeforeATag() {
        var file = OggFile()
        file.lastPacketBytes = 255 * 255
        #expect(file.bytes.count > 65_307)
        #expect(fault(file.bytes) == nil)
        #expect(fault(file.bytes + Array(repeating: 0x20, count: 128)) == nil)
        #expect(fault(Array(file.bytes.dropLast())) == "an Ogg file that is cut short")
    }

    @Test func whatIsNoSoundIsSaid() {
        #expect(fault([]) == "neither a WAVE nor an Ogg Vorbis file")
        #expect(fault(Array("ID3".utf8)) == "neither a WAVE nor an Ogg Vorbis file")
        #expect(fault(at: folder.path) == "not a regular file")
        #expect(fault(at: "/dev/zero") == "not a regular file")
        #expect(fault(at: "\(folder.path)/none") == "No such file or directory")
    }

    @Test func S2_aPipeDoesNotHoldUsUp() {
        let path = "\(folder.path)/pipe"
        #expect(unsafe mkfifo(path, 0o600) == 0)
        #expect(fault(at: path) == "not a regular file")
    }

    @Test func theLargestFileIsFineAndOneByteMoreIsNot() {
        let path = folder.write(WaveFile().bytes, to: "large")
        #expect(unsafe truncate(path, off_t(SoundFileCheck.fileBytesMax)) == 0)
        #expect(fault(at: path) == nil)
        #expect(unsafe truncate(path, off_t(SoundFileCheck.fileBytesMax) + 1) == 0)
        #expect(fault(at: path) == "larger than 8 MiB")
    }

    @Test func eachWordAndNumberOfAHeaderCounts() {
        var bytes = WaveFile().bytes
        bytes[3] = UInt8(ascii: "X")
        #expect(fault(bytes) == "neither a WAVE nor an Ogg Vorbis file")
        #expect(fault { $0.formatBytes = 20 }?.hasPrefix("not plain PCM") == true)
        #expect(fault { $0.statedFileBytes = 64 << 20 }?.contains("written to a pipe?") == true)
        #expect(fault { $0.statedFileBytes = 64 << 20 - 1 } == nil)
        var ogg = OggFile()
        ogg.firstPacket[0] = 3
        #expect(fault(ogg.bytes) == "an Ogg file whose first stream is not Vorbis")
        let emptyPage = Array("OggS".utf8) + [UInt8](repeating: 0, count: 23)
        #expect(fault(emptyPage) == "an Ogg file whose first stream is not Vorbis")
        #expect(fault(emptyPage.dropLast()) == "an Ogg file that is cut short")
        var pages = OggFile().bytes
        let last = pages.indices.last { pages[$0...].starts(with: "OggS".utf8) } ?? 0
        pages[last + 4] = 1
        #expect(
            fault(pages) == "an Ogg file that is cut short", "the only whole page that ends it is of no known version")
    }
}
