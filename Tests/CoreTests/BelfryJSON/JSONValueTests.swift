import BelfryJSON
import Testing

/// What a value says of itself, and when two are equal.
@Suite struct JSONValueTests {
    static let all: [JSONValue] = [.null, true, 5, .real(5.5), "5", [5], ["a": 5]]

    @Test("each kind gives what it is, and nothing else")
    func kinds() {
        #expect(Self.all.map(\.isNull) == [true, false, false, false, false, false, false])
        #expect(Self.all.map(\.boolValue) == [nil, true, nil, nil, nil, nil, nil])
        #expect(Self.all.map(\.integerValue) == [nil, nil, 5, nil, nil, nil, nil])
        #expect(Self.all.map(\.numberValue) == [nil, nil, 5, 5.5, nil, nil, nil])
        #expect(Self.all.map(\.stringValue) == [nil, nil, nil, nil, "5", nil, nil])
        #expect(Self.all.map { $0.arrayValue?.count } == [nil, nil, nil, nil, nil, 1, nil])
        #expect(Self.all.map { $0.objectValue?.members.count } == [nil, nil, nil, nil, nil, nil, 1])
    }

    @Test("values are equal if kind, content, order and the bytes of every key are")
    func equality() {
        for (index, value) in Self.all.enumerated() {
            for (other, another) in Self.all.enumerated() { #expect((value == another) == (index == other)) }
        }
        let object: JSONValue = ["Ren\u{E9}": 1, "b": [1, 2]]
        #expect(object == ["Ren\u{E9}": 1, "b": [1, 2]])
        let others: [JSONValue] = [
            ["Rene\u{301}": 1, "b": [1, 2]], ["Ren\u{E9}": 2, "b": [1, 2]], ["Ren\u{E9}": 1, "b": [2, 1]],
            ["Ren\u{E9}": 1, "c": [1, 2]], ["Ren\u{E9}": 1],
        ]
        for other in others { #expect(object != other) }
    }

    @Test("a member is found, replaced, appended and removed by the bytes of its key")
    func members() {
        var object: JSONObject = ["Ren\u{E9}": 1, "b": 2]
        object["Rene\u{301}"] = 3
        object["b"] = 4
        #expect(object["Ren\u{E9}"] == 1 && object["Rene\u{301}"] == 3 && object["b"] == 4 && object["c"] == nil)
        object["Ren\u{E9}"] = nil
        object["c"] = nil
        object.append(newKey: "d", true)
        #expect(object.members.map(\.key) == ["b", "Rene\u{301}", "d"])
        #expect(String(decoding: object.serialized(), as: UTF8.self) == "{\"b\":4,\"Rene\u{301}\":3,\"d\":true}")
    }

    @Test("a value is described by its kind and its beginning")
    func descriptions() {
        let texts = Self.all.map(\.foundDescription)
        #expect(
            texts == ["null", "true", "the number 5", "the number 5.5", "the string \"5\"", "an array", "an object"])
        #expect(JSONValue.array([]).foundDescription == "an empty array")
        #expect(JSONValue.object([:]).foundDescription == "an empty object")
        #expect(JSONValue.bool(false).foundDescription == "false")
    }

    @Test("around a foreign value there is room for eight levels and a hundred values")
    func roomAroundForeignValues() throws {
        func text(depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(throws: Never.self) { try JSONValue.parse(text(depth: 40), limits: .aroundForeignValue) }
        #expect(throws: JSONError.self) { try JSONValue.parse(text(depth: 41), limits: .aroundForeignValue) }
        func list(_ count: Int) -> [UInt8] {
            Array(("[" + Array(repeating: "1", count: count).joined(separator: ",") + "]").utf8)
        }
        #expect(throws: Never.self) { try JSONValue.parse(list(10_099), limits: .aroundForeignValue) }
        #expect(throws: JSONError.self) { try JSONValue.parse(list(10_100), limits: .aroundForeignValue) }
    }
}
