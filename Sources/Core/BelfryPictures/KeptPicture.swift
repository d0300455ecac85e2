/// A picture as it is kept and shown: a PNG of a small picture's pixels, and nothing else.
///
/// The fetcher writes such a file, and the worker keeps nothing else: a picture that took over the fetcher may have
/// written anything, and programs that do not expect this open the kept file.
public struct KeptPicture: Hashable, Sendable {
    /// The whole file.
    public let bytes: [UInt8]

    /// Reads `png`; nil unless it is one IHDR, one or more IDAT and one IEND, in this order, each with its right
    /// checksum, and nothing after. IHDR states RGB or RGBA of 8 bits, and at most ``FetchLimits/writtenSideMax``
    /// pixels a side.
    public init?(_ png: [UInt8]) {
        guard png.count <= FetchLimits.writtenBytesMax, var chunks = PNGChunks(png), let header = chunks.next(),
            Self.isHeaderOfOurs(header)
        else { return nil }
        var pixelBytes = 0
        while true {
            guard let chunk = chunks.next(), chunk.hasRightChecksum else { return nil }
            if chunk.isEnd {
                guard chunk.data.isEmpty, chunk.whole.endIndex == png.count, pixelBytes > 0 else { return nil }
                break
            }
            guard chunk.isOf("IDAT") else { return nil }
            pixelBytes += chunk.data.count
        }
        bytes = png
    }

    /// What is left of `png`, a small picture that an encoder has just written, without the chunks that are not kept.
    public static func plain(_ png: [UInt8]) -> [UInt8] {
        PNGChunks.of(["IHDR", "IDAT", "IEND"], in: png)
    }

    private static func isHeaderOfOurs(_ header: PNGChunks.Chunk) -> Bool {
        var reader = ByteReader(Array(header.data))
        guard header.isOf("IHDR"), header.data.count == 13, header.hasRightChecksum,
            let width = reader.bigEndian(4), let height = reader.bigEndian(4), let depth = reader.byte(),
            let colours = reader.byte(), reader.bigEndian(3) == 0
        else { return false }
        let sides = 1...FetchLimits.writtenSideMax
        let (rgb, rgba) = (2, 6)
        return sides.contains(width) && sides.contains(height) && depth == 8 && (colours == rgb || colours == rgba)
    }
}

/// The chunks of a PNG (PNG 3, 5.3) from its first one on; ends after IEND, and at a chunk that is cut short.
struct PNGChunks: IteratorProtocol {
    /// One chunk.
    struct Chunk {
        /// Its length, type, data and checksum.
        let whole: ArraySlice<UInt8>

        /// Its data.
        var data: ArraySlice<UInt8> { whole.dropFirst(8).dropLast(4) }

        /// Whether it is the last one.
        var isEnd: Bool { isOf("IEND") }

        /// Whether its type is `type`.
        func isOf(_ type: String) -> Bool { whole.dropFirst(4).prefix(4).elementsEqual(type.utf8) }

        /// Whether its checksum is that of its type and data (PNG 3, 5.5).
        var hasRightChecksum: Bool {
            let stated = whole.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return stated == Checksum.of(whole.dropFirst(4).dropLast(4))
        }
    }

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private var rest: ArraySlice<UInt8>

    /// The chunks of `png`; nil if it does not start with the signature.
    init?(_ png: [UInt8]) {
        guard png.starts(with: Self.signature) else { return nil }
        rest = png.dropFirst(Self.signature.count)
    }

    mutating func next() -> Chunk? {
        let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard rest.count >= 12, length <= rest.count - 12 else { return nil }
        let chunk = Chunk(whole: rest.prefix(12 + length))
        rest = chunk.isEnd ? [] : rest.dropFirst(12 + length)
        return chunk
    }

    /// `png` with those of its chunks whose type is one of `types`, as they are.
    static func of(_ types: [String], in png: [UInt8]) -> [UInt8] {
        guard var chunks = PNGChunks(png) else { return png }
        var left = signature
        while let chunk = chunks.next() {
            if types.contains(where: chunk.isOf) { left += chunk.whole }
        }
        return left
    }
}

/// CRC-32 as PNG has it (ISO 3309; PNG 3, annex D).
private enum Checksum {
    private static let table = (UInt32(0)..<256).map { byte in
        (0..<8).reduce(byte) { value, _ in value & 1 == 0 ? value >> 1 : 0xEDB8_8320 ^ value >> 1 }
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let table = table
        var value = UInt32.max
        for byte in bytes { value = table[Int(truncatingIfNeeded: (value ^ UInt32(byte)) & 0xFF)] ^ value >> 8 }
        return ~value
    }
}
