/// Where things stand in a GIF (https://www.w3.org/Graphics/GIF/spec-gif89a.txt), as far as its first frame.
struct GIFLayout {
    /// The larger of the logical screen and what the first frame covers.
    let size: (width: Int, height: Int)
    /// The index past the first frame; nil where it is cut short.
    let firstFrameEnd: Int?

    /// Reads `picture`, which starts with a GIF's signature; nil where there is no frame.
    init?(_ picture: [UInt8]) {
        var reader = ByteReader(picture, at: 6)
        guard let screenWidth = reader.littleEndian(2), let screenHeight = reader.littleEndian(2),
            let flags = reader.byte(), reader.skip(2) != nil, Self.skipColours(flags, &reader) != nil
        else { return nil }
        while true {
            guard let introducer = reader.byte() else { return nil }
            if introducer == 0x2C { break }
            // Anything but an extension: the trailer, before any frame, or rubbish.
            guard introducer == 0x21, reader.skip(1) != nil, Self.skipBlocks(&reader) != nil else { return nil }
        }
        guard let left = reader.littleEndian(2), let top = reader.littleEndian(2),
            let width = reader.littleEndian(2), let height = reader.littleEndian(2), let frameFlags = reader.byte()
        else { return nil }
        size = (max(screenWidth, left + width), max(screenHeight, top + height))
        guard Self.skipColours(frameFlags, &reader) != nil, reader.skip(1) != nil, Self.skipBlocks(&reader) != nil
        else {
            firstFrameEnd = nil
            return
        }
        firstFrameEnd = reader.offset
    }

    private static func skipColours(_ flags: Int, _ reader: inout ByteReader) -> Void? {
        flags & 0x80 == 0 ? () : reader.skip(3 << ((flags & 7) + 1))
    }

    private static func skipBlocks(_ reader: inout ByteReader) -> Void? {
        while true {
            guard let count = reader.byte() else { return nil }
            if count == 0 { return () }
            guard reader.skip(count) != nil else { return nil }
        }
    }
}
