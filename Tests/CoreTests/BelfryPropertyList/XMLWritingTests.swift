import BelfryPropertyList
import Testing

@Suite struct XMLWritingTests {
    private func roundTrip(_ dictionary: PropertyListDictionary) throws -> PropertyListDictionary {
        try PropertyListDictionary.parse(dictionary.serializedXML())
    }

    @Test func theTextIsWhatOthersRead() {
        let dictionary: PropertyListDictionary = [
            "a<": .string("b&\"c\""), "n": .integer(-5), "r": .real(3),
            "l": .array([.bool(true), .data([0, 1, 2, 255])]),
            "d": .date(0), "u": .uid(7), "e": .dictionary([:]),
        ]
        #expect(
            String(decoding: dictionary.serializedXML(), as: UTF8.self) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                <key>a&lt;</key><string>b&amp;"c"</string>
                <key>n</key><integer>-5</integer>
                <key>r</key><real>3.0</real>
                <key>l</key><array>
                <true/>
                <data>AAEC/w==</data>
                </array>
                <key>d</key><date>2001-01-01T00:00:00Z</date>
                <key>u</key><dict><key>CF$UID</key><integer>7</integer></dict>
                <key>e</key><dict>
                </dict>
                </dict>
                </plist>

                """)
    }

    @Test(
        arguments: [
            .bool(true), .bool(false), .integer(0), .integer(.min), .integer(.max), .unsigned(.max),
            .unsigned(0x8000_0000_0000_0000), .real(3), .real(-0.0), .real(0.1), .real(1e300),
            .real(.leastNonzeroMagnitude),
            .real(.infinity), .real(-.infinity), .real(.nan), .string(""), .string(" \n\t\r\r\n "),
            .string("]]>&lt;<!--"),
            .string("\u{E9} e\u{301} \u{1F514} \u{7F}\u{85}\u{2028}\u{FFFD}"), .date(0), .date(-1), .date(816_884_340),
            .date(63_113_904_000), .date(-63_113_904_000), .date(-86_400), .data([]), .data([1]), .data([1, 2]),
            .data([1, 2, 3]), .data(Array(0...255)), .uid(0), .uid(0xFFFF_FFFF), .array([]),
            .array([.array([.array([.string("x")])])]), .dictionary([:]),
            .dictionary(["": .dictionary(["k": .bool(true)])]),
        ] as [PropertyListValue])
    func everyValueSurvivesWithItsType(value: PropertyListValue) throws {
        #expect(try roundTrip(["key": value]) == ["key": value])
    }

    @Test(arguments: [
        ("a\u{0}b\u{1}\u{8}\u{B}\u{C}\u{E}\u{1F}c", "a\u{FFFD}b\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}c"),
        ("\u{FFFE}x\u{FFFF}", "\u{FFFD}x\u{FFFD}"),
        ("\u{FFFD}\u{FFFC}", "\u{FFFD}\u{FFFC}"),
    ])
    func whatXMLCannotCarryIsReplacedInValuesAndKeys(text: String, expected: String) throws {
        #expect(try roundTrip([text: .string(text)]) == [expected: .string(expected)])
    }

    @Test(
        arguments: [
            (1.75, 1.0), (-0.5, -1), (1e300, 252_423_993_599), (-1e300, -63_113_904_000),
            (Double.infinity, 252_423_993_599), (Double.nan, 0),
        ] as [(Double, Double)])
    func datesAreKeptWithinWhatXMLCanSay(seconds: Double, expected: Double) throws {
        #expect(try roundTrip(["d": .date(seconds)]) == ["d": .date(expected)])
    }

    @Test func theDaysOfFourCenturiesAreTheirOwnInverse() throws {
        // Every day at noon, of which 1999, 2000 and 2100 are the ones that reckoners get wrong.
        let days = stride(from: -80_000, to: 80_000, by: 7)
        let dates = PropertyListValue.array(days.map { .date(Double($0) * 86_400 + 43_200) })
        #expect(try roundTrip(["d": dates]) == ["d": dates])
    }

    @Test func aThousandCallsFitTheLimits() throws {
        var calls = PropertyListDictionary()
        for number in 0..<1000 {
            calls["f81d4fae-7dec-11d0-a765-00a0c91e\(1000 + number)"] = .dictionary(Self.call)
        }
        let bytes = (["calls": .dictionary(calls)] as PropertyListDictionary).serializedXML()
        #expect(bytes.count <= PropertyListLimits.bytesMax)
        #expect(try PropertyListDictionary.parse(bytes) == ["calls": .dictionary(calls)])
    }

    private static let call: PropertyListDictionary = [
        "state": .string("ringing"), "name": .string("Ада Лавлейс из бухгалтерии"),
        "handle": .string("sip:ada.lovelace@voice.example.com"), "video": .bool(false),
        "started": .integer(1_795_190_000),
        "ended": .integer(1_795_190_030), "until": .integer(123_456_789_012),
        "bootId": .string("0123456789abcdef0123456789abcdef"),
        "pid": .integer(4_194_303), "pidStart": .integer(123_456_789), "reason": .string("answered-elsewhere"),
        "sentAt": .real(1_795_189_999.5), "note": .string("x"), "mode": .string("loud"),
    ]

    @Test("two keys that differ in what XML cannot carry become one, with the later value")
    func keysThatBecomeOne() throws {
        let root: PropertyListDictionary = [
            "a\u{1}": .integer(1), "b": .integer(2),
            "a\u{FFFF}": .dictionary(["\u{2}": .bool(true), "\u{3}": .bool(false)]),
        ]
        let text = root.serializedXML()
        let again = try PropertyListDictionary.parse(text)
        #expect(again == ["a\u{FFFD}": .dictionary(["\u{FFFD}": .bool(false)]), "b": .integer(2)])
        #expect(again.serializedXML() == text)
    }
}
