import BelfryJSON
import Testing

private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

private func code(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError.Code? {
    do throws(JSONError) {
        _ = try JSONValue.parse(bytes, limits: limits)
        return nil
    } catch {
        return error.code
    }
}

@Suite struct ParsingTests {
    @Test func everyKindIsRead() throws {
        let value = try parse(#" {"n":null,"t":true,"f":false,"i":-7,"r":3.0,"s":"é","a":[1,[]],"o":{}} "#)
        #expect(
            value == [
                "n": .null, "t": true, "f": false, "i": -7, "r": 3.0, "s": "é", "a": [1, []], "o": [:],
            ])
    }

    @Test func membersKeepTheirOrder() throws {
        let object = try #require(try parse(#"{"z":1,"a":2,"m":3,"b":4}"#).objectValue)
        #expect(object.members.map(\.key) == ["z", "a", "m", "b"])
    }

    @Test(arguments: [
        ("-0", JSONValue.integer(0)),
        ("-0.0", .real(-0.0)),
        ("9223372036854775807", .integer(.max)),
        ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", .unsigned(1 << 63)),
        ("-9223372036854775809", .real(-0x1p63)),
        ("18446744073709551615", .unsigned(.max)),
        ("18446744073709551616", .real(0x1p64)),
        ("1.0e19", .real(1e19)),
        ("1e300", .real(1e300)),
        ("1E2", .real(100)),
        ("1e-400", .real(0)),
        ("0.1", .real(0.1)),
    ])
    func numbersAreKeptAsWritten(text: String, expected: JSONValue) throws {
        #expect(try parse(text) == expected)
    }

    @Test func integersThatFitStayExactBesideOneThatDoesNot() throws {
        let text =
            #"{"9223372036854775808":"9223372036854775808 \" 99999999999999999999","a":9223372036854775807,"#
            + #""b":[9223372036854775808,-1]}"#
        let object = try #require(try parse(text).objectValue)
        #expect(object["9223372036854775808"] == "9223372036854775808 \" 99999999999999999999")
        #expect(object["a"] == .integer(.max))
        #expect(object["b"] == [.unsigned(1 << 63), -1])
    }

    @Test func unsignedIntegersStandWhereTheyWereWritten() throws {
        let text =
            #"[true,1,false,-2.5e3,null,9223372036854775808,"9223372036854775809",{"a":18446744073709551616,"#
            + #""b":18446744073709551615,"c":9223372036854775808.0},[9223372036854775810]]"#
        let expected: JSONValue = [
            true, 1, false, -2500.0, .null, .unsigned(1 << 63), "9223372036854775809",
            ["a": .real(0x1p64), "b": .unsigned(.max), "c": .real(0x1p63)], [.unsigned(1 << 63 | 2)],
        ]
        #expect(try parse(text) == expected)
        #expect(try parse(String(decoding: expected.serialized(), as: UTF8.self)) == expected)
    }

    @Test func digitsOfLargeIntegersCanBeHad() throws {
        let text = Array(
            #"{"id":18446744073709551616,"n":5,"m":-99999999999999999999,"u":18446744073709551615}"#.utf8)
        let value = try JSONValue.parse(text, oversizeIntegers: .asDigits)
        #expect(
            value == ["id": "18446744073709551616", "n": 5, "m": "-99999999999999999999", "u": .unsigned(.max)])
        let leadingZero = Array("[9223372036854775808,09223372036854775808]".utf8)
        #expect(throws: JSONError.self) { try JSONValue.parse(leadingZero, oversizeIntegers: .asDigits) }
    }

    @Test(arguments: [
        ("", JSONError.Code.empty),
        (" \n\t\r", .empty),
        ("{", .incomplete),
        (#"{"a":"#, .incomplete),
        (#"["a"#, .incomplete),
        ("{} {}", .syntax),
        ("[1,]", .syntax),
        (#"{"a":1,}"#, .syntax),
        ("NaN", .syntax),
        ("[Infinity]", .syntax),
        ("[-Infinity]", .syntax),
        ("[01]", .syntax),
        ("[+1]", .syntax),
        ("[.5]", .syntax),
        ("[1.]", .syntax),
        ("['a']", .syntax),
        ("[\"a\tb\"]", .syntax),
        (#"["\ud800"]"#, .syntax),
        (#"["\udc00\ud800"]"#, .syntax),
        (#"["\x41"]"#, .syntax),
        ("// a\n{}", .syntax),
        ("[1e400]", .numberTooLarge),
        ("[-1e400]", .numberTooLarge),
        ("[9223372036854775808,1e400]", .numberTooLarge),
        ("[9223372036854775808,]", .syntax),
        ("[9223372036854775808,09223372036854775808]", .syntax),
        (#"{"a":1,"a":2}"#, .duplicateKey),
        (#"{"a":1,"\u0061":2}"#, .duplicateKey),
        (#"{"a\u0000b":1}"#, .nulInKey),
    ])
    func everyOtherTextHasItsError(text: String, expected: JSONError.Code) {
        #expect(code(Array(text.utf8)) == expected)
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xE2, 0x82],
        ] as [[UInt8]])
    func whatIsNotUTF8IsSaid(bytes: [UInt8]) {
        #expect(code(bytes) == .notUTF8)
    }

    @Test func keysThatDifferOnlyInNormalisationAreTwo() throws {
        let object = try #require(try parse("{\"\u{E9}\":1,\"e\u{301}\":2}").objectValue)
        #expect(object.members.count == 2)
        #expect(object["\u{E9}"] == 1)
        #expect(object["e\u{301}"] == 2)
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
    }

    @Test func stringsMayHoldNULAndPairs() throws {
        #expect(try parse(#"["\u0000","\ud83d\udd14","\u2028"]"#) == ["\u{0}", "\u{1F514}", "\u{2028}"])
    }

    @Test func aByteOrderMarkIsSkipped() throws {
        #expect(try JSONValue.parse([0xEF, 0xBB, 0xBF] + Array("{}".utf8)) == [:])
    }

    @Test func S5_depthIsBounded() {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(code(nested(32)) == nil)
        #expect(code(nested(33)) == .tooDeep)
        #expect(code(nested(20_000)) == .tooDeep)
        #expect(code(Array(String(repeating: "[", count: 20_000).utf8)) == .tooDeep)
        #expect(code(Array(String(repeating: #"{"a":"#, count: 20_000).utf8)) == .tooDeep)
    }

    @Test func S5_theNumberOfValuesIsBounded() {
        func list(_ count: Int) -> [UInt8] {
            Array(("[" + Array(repeating: "1", count: count).joined(separator: ",") + "]").utf8)
        }
        #expect(code(list(9_999)) == nil)
        #expect(code(list(10_000)) == .tooManyValues)
    }

    @Test func theSizeIsBounded() {
        let text = Array(("\"" + String(repeating: "a", count: 8) + "\"").utf8)
        #expect(code(text, limits: JSONLimits(bytesMax: 10)) == nil)
        #expect(code(text, limits: JSONLimits(bytesMax: 9)) == .tooLarge)
    }

    @Test(arguments: [
        ("{\n  \"é\": x\n}", 2, 8),
        ("[9223372036854775808, 9223372036854775808, x]", 1, 44),
        ("[\n1,\n2", 3, 1),
    ])
    func theErrorSaysWhere(text: String, line: Int, column: Int) {
        do throws(JSONError) {
            _ = try parse(text)
            Issue.record("read without an error")
        } catch {
            #expect(error.line == line)
            #expect(error.column == column)
            #expect(error.description.hasPrefix("line \(line), column \(column): "))
        }
    }

    @Test func textInErrorsCannotMoveACursor() {
        do throws(JSONError) {
            _ = try parse("[\u{1B}[31mx\u{202E}]")
            Issue.record("read without an error")
        } catch {
            #expect(error.detail.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
        }
    }
}
