import BelfryProtocol
import Testing

@Suite struct PushFramingTests {
    @Test(arguments: [
        ("{}", "{}"), (" \n {\"a\":\n\"}\"} trailing", " \n {\"a\":\n\"}\"}"), ("hello\nworld", "hello"),
        ("[1,\n2]", "[1,"),
        ("\n\n x\n", "\n\n x"), ("\"{}\"\n{}", "\"{}\""), ("\u{FEFF}{}\n", "\u{FEFF}{}"),
    ])
    func oneNotificationIsTaken(text: String, expected: String) {
        let bytes = Array(text.utf8)
        var whole = PushFraming()
        #expect(whole.feed(bytes) == .complete(Array(expected.utf8)))

        var piecemeal = PushFraming()
        var answer = PushFraming.Progress.needMore
        for byte in bytes where answer == .needMore { answer = piecemeal.feed([byte]) }
        #expect(answer == .complete(Array(expected.utf8)))
        #expect(piecemeal.feed(Array("{}".utf8)) == answer)
        #expect(piecemeal.endOfInput() == answer)
    }

    @Test(arguments: ["", " \n", "{", #"{"a":"}"#, "hello", "[1"])
    func theEndOfInputEndsEither(text: String) {
        var framing = PushFraming()
        #expect(framing.feed(Array(text.utf8)) == .needMore)
        #expect(framing.receivedBytes == text.utf8.count)
        #expect(framing.endOfInput() == .complete(Array(text.utf8)))
    }

    @Test(arguments: [UInt8(ascii: " "), UInt8(ascii: "{"), UInt8(ascii: "x"), 0])
    func S5_theLimitIsReached(byte: UInt8) {
        let limit = PushFraming.notificationBytesMax
        var framing = PushFraming()
        #expect(framing.feed(Array(repeating: byte, count: limit)) == .needMore)
        #expect(framing.feed([byte]) == .tooLarge)
        #expect(framing.feed([byte]) == .tooLarge)
        #expect(framing.endOfInput() == .tooLarge)
    }

    @Test func theLimitCountsTheNotificationAlone() {
        let limit = PushFraming.notificationBytesMax
        let object = Array("{}".utf8)
        let space = Array(repeating: UInt8(ascii: " "), count: limit - object.count)
        let rest = Array(repeating: UInt8(ascii: "x"), count: limit)
        var largest = PushFraming()
        #expect(largest.feed(space + object + rest) == .complete(space + object))
        var tooLarge = PushFraming()
        #expect(tooLarge.feed([0x20] + space + object) == .tooLarge)
        var line = PushFraming()
        #expect(
            line.feed(Array(repeating: 0x78, count: limit) + [0x0A]) == .complete(Array(repeating: 0x78, count: limit)))
    }
}
