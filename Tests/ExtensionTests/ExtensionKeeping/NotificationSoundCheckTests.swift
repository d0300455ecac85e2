import BelfryProtocol
@testable import ExtensionKeeping
import Glibc
import Support
import Testing

/// Which sounds iOS would play, by their headers.
@Suite struct NotificationSoundCheckTests {
    private let folder = TemporaryFolder()

    private static func little(_ number: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    private static func big(_ number: Int, _ bytes: Int) -> [UInt8] { little(number, bytes).reversed() }

    /// A header of a WAVE of 1,000 bytes a second.
    private static func wave(seconds: Int, format: Int = 1) -> [UInt8] {
        let fields = little(format, 2) + little(1, 2) + little(1_000, 4) + little(1_000, 4) + little(1, 2)
        let head = Array("RIFF".utf8) + little(0, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + fields + little(8, 2)
        return head + Array("data".utf8) + little(seconds * 1_000, 4) + [UInt8](repeating: 0, count: seconds * 1_000)
    }

    /// The header of an AIFF of 1,000 frames a second.
    private static func aiff(seconds: Int) -> [UInt8] {
        // 1,000 as a number of 80 bits.
        let rate: [UInt8] = [0x40, 0x08, 0xFA, 0, 0, 0, 0, 0, 0, 0]
        let common = big(1, 2) + big(seconds * 1_000, 4) + big(8, 2) + rate
        return Array("FORM".utf8) + big(0, 4) + Array("AIFFCOMM".utf8) + big(18, 4) + common
    }

    /// A CAF of 1,000 packets of a byte a second, whose data say how long they are, or do not.
    private static func coreAudio(seconds: Int, format: String = "lpcm", isOpen: Bool = false) -> [UInt8] {
        let rate = big(Int(bitPattern: UInt(1_000.0.bitPattern)), 8)
        let fields = rate + Array(format.utf8) + big(0, 4) + big(1, 4) + big(1, 4) + big(1, 4) + big(8, 4)
        let head = Array("caff".utf8) + [0, 1, 0, 0] + Array("desc".utf8) + big(32, 8) + fields
        let length = isOpen ? -1 : seconds * 1_000 + 4
        return head + Array("data".utf8) + big(length, 8) + [UInt8](repeating: 0, count: seconds * 1_000 + 4)
    }

    private func problem(_ name: String, isRingtone: Bool = false) throws -> String? {
        folder.makeFolder("A.appex")
        let plist = "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>a</string></dict></plist>"
        folder.write(Array(plist.utf8), to: "A.appex/Info.plist")
        folder.write(Array("#!/bin/sh".utf8), to: "A.appex/A")
        unsafe chmod("\(folder.path)/A.appex/A", 0o755)
        let check = NotificationSoundCheck(
            of: try ExtensionBundle(path: "\(folder.path)/A.appex"), state: "\(folder.path)/state")
        return check.problem(with: NotificationSound(name: name, isRingtone: isRingtone))
    }

    @Test("a WAVE, an AIFF and a CAF of 30 s are played, of 31 s not") func lengths() throws {
        let makers: [(String, (Int) -> [UInt8])] = [
            ("wav", { Self.wave(seconds: $0) }), ("aiff", { Self.aiff(seconds: $0) }),
            ("caf", { Self.coreAudio(seconds: $0) }), ("open.caf", { Self.coreAudio(seconds: $0, isOpen: true) }),
        ]
        for (ending, make) in makers {
            folder.makeFolder("A.appex")
            folder.write(make(30), to: "A.appex/short.\(ending)")
            folder.write(make(31), to: "A.appex/long.\(ending)")
            #expect(try problem("short.\(ending)") == nil)
            #expect(try problem("long.\(ending)") == "long.\(ending): 31.0 s, and iOS plays at most 30")
            #expect(try problem("long.\(ending)", isRingtone: true) == nil)
        }
        #expect(try problem("default") == nil)
    }

    @Test("what is no such type, and what is nowhere, is not played") func others() throws {
        folder.makeFolder("A.appex")
        folder.makeFolder("state/groups/group.a/Library/Sounds")
        let files: [(String, [UInt8])] = [
            ("mp3.caf", Array("ID3".utf8)), ("empty.wav", []), ("format.wav", Self.wave(seconds: 1, format: 0x55)),
            ("aac.caf", Self.coreAudio(seconds: 1, format: "aac ")),
            ("cut.wav", Array(Self.wave(seconds: 1).prefix(30))),
        ]
        for (name, bytes) in files {
            folder.write(bytes, to: "A.appex/\(name)")
            #expect(try problem(name) == "\(name): no CAF, AIFF or WAVE that iOS plays")
        }
        for name in ["nope.caf", "../A.appex/Info.plist", ""] { #expect(try problem(name) != nil, "\(name)") }
        folder.write(Self.wave(seconds: 1), to: "state/groups/group.a/Library/Sounds/group.wav")
        #expect(try problem("group.wav") == nil)
    }
}
