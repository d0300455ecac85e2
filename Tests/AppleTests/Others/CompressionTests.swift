import Compression
import Testing

/// What extensions inflate and deflate.
@Suite struct CompressionTests {
    /// "hello hello hello hello" by Python's zlib, raw.
    private static let deflated: [UInt8] = [0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x40, 0x27, 0x01]
    private static let text = "hello hello hello hello"

    private func run(_ source: [UInt8], room: Int, _ algorithm: compression_algorithm, inflates: Bool = true) -> [UInt8]
    {
        var target = [UInt8](repeating: 0, count: max(room, 1))
        let function = unsafe inflates ? compression_decode_buffer : compression_encode_buffer
        let count = unsafe function(&target, room, source, source.count, nil, algorithm)
        return Array(target[..<count])
    }

    @Test("what was deflated elsewhere is inflated, as much as there is room for") func inflates() {
        #expect(run(Self.deflated, room: 100, COMPRESSION_ZLIB) == Array(Self.text.utf8))
        #expect(run(Self.deflated, room: 23, COMPRESSION_ZLIB) == Array(Self.text.utf8))
        #expect(run(Self.deflated, room: 5, COMPRESSION_ZLIB) == Array("hello".utf8))
    }

    @Test("what is damaged, cut short or compressed by something else is 0 bytes") func refuses() {
        #expect(run(Array(Self.deflated.prefix(6)), room: 100, COMPRESSION_ZLIB).isEmpty)
        #expect(run([0xFF, 0xFF, 0xFF], room: 100, COMPRESSION_ZLIB).isEmpty)
        #expect(run(Self.deflated, room: 0, COMPRESSION_ZLIB).isEmpty && run([], room: 9, COMPRESSION_ZLIB).isEmpty)
        #expect(run(Self.deflated, room: 100, COMPRESSION_LZFSE).isEmpty)
    }

    @Test("what is deflated is inflated to itself, and must fit") func roundTrip() {
        let bytes = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        let small = run(bytes, room: 60_000, COMPRESSION_ZLIB, inflates: false)
        #expect(!small.isEmpty && run(small, room: 50_000, COMPRESSION_ZLIB) == bytes)
        #expect(run(bytes, room: 10, COMPRESSION_ZLIB, inflates: false).isEmpty)
        #expect(compression_decode_scratch_buffer_size(COMPRESSION_ZLIB) == 0)
    }
}
