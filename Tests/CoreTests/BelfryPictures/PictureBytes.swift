import Support

/// Pictures made byte by byte, whole or broken.
enum PictureBytes {
    static func png(width: Int, height: Int, hasEnd: Bool = true) -> [UInt8] {
        let whole = SmallPNG.bytes(width: width, height: height)
        return hasEnd ? whole : Array(whole.dropLast(12))
    }

    static func jpeg(width: Int, height: Int, scans: [UInt8] = []) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC2, 0, 8, 8] + bigEndian(height, 2) + bigEndian(width, 2)
            + [0] + scans + [0xFF, 0xD9]
    }

    /// One scan of a JPEG: its header, and as pixels a byte 0xFF, which is written as two.
    static let scan: [UInt8] = [0xFF, 0xDA, 0, 4, 1, 0, 7, 0xFF, 0]

    static func gif(width: Int, height: Int, frames: Int = 1, frameWidth: Int? = nil) -> [UInt8] {
        var bytes = Array("GIF89a".utf8) + littleEndian(width, 2) + littleEndian(height, 2) + [0x80, 0, 0]
        bytes += [0, 0, 0, 255, 255, 255]
        for _ in 0..<frames {
            bytes += [0x21, 0xF9, 4, 0, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0] + littleEndian(frameWidth ?? width, 2)
            bytes += littleEndian(height, 2) + [0, 2, 2, 0x4C, 0x01, 0]
        }
        return bytes + [0x3B]
    }

    static func lossyWebP(width: Int, height: Int) -> [UInt8] {
        riff(webPChunk("VP8 ", lossy(width, height)))
    }

    static func losslessWebP(width: Int, height: Int) -> [UInt8] {
        riff(webPChunk("VP8L", [0x2F] + littleEndian((width - 1) | (height - 1) << 14, 4)))
    }

    static func animatedWebP(width: Int, height: Int, frameWidth: Int) -> [UInt8] {
        let canvas = littleEndian(width - 1, 3) + littleEndian(height - 1, 3)
        let frame = [UInt8](repeating: 0, count: 16) + webPChunk("VP8 ", lossy(frameWidth, height))
        return riff(
            webPChunk("VP8X", [2, 0, 0, 0] + canvas) + webPChunk("ANIM", [0, 0, 0, 0, 0, 0])
                + webPChunk("ANMF", frame) + webPChunk("ANMF", frame))
    }

    /// Its own picture stands behind a frame, which counts only in what says that it moves.
    static func stillWebP(width: Int, height: Int, frameWidth: Int) -> [UInt8] {
        let canvas = littleEndian(width - 1, 3) + littleEndian(height - 1, 3)
        let frame = [UInt8](repeating: 0, count: 16) + webPChunk("VP8 ", lossy(frameWidth, height))
        return riff(
            webPChunk("VP8X", [0, 0, 0, 0] + canvas) + webPChunk("ANMF", frame)
                + webPChunk("VP8 ", lossy(width, height)))
    }

    static func bigEndian(_ number: Int, _ count: Int) -> [UInt8] { littleEndian(number, count).reversed() }

    static func littleEndian(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func lossy(_ width: Int, _ height: Int) -> [UInt8] {
        [0, 0, 0, 0x9D, 0x01, 0x2A] + littleEndian(width, 2) + littleEndian(height, 2) + [0]
    }

    private static func webPChunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        Array(type.utf8) + littleEndian(data.count, 4) + data + [UInt8](repeating: 0, count: data.count % 2)
    }

    private static func riff(_ chunks: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + littleEndian(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
    }
}
