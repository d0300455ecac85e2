/// Cuts the first frame out of a picture, so that the decoder sees nothing else.
///
/// Also removes the texts and profiles of a PNG, which libpng would unfold: 900 of 7 MiB took 4.4 s.
///
/// gdk-pixbuf cannot be asked to stop after a frame: a loader that scales reports its first pixels when it is closed,
/// and that of WebP decodes every frame then, at full size. Measured with gdk-pixbuf 2.42.10 and webp-pixbuf-loader
/// 0.2.1, all frames and the first alone: 100 frames of 240 x 240 as WebP 671 and 4 ms of processor time, 100 of
/// 512 x 512 102 and 2 MiB more memory; a GIF of 10 MiB whose frames have one pixel more than 5 s and 7 ms. Two frames
/// of 8192 x 4096 in 136 bytes of WebP crash that loader within the memory that a fetcher has.
public enum FirstFrame {
    /// `picture` up to its first frame, and of a PNG only the chunks of its pixels. Of other formats the same bytes if
    /// there is only one frame, or no complete one.
    public static func only(of picture: [UInt8], as format: PictureFormat) -> [UInt8] {
        switch format {
        case .jpeg: return picture
        case .png: return PNGChunks.of(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"], in: picture)
        case .gif:
            guard let end = GIFLayout(picture)?.firstFrameEnd else { return picture }
            return picture[..<end] + [0x3B]
        case .webp:
            guard let frame = WebPLayout(picture)?.firstFrame else { return picture }
            return still(frame.chunks, width: frame.width, height: frame.height)
        }
    }

    /// A still WebP of the chunks of an animation's frame, which may hold an alpha channel.
    private static func still(_ chunks: ArraySlice<UInt8>, width: Int, height: Int) -> [UInt8] {
        let hasAlpha: UInt8 = 0x10
        var body = Array("WEBPVP8X".utf8) + littleEndian(10, count: 4) + [hasAlpha, 0, 0, 0]
        body += littleEndian(width - 1, count: 3) + littleEndian(height - 1, count: 3) + chunks
        return Array("RIFF".utf8) + littleEndian(body.count, count: 4) + body
    }

    private static func littleEndian(_ number: Int, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

/// The size of a GIF and where its first frame ends (https://www.w3.org/Graphics/GIF/spec-gif89a.txt).
struct GIFLayout {
    /// The larger of the logical screen and what the first frame covers.
    let size: (width: Int, height: Int)
    /// The index past the first frame; nil if the frame is cut short.
    let firstFrameEnd: Int?

    /// Reads `picture`, which starts with a GIF's signature; nil if there is no frame.
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

/// The size of a WebP (RFC 9649) and, if it is animated, its first frame.
struct WebPLayout {
    /// The larger of the canvas and what the first frame's own header says.
    let size: (width: Int, height: Int)
    /// The chunks of the first frame, headers included; nil if the picture is not animated.
    let firstFrame: (chunks: ArraySlice<UInt8>, width: Int, height: Int)?

    /// Reads `picture`, which starts with a WebP's signature; nil if it is damaged or cut short.
    init?(_ picture: [UInt8]) {
        var reader = ByteReader(picture, at: 4)
        guard let count = reader.littleEndian(4), count <= reader.leftCount, count >= 4, reader.skip(4) != nil else {
            return nil
        }
        let end = 8 + count
        var chunks = Self.chunks(picture[..<end], from: 12)
        guard let first = chunks.next() else { return nil }
        guard first.type.elementsEqual("VP8X".utf8) else {
            guard let size = Self.sizeOfBitstream(first) else { return nil }
            self.size = size
            firstFrame = nil
            return
        }
        var canvas = ByteReader(Array(first.payload))
        guard let flags = canvas.byte(), canvas.skip(3) != nil, let widthLess1 = canvas.littleEndian(3),
            let heightLess1 = canvas.littleEndian(3)
        else { return nil }
        var frame: (chunks: ArraySlice<UInt8>, width: Int, height: Int)?
        var bitstream: (width: Int, height: Int)?
        while bitstream == nil {
            guard let chunk = chunks.next() else { return nil }
            if flags & 0x02 != 0, chunk.type.elementsEqual("ANMF".utf8) {
                // A frame's own header has 16 bytes: x, y, width, height, duration, flags.
                guard chunk.payload.count > 16 else { return nil }
                var inner = Self.chunks(chunk.payload, from: chunk.payload.startIndex + 16)
                while bitstream == nil {
                    guard let part = inner.next() else { return nil }
                    bitstream = Self.sizeOfBitstream(part)
                }
                if let bitstream {
                    frame = (chunk.payload.dropFirst(16), bitstream.width, bitstream.height)
                }
            } else if flags & 0x02 == 0 {
                bitstream = Self.sizeOfBitstream(chunk)
            }
        }
        guard let bitstream else { return nil }
        size = (max(widthLess1 + 1, bitstream.width), max(heightLess1 + 1, bitstream.height))
        firstFrame = frame
    }

    private struct Chunk {
        let type: ArraySlice<UInt8>
        let payload: ArraySlice<UInt8>
    }

    /// The chunks of `bytes` from the index `start` on; ends at one that is cut short.
    private static func chunks(_ bytes: ArraySlice<UInt8>, from start: Int) -> some IteratorProtocol<Chunk> {
        var rest = bytes[start...]
        return AnyIterator {
            guard rest.count >= 8 else { return nil }
            let count = rest.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            let type = rest.prefix(4)
            guard count <= rest.count - 8 else { return nil }
            let payload = rest.dropFirst(8).prefix(count)
            rest = rest.dropFirst(8 + count + count % 2)
            return Chunk(type: type, payload: payload)
        }
    }

    /// The size that a lossy or lossless bitstream states (RFC 6386, 9.1; RFC 9649, 3.4); nil for any other chunk.
    private static func sizeOfBitstream(_ chunk: Chunk) -> (width: Int, height: Int)? {
        var reader = ByteReader(Array(chunk.payload.prefix(10)))
        if chunk.type.elementsEqual("VP8 ".utf8) {
            guard reader.skip(3) != nil, reader.bigEndian(3) == 0x9D_012A, let width = reader.littleEndian(2),
                let height = reader.littleEndian(2)
            else { return nil }
            // The upper two bits of each say how to scale it. No side may be empty; an animation's first frame is cut
            // out by this size.
            let size = (width: width & 0x3FFF, height: height & 0x3FFF)
            return size.width > 0 && size.height > 0 ? size : nil
        }
        guard chunk.type.elementsEqual("VP8L".utf8), reader.byte() == 0x2F, let bits = reader.littleEndian(4) else {
            return nil
        }
        return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    }
}
