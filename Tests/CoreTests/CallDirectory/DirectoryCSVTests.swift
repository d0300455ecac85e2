import CallDirectory
import Testing

@Suite struct DirectoryCSVTests {
    /// What a file says, read in pieces of `size` bytes: a line each, faults with an exclamation mark.
    private func read(_ text: String, size: Int = 64 << 10) -> [String] { read(Array(text.utf8), size: size) }

    private func read(_ bytes: [UInt8], size: Int = 64 << 10) -> [String] {
        var reader = DirectoryCSVReader()
        var said: [String] = []
        func say(_ line: Int, _ result: Result<DirectoryCSV.Row, DirectoryCSV.Fault>) {
            switch result {
            case .success(let row):
                let blocked = row.isBlocked.map { $0 ? "yes" : "no" } ?? "?"
                said.append("\(line) \(row.number) \(row.label ?? "-") \(blocked)")
            case .failure(let fault): said.append("\(line) ! \(fault)")
            }
        }
        for start in stride(from: 0, to: bytes.count, by: size) {
            reader.read(Array(bytes[start..<min(start + size, bytes.count)]), say)
        }
        reader.end(say)
        return said
    }

    @Test("commas, semicolons and tabs part fields, whichever comes first") func separators() {
        #expect(read("+1,Ada,yes\n+2,\"B;C\",no\n") == ["1 +1 Ada yes", "2 +2 B;C no"])
        #expect(read("+1;Ada, Dr.;yes\r\n+2;;block\r\n") == ["1 +1 Ada, Dr. yes", "2 +2 - yes"])
        #expect(read("+1\tAda\n+2\t\"B\tC\"") == ["1 +1 Ada ?", "2 +2 B\tC ?"])
        #expect(read("+1\n+2,B") == ["1 +1 - ?", "2 +2 B ?"])
        #expect(read("\"+1;2\";A\n+2;B") == ["1 +1;2 A ?", "2 +2 B ?"])
    }

    @Test("a header names the columns, in any order and among others") func heading() {
        #expect(read("Blocked;x;NUMBER;Name\nNO;y;+1;Ada\n") == ["2 +1 Ada no"])
        #expect(read("number\n+1\n") == ["2 +1 - ?"])
        #expect(read("name,label\n+1,A\n") == ["1 name label ?", "2 +1 A ?"])
        #expect(read("+1,A\nnumber,label,blocked\n") == ["1 +1 A ?", "2 number label yes"])
        #expect(read("number,label\n+1,A,yes") == ["2 ! it has 3 columns, and the header names 2"])
    }

    @Test("quotes hold separators, quotes, blanks and line breaks, and lines are counted through them") func quotes() {
        #expect(read("+1,\"a \"\"b\"\", c\",\n+2,\" d \"\n") == ["1 +1 a \"b\", c ?", "2 +2  d  ?"])
        #expect(read("+1,\"a\nb\"\n+2,c") == ["1 +1 a\nb ?", "3 +2 c ?"])
        #expect(read("+1,a\"b\n") == ["1 +1 a\"b ?"])
    }

    @Test("a line that is broken costs itself alone") func broken() {
        let rule = "number, label and blocked are 3"
        #expect(read("+1,A,B,C\n+2,D,\n") == ["1 ! it has 4 columns, and \(rule)", "2 +2 D ?"])
        #expect(read("+1,A,maybe\n+2,D\n") == ["1 ! blocked is \"maybe\", and neither yes nor no", "2 +2 D ?"])
        #expect(read("+1,\"A\n+2,B\n+3,C") == ["1 ! a quote is not closed", "2 +2 B ?", "3 +3 C ?"])
        #expect(read("+1,\"A\n+2,\"B\"\n") == ["1 ! behind a quote that is closed stands more", "2 +2 B ?"])
        #expect(read(Array("+1,".utf8) + [0xFF, 0x0A] + Array("+2,B".utf8)) == ["1 ! it is no UTF-8", "2 +2 B ?"])
        #expect(read([0xFF, 0xFE, 0x2B, 0, 0x31, 0]) == ["1 ! the file is UTF-16, and must be UTF-8"])
        #expect(read("\u{FEFF}+1,A\n\n , \n") == ["1 +1 A ?"] && read("").isEmpty)
        #expect(read("+1,a\0b\n") == ["1 +1 a\0b ?"])
    }

    @Test("no line is kept beyond its limit, whole or in quotes", arguments: ["", "\""])
    func long(quote: String) {
        let text = "+1,\(quote)" + String(repeating: "x", count: 3 * DirectoryCSV.recordBytesMax) + "\n+2,B\n"
        let reason = quote.isEmpty ? "it is longer than 65536 bytes" : "a quote is not closed"
        #expect(read(text, size: 1_000) == ["1 ! \(reason)", "2 +2 B ?"])
        let longest = String(repeating: "x", count: DirectoryCSV.recordBytesMax - 3)
        #expect(read("+1,\(longest)\n") == ["1 +1 \(longest) ?"])
        #expect(read("+1,\(longest)x\n") == ["1 ! it is longer than 65536 bytes"])
    }

    @Test("read in pieces of any size, the lines are the same", arguments: [1, 2, 3, 5, 7, 64])
    func pieces(size: Int) {
        let text =
            "\u{FEFF}number;label;blocked\r\n+1;\"a \"\"b\"\"\r\nc\";yes\r\n+2;\"d\r\n+3;\"e\"x\r\n+4;\"f\"\r\n+5;g;no"
        #expect(read(text, size: size) == read(text) && read(text).count == 5, "\(read(text))")
    }

    @Test("any bytes are read without a fault of ours, and the same in pieces") func garbage() {
        var state: UInt64 = 1
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let alphabet = Array("\"\"\"\n\n\r,;\t +1a\0".utf8) + [0xFF, 0xEF, 0xBB, 0xBF]
        for _ in 0..<2_000 {
            let bytes = (0..<next(60)).map { _ in alphabet[next(alphabet.count)] }
            #expect(read(bytes, size: 1 + next(8)) == read(bytes), "\(bytes)")
        }
    }

    @Test("what is written is read again") func roundTrip() {
        let labels = ["Ada", "a,b", "say \"hi\"", "; \t", " blank ", "Ünïcödé 🦀", "=1+1", "\"", "yes"]
        var entries = labels.enumerated().map { index, label in
            NumberEntry(Int64(index + 1), isBlocked: index % 2 == 0, label: label)
        }
        entries.append(NumberEntry(99, isBlocked: true))
        let bytes = DirectoryCSV.heading + entries.flatMap(DirectoryCSV.line)
        let expected = entries.enumerated().map { index, entry in
            "\(index + 2) +\(entry.number) \(entry.label ?? "-") \(entry.isBlocked ? "yes" : "no")"
        }
        #expect(read(bytes) == expected)
    }
}
