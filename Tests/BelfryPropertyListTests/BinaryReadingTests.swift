import BelfryPropertyList
import Testing

@Suite struct BinaryReadingTests {
    private func code(_ bytes: [UInt8]) -> PropertyListError.Code? {
        do throws(PropertyListError) {
            _ = try PropertyListDictionary.parse(bytes)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func everyTypeThatPythonWritesIsRead() throws {
        let expected: PropertyListDictionary = [
            "bool": .bool(true), "no": .bool(false), "neg": .integer(-5), "min": .integer(.min), "max": .integer(.max),
            "big": .unsigned(.max), "real": .real(3), "frac": .real(0.1), "date": .date(816_884_340),
            "far": .date(63_113_904_000), "old": .date(-63_113_904_000), "data": .data([0, 1, 2, 255]), "uid": .uid(7),
            "text": .string("hé \u{1F514}"), "ascii": .string("plain"), "empty": .string(""),
            "arr": .array([.integer(1), .array([.integer(2), .dictionary(["x": .data([])])])]),
            "dict": .dictionary([:]),
        ]
        let read = try PropertyListDictionary.parse(Samples.everyType)
        #expect(read == expected)
        #expect(try PropertyListDictionary.parse(read.serializedXML()) == expected)
    }

    @Test func aFractionOfASecondIsRead() throws {
        // {"k": date}, the date 1.5 s after 2001.
        let file = Samples.binary([[0xD1, 1, 2], [0x51, 0x6B], [0x33, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0]])
        #expect(try PropertyListDictionary.parse(file) == ["k": .date(1.5)])
    }

    @Test(
        arguments: [
            // Not a number, infinite, and the year nine million.
            [0x7F, 0xF8, 0, 0, 0, 0, 0, 0], [0x7F, 0xF0, 0, 0, 0, 0, 0, 0], [0x42, 0xF0, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]])
    func aDateThatIsNoneIsRefused(bits: [UInt8]) {
        #expect(code(Samples.binary([[0xD1, 1, 2], [0x51, 0x6B], [0x33] + bits])) == .badValue)
    }

    /// libplist 2.2.0 ends the process on such a key.
    @Test func textWithNULIsRefused() {
        let key: [UInt8] = [0x62, 0, 0x6B, 0, 0]
        #expect(code(Samples.binary([[0xD1, 1, 2], key, [0x09]])) == .syntax)
        #expect(code(Samples.binary([[0xD1, 1, 2], [0x51, 0x6B], key])) == .syntax)
        #expect(code(Samples.binary([[0xD1, 1, 2], [0x52, 0x6B, 0], [0x09]])) == .syntax)
        #expect(code(Samples.binary([[0xD1, 1, 2], [0x62, 1, 0, 0, 1], [0x09]])) == nil)
    }

    @Test func sharedArraysDoNotUnfold() {
        #expect(code(Samples.billionLaughs) == .tooManyValues || code(Samples.billionLaughs) == .tooDeep)
        // 25 deep is below the limit of depth, and 2 to the 25th values are not below theirs.
        let arrays: [[UInt8]] = (2...26).map { [0xA2, $0 + 1, $0 + 1] }
        #expect(code(Samples.binary([[0xD1, 1, 2], [0x51, 0x6B]] + arrays + [[0x51, 0x61]])) == .tooManyValues)
    }

    @Test func sharedTextDoesNotUnfold() {
        // A thousand references to one text of 60,000 bytes.
        let text: [UInt8] = [0x5F, 0x11, 0xEA, 0x60] + Array(repeating: 0x61, count: 60_000)
        let array: [UInt8] = [0xAF, 0x11, 0x03, 0xE8] + Array(repeating: 3, count: 1000)
        #expect(code(Samples.binary([[0xD1, 1, 2], [0x51, 0x6B], array, text])) == .tooManyValues)
    }

    @Test func anArrayInItselfIsRefused() {
        #expect(code(Samples.binary([[0xD1, 1, 2], [0x51, 0x6B], [0xA1, 2]])) == .tooDeep)
    }

    @Test func depthIsBounded() {
        func nested(_ depth: UInt8) -> [UInt8] {
            Samples.binary([[0xD1, 1, 2], [0x51, 0x6B]] + (2...depth).map { [0xA1, $0 + 1] } + [[0x08]])
        }
        #expect(code(nested(32)) == nil)
        #expect(code(nested(33)) == .tooDeep)
    }

    @Test func everyCutIsAnError() {
        for count in 6..<Samples.everyType.count {
            #expect(code(Array(Samples.everyType.prefix(count))) != nil)
        }
    }

    @Test(arguments: [
        Array("bplist00".utf8), Array("bplist15".utf8) + Array(repeating: 0, count: 64),
        Array("bplist00".utf8) + Array(repeating: 0xFF, count: 64), Samples.binary([[0xA0]]),
        Samples.binary([[0xD1, 9, 9]]),
        Samples.binary([[0xDF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]), Samples.binary([[0x00]]),
    ])
    func nothingElseIsRead(bytes: [UInt8]) {
        #expect(code(bytes) != nil)
    }
}
