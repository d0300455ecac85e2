import BelfryJSON
import BelfryTerms
import Testing

@Suite struct BoundedIntegerTests {
    @Test(arguments: [
        (JSONValue.integer(5), Int64(5)),
        (.integer(-5), -5),
        (.integer(.max), 100),
        (.integer(.min), -100),
        (.real(7.9), 7),
        (.real(-7.9), -7),
        (.real(-0.0), 0),
        (.real(1e300), 100),
        (.real(-1e300), -100),
        (.real(0x1p63), 100),
        (.real(.infinity), 100),
        (.real(.nan), 0),
    ])
    func everyNumberIsBroughtIntoTheRange(value: JSONValue, expected: Int64) {
        #expect(value.boundedInteger(in: -100...100) == expected)
    }

    @Test(arguments: [JSONValue.null, true, "5", [5], ["a": 5]])
    func whatIsNoNumberIsNone(value: JSONValue) {
        #expect(value.boundedInteger(in: -100...100) == nil)
    }

    private static let edges: [(Double, Int64)] = [
        (0x1p63, .max), (-0x1p63, .min), ((0x1p63 as Double).nextDown, 9_223_372_036_854_774_784),
        ((-0x1p63 as Double).nextDown, .min),
    ]

    @Test(arguments: edges)
    func theEdgesOf64BitsDoNotTrap(real: Double, expected: Int64) {
        #expect(Int64(clampingReal: real) == expected)
    }

    @Test("a number that begins with a zero is an error, however long it is and however large numbers are read")
    func leadingZero() {
        for text in ["[0\(String(repeating: "9", count: 30))]", "[-0\(String(repeating: "9", count: 30))]", "[01]"] {
            #expect(throws: JSONError.self) { try JSONValue.parse(Array(text.utf8), oversizeIntegers: .asDigits) }
        }
        let large = String(repeating: "9", count: 30)
        for text in ["[\(large), 0\(large)]", "[\(large), -0\(large)]"] {
            #expect(throws: JSONError.self) { try JSONValue.parse(Array(text.utf8), oversizeIntegers: .asDigits) }
        }
        #expect(
            (try? JSONValue.parse(Array("[\(large), 0, -0, 7]".utf8), oversizeIntegers: .asDigits))?.arrayValue
                == [.string(large), 0, 0, 7])
    }
}
