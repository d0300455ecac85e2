import BelfryPropertyList
import Support
import Testing

@Suite struct PropertyListDictionaryTests {
    /// Against a plain list of pairs, small enough and large enough for the index to come and go.
    @Test func everyChangeIsThatOfAListOfPairs() {
        var generator = SeededRandom(seed: 5)
        for _ in 0..<12 {
            var dictionary = PropertyListDictionary()
            var pairs: [(key: String, value: PropertyListValue)] = []
            for step in 0..<200 {
                let key = ["k", "\u{E9}", "e\u{301}"].randomElement(using: &generator)! + "\(generator.next() % 14)"
                let value: PropertyListValue? = step % 3 == 0 ? nil : .integer(Int64(step))
                dictionary[key] = value
                let position = pairs.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
                switch (position, value) {
                case (let position?, let value?): pairs[position].value = value
                case (let position?, nil): pairs.remove(at: position)
                case (nil, let value?): pairs.append((key, value))
                case (nil, nil): break
                }
                #expect(dictionary.keys.map { Array($0.utf8) } == pairs.map { Array($0.key.utf8) })
                #expect(pairs.allSatisfy { dictionary[$0.key] == $0.value })
            }
        }
    }

    @Test func orderDoesNotMatterToEquality() {
        let one: PropertyListDictionary = ["a": .integer(1), "b": .integer(2)]
        let other: PropertyListDictionary = ["b": .integer(2), "a": .integer(1)]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": .integer(1), "b": .real(2)])
        #expect(one != ["a": .integer(1), "c": .integer(2)])
        #expect(one != ["a": .integer(1)])
        #expect(["\u{E9}": .bool(true)] as PropertyListDictionary != ["e\u{301}": .bool(true)])
    }

    @Test func manyGoAtOnce() {
        var dictionary = PropertyListDictionary()
        for number in 0..<100 { dictionary["k\(number)"] = .integer(Int64(number)) }
        dictionary.removeAll { $0.value.boundedInteger(in: 0...1000).map { $0 % 10 != 0 } ?? true }
        #expect(dictionary.keys == (0..<10).map { "k\($0 * 10)" })
        #expect(dictionary["k50"] == .integer(50))
        #expect(dictionary["k51"] == nil)
    }

    /// A hash that takes all spellings of `é` for one makes minutes of it.
    @Test func keysThatUnicodeTakesForOneCostNoMoreThanOthers() {
        let spellings = ["\u{E9}", "e\u{301}"]
        var dictionary = PropertyListDictionary()
        for number in 0..<8192 {
            let key = (0..<13).map { spellings[number >> $0 & 1] }.joined()
            dictionary[key] = .integer(Int64(number))
        }
        #expect(dictionary.count == 8192)
        #expect(dictionary[String(repeating: spellings[1], count: 13)] == .integer(8191))
    }

    @Test(
        arguments: [
            (.integer(.min), Int64(-100)), (.unsigned(.max), 100), (.real(1e300), 100), (.real(.nan), 0),
            (.real(-7.9), -7),
            (.real(-0.0), 0),
        ] as [(PropertyListValue, Int64)])
    func R18_everyNumberIsBroughtIntoTheRange(value: PropertyListValue, expected: Int64) {
        #expect(value.boundedInteger(in: -100...100) == expected)
    }

    @Test(
        arguments: [.bool(true), .string("5"), .date(5), .data([5]), .uid(5), .array([]), .dictionary([:])]
            as [PropertyListValue])
    func whatIsNoNumberIsNone(value: PropertyListValue) {
        #expect(value.boundedInteger(in: -100...100) == nil)
    }
}
