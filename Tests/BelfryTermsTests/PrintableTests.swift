import BelfryTerms
import Testing

/// Text from outside, made fit for a screen: S3.
@Suite struct PrintableTests {
    @Test(
        "S3 plain text of any language stays as it is",
        arguments: ["", "Anna", "Grüße, Ω, 日本語", "👩‍👩‍👧", "cafe\u{301}", "a\\b"])
    func plain(text: String) {
        #expect(Printable.escaped(text).utf8.elementsEqual(text.utf8))
    }

    @Test("S3 control characters, line separators and direction controls are spelled out, also inside a cluster")
    func escaped() {
        #expect(Printable.escaped("a\u{1b}[2Jb") == "a\\u{1b}[2Jb")
        #expect(Printable.escaped("one\r\ntwo\tthree\u{0}") == "one\\u{d}\\u{a}two\\u{9}three\\u{0}")
        #expect(Printable.escaped("\u{7f}\u{80}\u{9b}\u{9f}\u{a0}") == "\\u{7f}\\u{80}\\u{9b}\\u{9f}\u{a0}")
    }

    @Test("S3 nothing that moves a cursor, starts a line or turns text around is left")
    func nothingLeft() {
        let hostile: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F, 0x061C...0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
        ]
        for value in hostile.joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = Printable.escaped("a\(Character(scalar))\u{301}b")
            let spelled = "a\\u{" + String(value, radix: 16) + "}\u{301}b"
            #expect(text.utf8.elementsEqual(spelled.utf8), "\(value)")
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
