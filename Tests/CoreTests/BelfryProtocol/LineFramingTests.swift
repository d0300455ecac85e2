import BelfryProtocol
import Testing

@Suite struct LineFramingTests {
    @Test func linesAreCutWhereverTheBytesAre() throws {
        let text = Array("{\"a\":1}\n\n{\"b\":2}\r\nlast".utf8)
        for size in 1...text.count {
            var lines = LineFraming()
            var seen: [[UInt8]] = []
            for start in stride(from: 0, to: text.count, by: size) {
                seen += try lines.take(text[start..<min(start + size, text.count)])
            }
            #expect(seen == [Array("{\"a\":1}".utf8), Array("{\"b\":2}\r".utf8)])
            #expect(lines.finish() == Array("last".utf8))
            #expect(lines.finish() == nil)
        }
    }

    @Test func S5_aLineHasALimit() throws {
        let longest = [UInt8](repeating: 0x20, count: LineFraming.lineBytesMax)
        var lines = LineFraming()
        #expect(try lines.take(longest).isEmpty)
        #expect(try lines.take([0x0A]) == [longest])
        #expect(throws: LineTooLong.self) { _ = try lines.take(longest + [0x20]) }
        var whole = LineFraming()
        #expect(throws: LineTooLong.self) { _ = try whole.take(longest + [0x20, 0x0A]) }
    }

    @Test func S5_theLimitIsAMebibyte() {
        #expect(LineFraming.lineBytesMax == 1_048_576)
    }
}
