import BelfryJSON
import Testing

/// A member's value as it was written, of which the limits count the bytes.
@Suite struct JSONMemberSliceTests {
    private func value(of key: String, in text: String) -> String? {
        JSONMemberSlice.value(of: key, in: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func object(in text: String) -> String? {
        JSONMemberSlice.object(in: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("a value is found as it was written, whatever stands before it")
    func values() {
        let text = #" { "a" : 1 ,"":"","b\\":"x\",}","c":[{"d":2},"]"], "d" :{"a":{}} , "e":-1.5e3,"f":true}"#
        #expect(value(of: "a", in: text) == "1")
        #expect(value(of: "", in: text) == #""""#)
        #expect(value(of: #"b\"#, in: text) == #""x\",}""#)
        #expect(value(of: "c", in: text) == #"[{"d":2},"]"]"#)
        #expect(value(of: "d", in: text) == #"{"a":{}}"#)
        #expect(value(of: "e", in: text) == "-1.5e3")
        #expect(value(of: "f", in: text) == "true")
        #expect(value(of: "x", in: text) == nil && value(of: "ab", in: text) == nil)
    }

    @Test("a key is found however it is spelled")
    func keys() {
        #expect(value(of: "payload", in: #"{"payl\u006fad": [1]}"#) == "[1]")
        #expect(value(of: "é", in: #"{"e": 1, "\u00e9": 2}"#) == "2")
        #expect(value(of: #"a\u0062"#, in: #"{"ab": 1}"#) == nil)
    }

    @Test("an object is cut out of what is around it")
    func objects() {
        #expect(object(in: #" x {"a":"}\"}","b":[1,{}]} y {"#) == #"{"a":"}\"}","b":[1,{}]}"#)
        #expect(object(in: "[1]") == nil && object(in: "") == nil)
    }

    @Test(
        "R18 text that is no object gives anything, and no trap",
        arguments: ["{", "{\"a", "{\"a\":", "{\"a\"", "{\"a\":1"])
    func unfinished(text: String) {
        #expect(object(in: text) == text)
        _ = value(of: "a", in: text)
    }
}
