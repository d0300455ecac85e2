import BelfryJSON
import Support
import Testing

@Suite struct JSONObjectScannerTests {
    @Test(arguments: [
        ("{}", 2),
        ("{}x", 2),
        (" \r\n\t{} ", 6),
        (#"{"a":{"b":{}},"c":[{}]} {"#, 23),
        (#"{"}":"{","\"}":"\\"}}"#, 20),
        ("\u{FEFF}{}", 5),
    ])
    func anObjectEndsAtItsOwnBrace(text: String, end: Int) {
        let bytes = Array(text.utf8)
        var whole = JSONObjectScanner()
        #expect(whole.feed(bytes) == .complete(endIndex: end))

        var piecemeal = JSONObjectScanner()
        for (index, byte) in bytes.prefix(end).enumerated() {
            #expect(piecemeal.feed([byte]) == (index == end - 1 ? .complete(endIndex: 1) : .needMore))
        }
        #expect(piecemeal.feed(Array("{}".utf8)) == .needMore)
    }

    @Test(arguments: ["", "  ", "{", #"{"a"#, #"{"a\"#, "{{}"])
    func anUnfinishedObjectNeedsMore(text: String) {
        var scanner = JSONObjectScanner()
        #expect(scanner.feed(Array(text.utf8)) == .needMore)
    }

    @Test(arguments: [("x", 0), ("  [1]", 2), ("\"{}\"", 0)])
    func anythingElseIsSaid(text: String, start: Int) {
        var scanner = JSONObjectScanner()
        #expect(scanner.feed(Array(text.utf8)) == .notAnObject(startIndex: start))
    }

    @Test func aSliceIsCountedFromItsOwnStart() {
        let bytes = Array("xx{}y".utf8)
        var scanner = JSONObjectScanner()
        #expect(scanner.feed(bytes[2...]) == .complete(endIndex: 2))
    }
}
