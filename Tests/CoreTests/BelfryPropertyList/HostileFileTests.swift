import BelfryPropertyList
import Support
import Testing

@Suite struct HostileFileTests {
    @Test func R18_nothingInAnXMLFileTraps() throws {
        let sample = try PropertyListDictionary.parse(Samples.everyType).serializedXML()
        try readMutations(of: sample, seed: 3, count: 3_000)
    }

    @Test func R18_nothingInABinaryFileTraps() throws {
        try readMutations(of: Samples.everyType, seed: 4, count: 10_000)
    }

    private func readMutations(of sample: [UInt8], seed: UInt64, count: Int) throws {
        var generator = SeededRandom(seed: seed)
        var readCount = 0
        for _ in 0..<count {
            guard let read = try? PropertyListDictionary.parse(generator.mutated(sample)) else { continue }
            readCount += 1
            // Whatever was read can be written and read again.
            let again = try PropertyListDictionary.parse(read.serializedXML())
            #expect(again.serializedXML() == read.serializedXML())
        }
        // Mutations that leave the file readable must occur, or this would test errors alone.
        #expect(readCount > 50)
    }
}
