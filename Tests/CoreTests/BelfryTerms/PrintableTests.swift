import BelfryTerms
import Testing

/// Text from outside, made fit for a screen: S3.
@Suite struct PrintableTests {
    @Test(
        "S3 plain text of any language stays as it is",
        arguments: [
            "", "Anna", "Grüße, Ω, 日本語", "👩‍👩‍👧", "❤️‍🔥", "می\u{200C}خواهم", "क्\u{200D}ष", "cafe\u{301}",
            "a\\b",
        ])
    func plain(text: String) {
        #expect(Printable.escaped(text).utf8.elementsEqual(text.utf8))
    }

    @Test("S3 control characters, line separators and direction controls are spelled out, also inside a cluster")
    func escaped() {
        #expect(Printable.escaped("a\u{1b}[2Jb") == "a\\u{1b}[2Jb")
        #expect(Printable.escaped("one\r\ntwo\tthree\u{0}") == "one\\u{d}\\u{a}two\\u{9}three\\u{0}")
        #expect(Printable.escaped("\u{7f}\u{80}\u{9b}\u{9f}\u{a0}") == "\\u{7f}\\u{80}\\u{9b}\\u{9f}\u{a0}")
    }

    @Test("S3 nothing that moves a cursor, starts a line, turns text around or hides in it is left")
    func nothingLeft() throws {
        let hostile: [ClosedRange<UInt32>] =
            [
                0...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x061C...0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
                0xFDD0...0xFDEF, 0xFEFF...0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F,
            ] + (0...16).map { plane in plane << 16 | 0xFFFE...plane << 16 | 0xFFFF }
        for value in hostile.joined() {
            let scalar = try #require(Unicode.Scalar(value))
            let text = Printable.escaped("a\(Character(scalar))\u{301}b")
            let spelled = "a\\u{" + String(value, radix: 16) + "}\u{301}b"
            #expect(text.utf8.elementsEqual(spelled.utf8), "\(value)")
        }
    }

    @Test("S3 a joiner stays only between two characters that it joins")
    func joiners() {
        #expect(Printable.escaped("\u{200D}👧 a\u{200C}b 👧\u{200D}") == "\\u{200d}👧 a\\u{200c}b 👧\\u{200d}")
        #expect(Printable.escaped("👧\u{200D}\u{200D}👧") == "👧\\u{200d}\\u{200d}👧")
        #expect(Printable.excerpt(of: "👩‍👧", charactersMax: 2) == "👩\u{200D}…")
    }

    @Test("S3 what joiners join are letters from Arabic to Sinhala, and what emoji are made of")
    func joined() throws {
        for value: UInt32 in [0x0620, 0x0DFF, 0x2190, 0x2BFF, 0xFE0F, 0x1F000, 0x1FAFF] {
            let scalar = try #require(Unicode.Scalar(value))
            for text in ["\(scalar)\u{200D}👧", "👧\u{200C}\(scalar)"] {
                #expect(Printable.escaped(text).utf8.elementsEqual(text.utf8), "\(value)")
            }
        }
        for value: UInt32 in [0x061F, 0x0E00, 0x218F, 0x2C00, 0xFE10, 0x1EFFF, 0x1FB00] {
            let scalar = try #require(Unicode.Scalar(value))
            #expect(Printable.escaped("\(scalar)\u{200D}👧").contains("\\u{200d}"), "\(value)")
        }
    }

    @Test("S3 an excerpt is escaped the same way, and says that it was cut")
    func excerpts() {
        #expect(Printable.excerpt(of: "Grüße, 👩‍👩‍👧\u{1b}\u{202e}") == "Grüße, 👩‍👩‍👧\\u{1b}\\u{202e}")
        #expect(Printable.excerpt(of: String(repeating: "\u{1b}", count: 65), charactersMax: 2) == "\\u{1b}\\u{1b}…")
        #expect(Printable.excerpt(of: String(repeating: "a", count: 64)).utf8.count == 64)
        #expect(Printable.excerpt(of: String(repeating: "a", count: 65)) == String(repeating: "a", count: 64) + "…")
        #expect(Printable.excerpt(of: "") == "")
    }
}
