import KeeperChannel
import Testing

/// Entries as they lie in the file beside their message.
@Suite struct DirectoryBatchTests {
    private static let two: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0x80] + [UInt8](repeating: 0xFF, count: 8)

    @Test("numbers have their lowest byte first") func numbers() throws {
        let batch = try DirectoryBatch(Self.two, count: 2, hasLabels: false)
        #expect(batch.numbers == [.min + 1, -1] && batch.labels.isEmpty)
    }

    @Test("labels follow their lengths") func labels() throws {
        let bytes = Self.two + [0, 0, 2, 0] + Array("ab".utf8)
        let batch = try DirectoryBatch(bytes, count: 2, hasLabels: true)
        #expect(batch.labels.map(Array.init) == [[], Array("ab".utf8)])
    }

    @Test("counts that lie are refused, whichever byte is missing or too many") func lies() {
        let labelled = Self.two + [1, 0, 2, 0] + Array("abc".utf8)
        for length in 0..<labelled.count {
            #expect(throws: ChannelError.self) {
                try DirectoryBatch(Array(labelled[..<length]), count: 2, hasLabels: true)
            }
        }
        for bytes in [Self.two + [0], Array(Self.two.dropLast()), []] {
            #expect(throws: ChannelError.self) { try DirectoryBatch(bytes, count: 2, hasLabels: false) }
        }
        #expect(throws: ChannelError.self) { try DirectoryBatch(labelled + [0], count: 2, hasLabels: true) }
    }
}
