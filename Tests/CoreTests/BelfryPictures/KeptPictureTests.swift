import BelfryPictures
import Support
import Testing

/// What is kept is a small PNG of pixels alone, whatever a fetcher that was taken over has written.
@Suite struct KeptPictureTests {
    private static let header = SmallPNG.header(width: 512, height: 512)
    private static let pixels = SmallPNG.chunk("IDAT", [1, 2, 3])
    private static let end = SmallPNG.chunk("IEND", [])

    private static func png(_ chunks: [UInt8]...) -> [UInt8] { SmallPNG.signature + chunks.flatMap(\.self) }

    @Test(
        "a picture of pixels alone is kept as it is",
        arguments: [
            png(header, pixels, end), png(header, pixels, pixels, end), SmallPNG.bytes(width: 1, height: 1),
            png(SmallPNG.header(width: 1, height: 512, colours: 6), pixels, end),
        ]) func pixelsAlone(_ bytes: [UInt8])
    {
        #expect(KeptPicture(bytes)?.bytes == bytes)
        #expect(KeptPicture.plain(bytes) == bytes)
    }

    @Test(
        "anything else is not kept",
        arguments: [
            [], SmallPNG.signature, png(header), png(header, pixels), png(header, end), png(pixels, end),
            png(header, SmallPNG.chunk("IDAT", []), end), png(pixels, header, end), png(header, header, pixels, end),
            png(header, pixels, SmallPNG.chunk("IEND", [0])),
            // Larger, or in another form than we write.
            SmallPNG.bytes(width: 513, height: 1), SmallPNG.bytes(width: 1, height: 513),
            SmallPNG.bytes(width: 8_192, height: 4_096), SmallPNG.bytes(width: 0, height: 1),
            png(SmallPNG.header(width: 1, height: 1, depth: 16), pixels, end),
            png(SmallPNG.header(width: 1, height: 1, colours: 3), pixels, end),
            png(SmallPNG.chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 1, 0, 0]), pixels, end),
            png(SmallPNG.chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 1, 0]), pixels, end),
            png(SmallPNG.chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 1]), pixels, end),
            // What would be unfolded, or read, by whoever shows it.
            png(header, SmallPNG.chunk("zTXt", [0x41, 0, 0]), pixels, end),
            png(header, pixels, SmallPNG.chunk("eXIf", [0x4D]), end),
            png(header, SmallPNG.chunk("iCCP", [0x41, 0, 0]), pixels, end),
            png(header, SmallPNG.chunk("sBIT", [8, 8, 8]), pixels, end),
            // What another program would find behind it.
            png(header, pixels, end) + Array("<script>".utf8), png(header, pixels, end, end),
            png(header, SmallPNG.chunk("IDAT", [UInt8](repeating: 0, count: FetchLimits.writtenBytesMax)), end),
        ]) func all(_ bytes: [UInt8])
    {
        #expect(KeptPicture(bytes) == nil)
    }

    @Test("no bit of it may be another") func damage() {
        let whole = Self.png(SmallPNG.header(width: 2, height: 2), Self.pixels, Self.end)
        for index in whole.indices {
            for bit in 0..<8 {
                var damaged = whole
                damaged[index] ^= 1 << bit
                #expect(KeptPicture(damaged) == nil, "bit \(bit) of byte \(index)")
            }
        }
        for count in whole.indices { #expect(KeptPicture(Array(whole.prefix(count))) == nil) }
    }

    @Test("what an encoder adds to the pixels is left out") func plain() {
        let more = SmallPNG.chunk("sBIT", [8, 8, 8]) + SmallPNG.chunk("tEXt", Array("Software\0x".utf8))
        #expect(KeptPicture.plain(SmallPNG.bytes(more: more)) == SmallPNG.bytes())
        #expect(KeptPicture.plain(SmallPNG.bytes() + [1, 2, 3]) == SmallPNG.bytes())
    }
}
