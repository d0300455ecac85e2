/// Where things stand in a WebP (RFC 9649), as far as its first frame.
struct WebPLayout {
    /// The larger of the canvas and what the first frame's own header says.
    let size: (width: Int, height: Int)
    /// The chunks of the first frame, headers included; nil where the picture is not animated.
    let firstFrame: (chunks: ArraySlice<UInt8>, width: Int, height: Int)?

    /// Reads `picture`, which starts with a WebP's signature; nil where it is damaged or cut short.
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
