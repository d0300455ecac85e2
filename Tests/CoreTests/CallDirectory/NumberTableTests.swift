import CallDirectory
import Support
import Testing

/// A table as bytes.
@Suite struct NumberTableTests {
    /// A file with these entries, in ascending order.
    private static func file(_ entries: [NumberEntry]) -> [UInt8] {
        var (rows, labels, header): ([UInt8], [UInt8], NumberTableHeader) = ([], [], NumberTableHeader())
        for entry in entries {
            let place = entry.label.map { _ in labels.count }
            if let label = entry.label?.utf8 {
                labels += [UInt8(truncatingIfNeeded: label.count), UInt8(truncatingIfNeeded: label.count >> 8)] + label
            }
            let row = NumberRow(entry.number, isBlocked: entry.isBlocked, labelPlace: place)
            rows += (0..<8).map { UInt8(truncatingIfNeeded: row.number >> (8 * $0)) }
            rows += (0..<4).map { UInt8(truncatingIfNeeded: row.meaning >> (8 * $0)) }
        }
        (header.rows, header.labelBytes) = (entries.count, labels.count)
        return header.bytes + rows + labels
    }

    private static func entry(of number: Int64, in file: [UInt8]) -> NumberEntry? {
        let table = NumberTable(beginning: file.prefix(NumberTableHeader.bytesCount), fileBytes: file.count)
        let read = { (offset: Int, count: Int) in
            Array(file[min(offset, file.count)..<min(offset + count, file.count)])
        }
        let row = { NumberRow(read(NumberTable.offset(ofRow: $0), NumberRow.bytesCount)) }
        let found = table?.row(of: number, row: row) { first, count in (first..<first + count).compactMap(row) }
        return found.flatMap { table?.entry(of: $0, read: read) }
    }

    private static let entries = [
        NumberEntry(.min, isBlocked: true), NumberEntry(-1, label: "less"), NumberEntry(0, label: ""),
        NumberEntry(14_085_555_555, isBlocked: true, label: "Bank ☏"), NumberEntry(.max, label: "most"),
    ]

    @Test("each number is found with what it means, and no other")
    func found() {
        for count in 0...Self.entries.count {
            let file = Self.file(Array(Self.entries.prefix(count)))
            for (index, entry) in Self.entries.enumerated() {
                #expect(Self.entry(of: entry.number, in: file) == (index < count ? entry : nil))
            }
            for number in [1, -2, .min + 1, .max - 1] as [Int64] { #expect(Self.entry(of: number, in: file) == nil) }
        }
    }

    @Test(
        "a number among many is found by few reads, and what lies between is not",
        arguments: [63, 64, 65, 66, 128, 129, 130, 1_000])
    func halves(count: Int) throws {
        var header = NumberTableHeader()
        header.rows = count
        let table = try #require(NumberTable(beginning: header.bytes, fileBytes: header.fileBytes))
        var reads = 0
        func find(_ number: Int64) -> NumberRow? {
            reads = 0
            func row(_ index: Int) -> NumberRow? {
                reads += 1
                guard (0..<count).contains(index) else {
                    Issue.record("row \(index) of \(count)")
                    return nil
                }
                return NumberRow(Int64(index) * 2, isBlocked: index.isMultiple(of: 3), labelPlace: nil)
            }
            return table.row(of: number, row: row) { first, count in
                #expect(count <= 64)
                let rows = (first..<first + count).compactMap(row)
                reads -= count - 1
                return rows
            }
        }
        for index in 0..<count {
            let found = try #require(find(Int64(index) * 2), "\(index)")
            #expect(found.number == Int64(index) * 2 && found.isBlocked == index.isMultiple(of: 3))
            #expect(reads <= 5)
            #expect(find(Int64(index) * 2 - 1) == nil && reads <= 5)
        }
        #expect(find(Int64(count) * 2) == nil && find(.max) == nil && find(.min) == nil)
    }

    @Test("a label that does not lie whole among the labels is none", arguments: 0...8)
    func labelsEnd(place: Int) throws {
        var header = NumberTableHeader()
        (header.rows, header.labelBytes) = (1, 6)
        let table = try #require(NumberTable(beginning: header.bytes, fileBytes: header.fileBytes))
        for length in 0...6 {
            let row = NumberRow(1, isBlocked: false, labelPlace: place)
            let label = table.label(of: row) { (offset: Int, count: Int) in
                let first = offset - header.labelsOffset
                #expect(first >= 0 && first + count <= 6)
                return count == 2 && first == place ? [UInt8(length), 0] : [UInt8](repeating: 0x61, count: count)
            }
            #expect(label?.count == (place + 2 + length <= 6 ? length : nil))
        }
    }

    @Test("a row is twelve bytes, and no fewer")
    func rows() {
        let row = NumberRow(-2, isBlocked: true, labelPlace: 258)
        let bytes: [UInt8] = [0xFE] + [UInt8](repeating: 0xFF, count: 7) + [3, 1, 0, 0x80]
        #expect(NumberRow(bytes) == row && NumberRow(bytes + [9]) == row && NumberRow(bytes.dropLast()) == nil)
        #expect(row.isBlocked && row.labelPlace == 258)
        let plain = NumberRow(1, isBlocked: false, labelPlace: nil)
        #expect(
            plain.meaning == 0 && plain.labelPlace == nil
                && NumberRow(1, isBlocked: true, labelPlace: nil).labelPlace == nil)
    }

    @Test("what people could not see in a label is written out")
    func printable() {
        let file = Self.file([NumberEntry(1, label: "a\n\u{202E}b")])
        #expect(Self.entry(of: 1, in: file)?.label == "a\\u{a}\\u{202e}b")
    }

    @Test("a file that is cut anywhere, or longer, is none; so is one of which any byte of the header is another")
    func none() {
        let file = Self.file(Self.entries)
        for count in 0..<file.count {
            #expect(NumberTable(beginning: file.prefix(min(64, count)), fileBytes: count) == nil, "\(count)")
        }
        #expect(NumberTable(beginning: file.prefix(64), fileBytes: file.count + 1) == nil)
        for place in 0..<64 {
            var file = file
            file[place] ^= 0x10
            #expect(NumberTable(beginning: file.prefix(64), fileBytes: file.count) == nil, "\(place)")
        }
    }

    @Test("rows and labels may say anything: an entry or none", arguments: 0..<200)
    func garbage(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var file = Self.file(Self.entries)
        for place in 64..<file.count where random.oneIn(3) { file[place] = UInt8.random(in: 0...255, using: &random) }
        for entry in Self.entries { _ = Self.entry(of: entry.number, in: file) }
    }

    @Test("counts beyond what there is are no table's, whatever their checksum")
    func lies() {
        var header = NumberTableHeader()
        header.rows = .max >> 5
        #expect(NumberTableHeader(header.bytes) == nil)
        (header.rows, header.labelBytes) = (1, 5)
        #expect(NumberTableHeader(header.bytes) == header)
        header.addedLabelBytes = 6
        #expect(NumberTableHeader(header.bytes) == nil)
    }

    @Test("a checksum is of the bytes, however they come")
    func checksum() {
        let bytes = (0..<100).map { UInt8($0) }
        var whole = Checksum()
        whole.add(bytes[...])
        var random = SeededRandom(seed: 1)
        for _ in 0..<50 {
            var (parts, rest) = (Checksum(), bytes[...])
            while !rest.isEmpty {
                let part = rest.prefix(Int.random(in: 0...20, using: &random))
                parts.add(part)
                rest = rest.dropFirst(part.count)
            }
            #expect(parts.value == whole.value)
        }
        var other = Checksum()
        other.add(bytes.dropLast() + [0])
        #expect(other.value != whole.value)
    }
}
