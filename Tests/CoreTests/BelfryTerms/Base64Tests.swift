import BelfryTerms
import Testing

/// Base64, written and read.
@Suite struct Base64Tests {
    /// RFC 4648, section 10, and bytes of which the alphabets differ.
    private static let pairs: [(bytes: [UInt8], standard: String, url: String)] = [
        ([], "", ""),
        (Array("f".utf8), "Zg==", "Zg"),
        (Array("fo".utf8), "Zm8=", "Zm8"),
        (Array("foo".utf8), "Zm9v", "Zm9v"),
        (Array("foob".utf8), "Zm9vYg==", "Zm9vYg"),
        (Array("fooba".utf8), "Zm9vYmE=", "Zm9vYmE"),
        (Array("foobar".utf8), "Zm9vYmFy", "Zm9vYmFy"),
        ([0xFB, 0xFF, 0xBF], "+/+/", "-_-_"),
        ([0xFF, 0xFF, 0xFE], "///+", "___-"),
    ]

    private static func decoded(_ text: String, _ leniency: Base64.Leniency = []) -> [UInt8]? {
        Base64.decoded(Array(text.utf8).span, allowing: leniency)
    }

    @Test("bytes are written by both alphabets, and read as they were", arguments: pairs)
    func both(_ bytes: [UInt8], _ standard: String, _ url: String) {
        #expect(String(decoding: Base64.encoded(bytes.span), as: UTF8.self) == standard)
        #expect(String(decoding: Base64.encodedForURL(bytes.span), as: UTF8.self) == url)
        #expect(Self.decoded(standard) == bytes)
        #expect(Self.decoded(url, [.urlAlphabet, .unpadded]) == bytes)
        #expect(Self.decoded(standard, [.urlAlphabet, .unpadded]) == bytes)
    }

    @Test("every byte at every place is read as it was written")
    func allBytes() {
        for first in 0..<3 {
            let bytes = (0..<(256 + first)).map { UInt8(truncatingIfNeeded: $0 + first) }
            #expect(Base64.decoded(Base64.encoded(bytes.span).span) == bytes)
        }
    }

    @Test(
        "what is written otherwise is none, but to whom allows it",
        arguments: [
            ("-_-_", .urlAlphabet, [0xFB, 0xFF, 0xBF]),
            ("-/+_", .urlAlphabet, [0xFB, 0xFF, 0xBF]),
            (" Z\tg\r\n==\n", .whiteSpace, [0x66]),
            ("Zg= =", .whiteSpace, [0x66]),
            ("Zg", .unpadded, [0x66]),
            ("Zm8", .unpadded, [0x66, 0x6F]),
            ("Zh==", .leftoverBits, [0x66]),
            ("Zm9=", .leftoverBits, [0x66, 0x6F]),
            ("Zg=", .loosePadding, [0x66]),
            ("Zg==Zg==", .loosePadding, [0x66, 0x06, 0x60]),
            ("=Zm9v====Z", .loosePadding, [0x66, 0x6F, 0x6F]),
        ] as [(String, Base64.Leniency, [UInt8])])
    func allowed(_ text: String, _ leniency: Base64.Leniency, _ bytes: [UInt8]) {
        #expect(Self.decoded(text) == nil)
        #expect(Self.decoded(text, leniency) == bytes)
    }

    @Test(
        "what is no base64 is none however much is allowed",
        arguments: ["Z", "Zm9vZ", "Zg=", "Zg===", "=", "==", "====", "Zm9v=", "Zg==Zg==", "Z=g=", "Zm8=a"])
    func wrong(_ text: String) {
        #expect(Self.decoded(text, [.urlAlphabet, .whiteSpace, .unpadded, .leftoverBits]) == nil)
    }

    @Test("no other sign is passed over", arguments: ["Zm9v.", "Zm 9v\0", "Zm9v\u{0B}", "Zm9vÄ", "Zm9v,"])
    func signs(_ text: String) {
        let all: Base64.Leniency = [.urlAlphabet, .whiteSpace, .unpadded, .leftoverBits, .loosePadding]
        #expect(Self.decoded(text, all) == nil)
    }
}
