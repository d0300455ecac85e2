import BelfryPropertyList
import Testing

/// Reads `body` as the content of the outermost dictionary.
private func read(_ body: String) throws(PropertyListError) -> PropertyListDictionary {
    try PropertyListDictionary.parse(
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>\(body)</dict></plist>

            """.utf8))
}

private func code(_ bytes: [UInt8]) -> PropertyListError.Code? {
    do throws(PropertyListError) {
        _ = try PropertyListDictionary.parse(bytes)
        return nil
    } catch {
        return error.code
    }
}

@Suite struct XMLReadingTests {
    @Test(
        arguments: [
            ("<true/>", .bool(true)),
            ("<false></false>", .bool(false)),
            ("<integer>42</integer>", .integer(42)),
            ("<integer> -42\n</integer>", .integer(-42)),
            ("<integer>+7</integer>", .integer(7)),
            ("<integer>010</integer>", .integer(10)),
            ("<integer>0x1F</integer>", .integer(31)),
            ("<integer>0X1f</integer>", .integer(31)),
            ("<integer>-0x7fffFFFFffffABC9</integer>", .integer(-0x7FFF_FFFF_FFFF_ABC9)),
            ("<integer>9223372036854775807</integer>", .integer(.max)),
            ("<integer>-9223372036854775808</integer>", .integer(.min)),
            ("<integer>9223372036854775808</integer>", .unsigned(0x8000_0000_0000_0000)),
            ("<integer>18446744073709551615</integer>", .unsigned(.max)),
            ("<real>3</real>", .real(3)),
            ("<real>3.0</real>", .real(3)),
            ("<real>1e300</real>", .real(1e300)),
            ("<real>-infinity</real>", .real(-.infinity)),
            ("<string/>", .string("")),
            ("<string></string>", .string("")),
            ("<string> a\nb </string>", .string(" a\nb ")),
            ("<string>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F514;</string>", .string("<>&\"'A\u{1F514}")),
            ("<string>a<![CDATA[<b>&amp;]]>c<!-- no -->d</string>", .string("a<b>&amp;cd")),
            ("<string>\u{1}</string>", .string("\u{1}")),
            ("<string>é e\u{301}</string>", .string("é e\u{301}")),
            ("<data>\n\tAAEC\n\t/w==\n</data>", .data([0, 1, 2, 255])),
            ("<data/>", .data([])),
            ("<data>YQ==</data>", .data([0x61])),
            ("<data>YWI=</data>", .data([0x61, 0x62])),
            ("<date>2001-01-01T00:00:00Z</date>", .date(0)),
            ("<date>2026-11-20T16:19:00Z</date>", .date(816_884_340)),
            ("<date>4001-01-01T00:00:00Z</date>", .date(63_113_904_000)),
            ("<date>0001-01-01T00:00:00Z</date>", .date(-63_113_904_000)),
            ("<date>2001-01-01T00:00:00.5Z</date>", .date(0.5)),
            ("<date>2000-12-31T23:59:60Z</date>", .date(0)),
            ("<date>2001-01-01T23:59:60Z</date>", .date(86_400)),
            ("<array/>", .array([])),
            ("\t<array>\t<true/>\r\n<false/> \t</array>\r", .array([.bool(true), .bool(false)])),
            ("<array><true/><array></array><!-- x --></array>", .array([.bool(true), .array([])])),
            ("<dict/>", .dictionary([:])),
            (
                "<dict><key>a</key><dict><key></key><real>1</real></dict></dict>",
                .dictionary(["a": .dictionary(["": .real(1)])])
            ),
            ("<dict><key>CF$UID</key><integer>7</integer></dict>", .uid(7)),
            ("<dict><key>CF$UID</key><integer>-7</integer></dict>", .dictionary(["CF$UID": .integer(-7)])),
            (
                "<dict><key>CF$UID</key><integer>7</integer><key>a</key><true/></dict>",
                .dictionary(["CF$UID": .integer(7), "a": .bool(true)])
            ),
            ("<integer note='a > b'>1</integer >", .integer(1)),
        ] as [(String, PropertyListValue)])
    func everyTypeIsRead(text: String, expected: PropertyListValue) throws {
        #expect(try read("<key>k</key>\(text)")["k"] == expected)
    }

    @Test(
        arguments: [
            ("", .empty),
            (" \n", .empty),
            ("hello", .syntax),
            ("<?xml version=\"1.0\"?>", .empty),
            ("<plist/>", .syntax),
            ("<plist></plist>", .syntax),
            ("<plist version=\"1.0\"><dict>", .incomplete),
            ("<plist><dict></dict>", .incomplete),
            ("<plist><dict></dict></plist>x", .syntax),
            ("<plist><dict></dict><dict></dict></plist>", .syntax),
            ("<dict></dict>\u{0}", .syntax),
            ("<dict></array>", .syntax),
            ("<dict><true/></dict>", .syntax),
            ("<dict><key>a</key></dict>", .syntax),
            ("<dict><key>a</key><key>b</key><true/></dict>", .syntax),
            ("<dict><key>a</key><set/></dict>", .syntax),
            ("<dict><key>a</key><string>x</dict>", .syntax),
            ("<dict><key>a</key><string>x", .incomplete),
            ("<dict><key>a", .incomplete),
            ("<dict", .incomplete),
            ("<", .incomplete),
            ("<!-- a", .incomplete),
            ("<!DOCTYPE \"a", .incomplete),
            ("<dict><key>a</key><string>&unknown;</string></dict>", .syntax),
            ("<dict><key>a</key><string>&#0;</string></dict>", .syntax),
            ("<dict><key>a</key><string>&#xD800;</string></dict>", .syntax),
            ("<dict><key>a</key><string>&#+65;</string></dict>", .syntax),
            ("<dict><key>a</key><string>a & b</string></dict>", .syntax),
            ("<dict><key>a</key><integer></integer></dict>", .badValue),
            ("<dict><key>a</key><integer>--5</integer></dict>", .badValue),
            ("<dict><key>a</key><integer>5a</integer></dict>", .badValue),
            ("<dict><key>a</key><integer>1.0</integer></dict>", .badValue),
            ("<dict><key>a</key><integer>18446744073709551616</integer></dict>", .badValue),
            ("<dict><key>a</key><integer>-9223372036854775809</integer></dict>", .badValue),
            ("<dict><key>a</key><real>x</real></dict>", .badValue),
            ("<dict><key>a</key><date>yesterday</date></dict>", .badValue),
            ("<dict><key>a</key><true></false></dict>", .syntax),
            ("<dict <key>", .syntax),
            ("<dict><key>a</key><date>2026-13-20T16:19:00Z</date></dict>", .badValue),
            ("<dict><key>a</key><date>2026-12-20T24:00:00Z</date></dict>", .badValue),
            ("<dict><key>a</key><date>2026-12-20T00:00:61Z</date></dict>", .badValue),
            ("<dict><key>a</key><date>2001-01-01T00:00:00.99999999999999999999Z</date></dict>", .badValue),
            ("<dict><key>a</key><data>YQ=a</data></dict>", .badValue),
            ("<dict><key>a</key><data>Y</data></dict>", .badValue),
            ("<dict><key>a</key><data>Y!==</data></dict>", .badValue),
            ("<array/>", .rootNotDictionary),
            ("<string>a</string>", .rootNotDictionary),
        ] as [(String, PropertyListError.Code)])
    func everyOtherTextHasItsError(text: String, expected: PropertyListError.Code) {
        #expect(code(Array(text.utf8)) == expected)
    }

    @Test(
        "a date has each of its parts, and each within its bounds",
        arguments: [
            "2026-13-20T16:19:00Z", "2026-00-20T16:19:00Z", "2026-11-32T16:19:00Z", "2026-11-00T16:19:00Z",
            "2026-11-20T24:19:00Z", "2026-11-20T16:60:00Z", "2026-11-20T16:19:61Z", "2026-11-20T16:19:0:Z",
            "2026-11-20T16:19:0/Z", "--11-20T16:19:00Z", "-11-20T16:19:00Z", "1234567890-11-20T16:19:00Z",
            "2026-11-20T16:19:00", "2026-11-20T16:19:00.Z", "2026-11-20T16:19:00,5Z", "2026-11-20 16:19:00Z",
            "2026/11-20T16:19:00Z", "2026-11/20T16:19:00Z", "2026-11-20T16.19:00Z", "2026-11-20T16:19.00Z", "Z", "",
        ])
    func datesThatAreNone(text: String) {
        #expect(code(Array("<dict><key>a</key><date>\(text)</date></dict>".utf8)) == .badValue)
    }

    @Test func textThatIsNotUTF8IsSaid() {
        #expect(code(Array("<dict><key>a</key><string>".utf8) + [0xFF] + Array("</string></dict>".utf8)) == .notUTF8)
        #expect(code(Array("<dict><key>".utf8) + [0xC0, 0x80] + Array("</key><true/></dict>".utf8)) == .notUTF8)
    }

    @Test func aDocumentTypeOfItsOwnIsPassedOver() throws {
        let text = """
            <!DOCTYPE plist [ <!ENTITY a "]>"> <!-- ]> --> <!ELEMENT plist ANY> ]>
            <plist><dict><key>a</key><true/></dict></plist>
            """
        #expect(try PropertyListDictionary.parse(Array(text.utf8)) == ["a": .bool(true)])
    }

    @Test func ofAKeyThatStandsTwiceTheLastValueCounts() throws {
        #expect(try read("<key>a</key><integer>1</integer><key>a</key><integer>2</integer>") == ["a": .integer(2)])
    }

    @Test func keysKeepTheirOrderAndSpelling() throws {
        let dictionary = try read("<key>z</key><true/><key>\u{E9}</key><true/><key>e\u{301}</key><false/>")
        #expect(dictionary.count == 3)
        #expect(dictionary["\u{E9}"] == .bool(true))
        #expect(dictionary["e\u{301}"] == .bool(false))
        #expect(dictionary.keys.map { Array($0.utf8) } == ["z", "\u{E9}", "e\u{301}"].map { Array($0.utf8) })
    }

    @Test func depthIsBounded() {
        func nested(_ depth: Int) -> [UInt8] {
            let arrays = depth - 1
            return Array(
                ("<dict><key>a</key>" + String(repeating: "<array>", count: arrays)
                    + String(repeating: "</array>", count: arrays) + "</dict>").utf8)
        }
        #expect(code(nested(32)) == nil)
        #expect(code(nested(33)) == .tooDeep)
        #expect(code(nested(60_000)) == .tooDeep)
        #expect(code(Array(String(repeating: "<dict><key/>", count: 60_000).utf8)) == .tooDeep)
    }

    @Test func theNumberOfValuesIsBounded() {
        func list(_ count: Int) -> [UInt8] {
            Array(("<dict><key/><array>" + String(repeating: "<true/>", count: count) + "</array></dict>").utf8)
        }
        #expect(code(list(PropertyListLimits.valuesMax - 2)) == nil)
        #expect(code(list(PropertyListLimits.valuesMax - 1)) == .tooManyValues)
    }

    @Test func theSizeIsBounded() {
        let text = Array("<dict></dict>".utf8)
        let space = Array(repeating: UInt8(ascii: " "), count: PropertyListLimits.bytesMax - text.count)
        #expect(code(space + text) == nil)
        #expect(code(space + [0x20] + text) == .tooLarge)
    }

    /// libplist 2.2.0 moves the rest of the text for every entity; this is some seconds of it.
    @Test func entitiesCostNoMoreThanOtherText() throws {
        let text = String(repeating: "&lt;", count: 250_000)
        #expect(try read("<key>a</key><string>\(text)</string>")["a"]?.stringValue?.utf8.count == 250_000)
    }
}
