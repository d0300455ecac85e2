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

    @Test func aDateInTheFirstYearThatNoCalendarHasIsRefused() {
        // 1e12 s, and the next number up.
        let limit: [UInt8] = [0x42, 0x6D, 0x1A, 0x94, 0xA2, 0, 0, 0]
        #expect(code(Samples.binary([[0xD1, 1, 2], [0x51, 0x6B], [0x33] + limit])) == nil)
        #expect(code(Samples.binary([[0xD1, 1, 2], [0x51, 0x6B], [0x33] + limit.dropLast() + [1]])) == .badValue)
    }

    @Test func anObjectLiesBehindTheMarkAndBeforeTheTable() {
        // {"k": …}, with a table of single bytes: what is the value is found at `place`.
        func file(value reference: UInt8 = 2, at place: UInt8, unused: UInt8 = 0) -> [UInt8] {
            let number: (UInt8) -> [UInt8] = { Array(repeating: 0, count: 7) + [$0] }
            return Array("bplist00".utf8) + [0xD1, 1, reference, 0x51, 0x6B, 0x09] + [8, 11, place]
                + [unused, 0, 0, 0, 0, 0, 1, 1] + number(3) + number(0) + number(14)
        }
        #expect(code(file(at: 13)) == nil && code(file(at: 11)) == nil)
        // The mark's `b` would be a text, the table's first byte a truth value, what follows the table an offset.
        #expect(code(file(at: 0)) == .syntax && code(file(at: 14)) == .syntax)
        #expect(code(file(value: 3, at: 13, unused: 11)) == .syntax)
    }

    /// libplist 2.2.0 ends the process on such a key.
    @Test func textWithNULIsRefused() {
        let key: [UInt8] = [0x62, 0, 0x6B, 0, 0]
        #expect(code(Samples.binary([[0xD1, 1, 2], key, [0x09]])) == .syntax)
        #expect(code(Samples.binary([[0xD1, 1, 2], [0x51, 0x6B], key])) == .syntax)
        #expect(code(Samples.binary([[0xD1, 1, 2], [0x52, 0x6B, 0], [0x09]])) == .syntax)
        #expect(code(Samples.binary([[0xD1, 1, 2], [0x62, 1, 0, 0, 1], [0x09]])) == nil)
    }

    @Test(
        arguments: [
            ([0x10, 0xFF], .integer(255)), ([0x11, 0xFF, 0xFF], .integer(65_535)),
            ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], .integer(4_294_967_295)),
            ([0x13] + Array(repeating: 0xFF, count: 8), .integer(-1)),
            ([0x14] + Array(repeating: 0, count: 15) + [5], .integer(5)),
            ([0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8), .unsigned(.max)),
            ([0x14] + Array(repeating: 0xFF, count: 15) + [0xFB], .integer(-5)),
            ([0x22, 0x3F, 0xC0, 0, 0], .real(1.5)), ([0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], .real(1.5)),
            ([0x80, 7], .uid(7)), ([0x84, 0, 0xFF, 0xFF, 0xFF, 0xFF], .uid(0xFFFF_FFFF)),
            ([0x8F] + Array(repeating: 0, count: 15) + [7], .uid(7)), ([0x60], .string("")),
            ([0x64, 0xD8, 0x3D, 0xDD, 0x14, 0, 0x61, 0, 0x62], .string("\u{1F514}ab")),
            // Half of a pair of UTF-16, and what is neither ASCII nor UTF-8.
            ([0x62, 0xD8, 0x3D, 0, 0x61], .string("\u{FFFD}a")), ([0x52, 0xFF, 0x61], .string("\u{FFFD}a")),
            ([0x52, 0xC3, 0xA9], .string("\u{E9}")), ([0x4F, 0x10, 1, 0xAB], .data([0xAB])),
            ([0x4F, 0x10, 0], .data([])),
            ([0xC1, 1], .array([.string("k")])),
        ] as [([UInt8], PropertyListValue)])
    func everyWidthIsRead(object: [UInt8], expected: PropertyListValue) throws {
        #expect(
            try PropertyListDictionary.parse(Samples.binary([[0xD1, 1, 2], [0x51, 0x6B], object]))["k"] == expected)
    }

    @Test(
        arguments: [
            ([0x14, 0, 0, 0, 0, 0, 0, 0, 1] + Array(repeating: 0, count: 8), .badValue),
            ([0x14] + Array(repeating: 0xFF, count: 8) + Array(repeating: 0, count: 8), .badValue),
            ([0x15] + Array(repeating: 0, count: 32), .syntax), ([0x21, 0, 0], .syntax), ([0x00], .syntax),
            ([0x32, 0, 0, 0, 0], .syntax), ([0x84, 1, 0, 0, 0, 0], .syntax), ([0x13, 0], .syntax), ([0x70], .syntax),
            ([0xE0], .syntax), ([0x4F, 0x23, 0], .syntax), ([0x4F, 0x14], .syntax), ([0xA2, 1], .syntax),
            ([0xD1, 2, 1], .syntax),
        ] as [([UInt8], PropertyListError.Code)])
    func whatIsNoValueIsRefused(object: [UInt8], expected: PropertyListError.Code) {
        #expect(code(Samples.binary([[0xD1, 1, 2], [0x51, 0x6B], object])) == expected)
    }

    @Test("offsets and references have 1 to 8 bytes", arguments: 0...9)
    func everySizeIsRead(size: Int) {
        func reference(_ object: UInt8) -> [UInt8] { Array(repeating: 0, count: max(0, size - 1)) + [object] }
        let objects = [[0xD1] + reference(1) + reference(2), [0x51, 0x6B], [0x09]]
        let isSize = (1...8).contains(size)
        #expect(code(Samples.binary(objects, referenceSize: UInt8(size))) == (isSize ? nil : .syntax))
        let narrow: [[UInt8]] = [[0xD1, 1, 2], [0x51, 0x6B], [0x09]]
        #expect(code(Samples.binary(narrow, offsetSize: size)) == (isSize ? nil : .syntax))
    }

    @Test("no object begins in the table, whatever its bytes would say")
    func objectsInTheTable() {
        var file = Samples.binary([[0xD1, 1, 2], [0x51, 0x6B], [0x09]], offsetSize: 1)
        #expect(code(file) == nil && Array(file[14...16]) == [8, 11, 13])
        // The first byte of the table says where the first object is, and read as an object it is "false".
        file[16] = 14
        #expect(code(file) == .syntax)
        file[16] = 7
        #expect(code(file) == .syntax)
    }

    @Test func ofAKeyThatStandsTwiceTheLastValueCounts() throws {
        let file = Samples.binary([[0xD2, 1, 2, 3, 4], [0x51, 0x6B], [0x61, 0, 0x6B], [0x08], [0x09]])
        #expect(try PropertyListDictionary.parse(file) == ["k": .bool(true)])
    }

    @Test func theNumberOfValuesIsBoundedAndKeysAreNone() {
        // A dictionary of a dictionary of so many members, all of them one key and one value.
        func members(_ count: Int) -> [UInt8] {
            let size: [UInt8] = [0x11, UInt8(count >> 8), UInt8(count & 0xFF)]
            let references = Array(repeating: UInt8(1), count: count) + Array(repeating: 2, count: count)
            return Samples.binary([[0xD1, 1, 3], [0x51, 0x6B], [0x09], [0xDF] + size + references])
        }
        #expect(code(members(PropertyListLimits.valuesMax - 2)) == nil)
        #expect(code(members(PropertyListLimits.valuesMax - 1)) == .tooManyValues)
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

    @Test("shared text unfolds to four times what a file may have, keys counted, and no further")
    func unfoldedText() {
        func eightTimes(_ count: Int) -> [UInt8] {
            let size = [0x5F, 0x12] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
            let text = size + Array(repeating: 0x61, count: count)
            return Samples.binary([[0xD1, 1, 2], [0x51, 0x6B], [0xA8] + Array(repeating: 3, count: 8), text])
        }
        #expect(code(eightTimes(PropertyListLimits.bytesMax / 2 - 1)) == nil)
        #expect(code(eightTimes(PropertyListLimits.bytesMax / 2)) == .tooManyValues)
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
