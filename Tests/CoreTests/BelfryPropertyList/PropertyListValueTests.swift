import BelfryPropertyList
import Testing

/// What a value says of itself, as `UserDefaults` would.
@Suite struct PropertyListValueTests {
    static let all: [PropertyListValue] = [
        .bool(true), .integer(2), .unsigned(2), .real(2.5), .string("2"), .date(2), .data([2]), .uid(2),
        .array([.integer(2)]), .dictionary(["a": .integer(2)]),
    ]

    @Test("each type gives what it is; a number other than 0 is true")
    func types() {
        #expect(Self.all.map(\.boolValue) == [true, true, true, true, nil, nil, nil, nil, nil, nil])
        #expect(PropertyListValue.bool(false).boolValue == false && PropertyListValue.integer(0).boolValue == false)
        #expect(PropertyListValue.unsigned(0).boolValue == false && PropertyListValue.real(-0.0).boolValue == false)
        #expect(PropertyListValue.integer(-1).boolValue == true)
        #expect(Self.all.map(\.stringValue) == [nil, nil, nil, nil, "2", nil, nil, nil, nil, nil])
        #expect(Self.all.compactMap(\.arrayValue) == [[.integer(2)]])
        #expect(Self.all.compactMap(\.dictionaryValue) == [["a": .integer(2)]])
        let numbers = Self.all.map { $0.boundedInteger(in: -5...1 << 40) }
        #expect(numbers == [nil, 2, 1 << 40, 2, nil, nil, nil, nil, nil, nil])
        #expect(PropertyListValue.integer(.min).boundedInteger(in: -5...5) == -5)
    }

    @Test("values of different types are never equal, nor are texts of different bytes")
    func equality() {
        for (index, value) in Self.all.enumerated() {
            for (other, another) in Self.all.enumerated() { #expect((value == another) == (index == other)) }
        }
        #expect(PropertyListValue.string("Ren\u{E9}") != .string("Rene\u{301}"))
        #expect(PropertyListValue.dictionary(["a": .integer(2)]) != .dictionary(["a": .integer(3)]))
        #expect(PropertyListValue.dictionary(["a": .integer(2)]) != .dictionary(["b": .integer(2)]))
    }
}
