import BelfryTerms
import Testing

/// Numbers and texts that others wrote, and the digits that stand for a name.
@Suite struct ForeignValueTests {
    @Test("R18 a real becomes the nearest whole number there is, and no number becomes 0")
    func reals() {
        #expect(Int64(clampingReal: 2.9) == 2 && Int64(clampingReal: -2.9) == -2 && Int64(clampingReal: .nan) == 0)
        #expect(Int64(clampingReal: 0x1p63) == .max && Int64(clampingReal: .infinity) == .max)
        #expect(Int64(clampingReal: -0x1p63) == .min && Int64(clampingReal: -.infinity) == .min)
        #expect(Int64(clampingReal: (0x1p63).nextDown) == 0x7FFF_FFFF_FFFF_FC00)
        #expect(Int64(clampingReal: (-0x1p63).nextUp) == -0x7FFF_FFFF_FFFF_FC00)
    }

    @Test("texts are compared byte by byte, where Swift takes two spellings of a letter for one")
    func bytes() {
        #expect("Ren\u{E9}".hasBytes(of: "Ren\u{E9}") && "".hasBytes(of: ""))
        for other in ["Rene\u{301}", "Ren\u{E8}", "Ren", "Ren\u{E9}e", "ren\u{E9}", ""] {
            #expect(!"Ren\u{E9}".hasBytes(of: other), "\(other)")
        }
    }

    @Test(
        "a fingerprint is FNV-1a, with all its digits",
        arguments: [
            ("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8"),
            ("10", "07f89207b4ba08a4"),
        ])
    func fingerprints(text: String, digits: String) {
        #expect(Fingerprint.of(Array(text.utf8)) == digits && digits.utf8.count == Fingerprint.digitCount)
    }
}
