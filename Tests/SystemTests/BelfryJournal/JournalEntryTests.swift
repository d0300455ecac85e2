@testable import BelfryJournal
import Testing

@Suite struct JournalEntryTests {
    @Test func anEntryIsFramedAsTheNativeProtocolHasIt() {
        let entry = JournalEntry(
            message: "it rings", priority: .notice, fields: [.init("BELFRY_CALL", "a=b"), .init("BELFRY_X", "1\n2")])
        let expected = """
            MESSAGE=it rings
            PRIORITY=5
            SYSLOG_IDENTIFIER=belfry-worker
            BELFRY_CALL=a=b
            BELFRY_X
            \u{3}\0\0\0\0\0\0\u{0}1
            2

            """
        #expect(entry.datagram(identifier: "belfry-worker", lost: 0) == Array(expected.utf8))
    }

    @Test func anEntryTellsHowManyWereLostBeforeIt() throws {
        let entry = JournalEntry(message: "it rings", priority: .info, fields: [])
        let text = String(decoding: entry.datagram(identifier: "x", lost: 3), as: UTF8.self)
        #expect(text.contains("MESSAGE=it rings (3 entries before this were lost)\n"))
        #expect(text.hasSuffix("BELFRY_LOST=3\n"))
    }

    @Test func aLongValueIsCutAtACharacter() {
        let long = JournalEntry.Field("X", "x" + String(repeating: "é", count: JournalEntry.valueBytesMax))
        #expect(long.value.count <= JournalEntry.valueBytesMax && long.value.count > JournalEntry.valueBytesMax - 4)
        let text = String(validating: long.value, as: UTF8.self)
        #expect(text?.hasSuffix("é…") == true)
        let exact = JournalEntry.Field("X", String(repeating: "x", count: JournalEntry.valueBytesMax))
        #expect(exact.value.count == JournalEntry.valueBytesMax && exact.value.last == UInt8(ascii: "x"))
    }

    @Test(arguments: ["", "_X", "belfry", "X-Y", "X=", "9X"])
    func aWrongFieldNameIsADefect(name: String) async {
        #expect(JournalEntryTests.isName("BELFRY_CALL") && !JournalEntryTests.isName(name))
    }

    static func isName(_ name: String) -> Bool { JournalEntry.Field.isName(name) }

    @Test func aFieldsNameHasSixtyFourBytesAtMostDigitsAmongThem() {
        #expect(JournalEntryTests.isName("A0123456789_Z"))
        #expect(JournalEntryTests.isName(String(repeating: "X", count: 64)))
        #expect(!JournalEntryTests.isName(String(repeating: "X", count: 65)))
    }

    @Test func theLengthOfAValueWithLinesIsOfSixtyFourBits() {
        let value = "\n" + String(repeating: "x", count: 2_047)
        let entry = JournalEntry(message: "m", priority: .info, fields: [.init("X", value)])
        let framed = Array("X\n".utf8) + [0x00, 0x08, 0, 0, 0, 0, 0, 0] + Array("\(value)\n".utf8)
        #expect(entry.datagram(identifier: "i", lost: 0).suffix(framed.count).elementsEqual(framed))
        #expect(JournalEntry.Field("X", value + "y").value.count <= 2_048)
    }
}
