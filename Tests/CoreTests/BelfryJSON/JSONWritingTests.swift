import BelfryJSON
import Support
import Testing

@Suite struct JSONWritingTests {
    private func text(_ value: JSONValue) -> String { String(decoding: value.serialized(), as: UTF8.self) }

    @Test(
        arguments: [
            (JSONValue.null, "null"),
            (true, "true"),
            (-7, "-7"),
            (.integer(.min), "-9223372036854775808"),
            (0.1, "0.1"),
            (3.0, "3.0"),
            (.real(-0.0), "-0.0"),
            (1e300, "1e+300"),
            (.real(.infinity), "null"),
            (.real(.nan), "null"),
            ("é/\u{2028}\u{1F514}", "\"é/\u{2028}\u{1F514}\""),
            ("a\"\\\n\r\t\u{0}\u{1F}\u{7F}b", #""a\"\\\n\r\t\u0000\u001f"# + "\u{7F}b\""),
            ([], "[]"),
            ([1, [2], [:]], "[1,[2],{}]"),
            (["b": 1, "a\"": [true, .null]], #"{"b":1,"a\"":[true,null]}"#),
        ] as [(JSONValue, String)])
    func valuesAreWrittenCompactly(value: JSONValue, expected: String) {
        #expect(text(value) == expected)
    }

    @Test func whatIsWrittenReadsBackTheSame() throws {
        var generator = SeededRandom(seed: 1)
        for _ in 0..<2_000 {
            let value = Self.value(depth: 0, using: &generator)
            #expect(try JSONValue.parse(value.serialized()) == value)
        }
    }

    private static func value(depth: Int, using generator: inout SeededRandom) -> JSONValue {
        switch Int.random(in: 0..<(depth < 4 ? 8 : 6), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .integer(Int64(bitPattern: generator.next()))
        case 3:
            let real = Double(bitPattern: generator.next())
            return .real(real.isFinite ? real : 0.5)
        case 4, 5:
            let scalars = (0..<Int.random(in: 0..<12, using: &generator)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator) >> (generator.next() % 15))
            }
            return .string(String(String.UnicodeScalarView(scalars)))
        case 6:
            return .array(
                (0..<Int.random(in: 0..<4, using: &generator)).map { _ in value(depth: depth + 1, using: &generator) })
        default:
            var object = JSONObject()
            for index in 0..<Int.random(in: 0..<4, using: &generator) {
                object["key\(index)é"] = value(depth: depth + 1, using: &generator)
            }
            return .object(object)
        }
    }
}
