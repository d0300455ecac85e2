// Tables and lists of numbers, and numbers as people write them. A trap is a finding, and so is an entry of another
// number.
import BelfryTerms
import CallDirectory
import DirectoryLoading

func feedNumberTable(_ bytes: [UInt8]) {
    // The header's checksum hides all else from chance.
    var bytes = bytes
    if let header = NumberTableHeader(bytes.prefix(NumberTableHeader.bytesCount)) {
        var whole = header
        whole.rows %= 64
        bytes.replaceSubrange(..<NumberTableHeader.bytesCount, with: whole.bytes)
    }
    let beginning = bytes.prefix(NumberTableHeader.bytesCount)
    guard let table = NumberTable(beginning: beginning, fileBytes: bytes.count) else { return }
    for number in [0, 1, 14_085_555_555, .min, .max] as [Int64] {
        let read = { (offset: Int, count: Int) in
            Array(bytes[min(offset, bytes.count)..<min(offset + count, bytes.count)])
        }
        let row = { NumberRow(read(NumberTable.offset(ofRow: $0), NumberRow.bytesCount)) }
        let found = table.row(of: number, row: row) { first, count in (first..<first + count).compactMap(row) }
        let entry = found.map { table.entry(of: $0, read: read) }
        precondition(entry.map { $0.number == number } ?? true, "another number's entry")
    }
}

func feedDialledNumber(_ bytes: [UInt8]) {
    let handle = String(decoding: bytes, as: UTF8.self)
    for plan in [
        DialingPlan(), DialingPlan(countryCode: "49", trunkPrefix: "0", internationalPrefix: "00"),
        DialingPlan(countryCode: "1", trunkPrefix: "none", internationalPrefix: "011"),
    ] {
        guard let number = plan.number(of: handle) else { continue }
        precondition(number > 0 && plan.number(of: "+\(number)") == number, "a number is not its own")
    }
}

/// What the loader says, which is read as it was written.
func feedLoadNews(_ bytes: [UInt8]) {
    guard let news = LoadNews(line: bytes), case .over(let outcome) = news else { return }
    precondition(LoadNews(line: news.line) == news || outcome.elapsed != .zero, "an outcome is not read")
}

/// Comma-separated values: read in pieces they say what they say as a whole.
func feedDirectoryCSV(_ bytes: [UInt8]) {
    guard let size = bytes.first.map({ Int($0) + 1 }) else { return }
    let file = Array(bytes.dropFirst())
    precondition(said(by: file, inPiecesOf: size) == said(by: file, inPiecesOf: max(1, file.count)), "pieces differ")
}

private func said(by file: [UInt8], inPiecesOf size: Int) -> [String] {
    var reader = DirectoryCSVReader()
    var said: [String] = []
    for start in stride(from: 0, to: file.count, by: size) {
        reader.read(Array(file[start..<min(start + size, file.count)])) { said.append("\($0) \($1)") }
    }
    reader.end { said.append("\($0) \($1)") }
    return said
}
