import BelfryJSON
import Support
import Testing

@Suite struct HostileTextTests {
    @Test func R18_nothingInTheTextTraps() throws {
        let seed = #"{"a":[1,-2.5e3,true,null,"x\u00e9\ud83d\udd14\n"],"b":{"c":9223372036854775808},"d":"é"}"#
        var generator = SeededRandom(seed: 2)
        var readCount = 0
        for _ in 0..<10_000 {
            let bytes = generator.mutated(Array(seed.utf8))
            guard let value = try? JSONValue.parse(bytes) else { continue }
            readCount += 1
            #expect(try JSONValue.parse(value.serialized()) == value)
        }
        // Mutations that leave the text readable must occur, or this would test errors alone.
        #expect(readCount > 100)
    }
}
