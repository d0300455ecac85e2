/// A PNG made chunk by chunk, with checksums that are reckoned bit by bit.
public enum SmallPNG {
    /// What every PNG starts with.
    public static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// A whole one, whose pixels nobody could decode.
    public static func bytes(width: Int = 2, height: Int = 2, more: [UInt8] = []) -> [UInt8] {
        signature + header(width: width, height: height) + more + chunk("IDAT", [1, 2, 3]) + chunk("IEND", [])
    }

    /// The chunk IHDR.
    public static func header(width: Int, height: Int, depth: UInt8 = 8, colours: UInt8 = 2) -> [UInt8] {
        chunk("IHDR", number(width) + number(height) + [depth, colours, 0, 0, 0])
    }

    /// One chunk.
    public static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        var checksum = UInt32.max
        for byte in body {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xEDB8_8320 : checksum >> 1 }
        }
        return number(data.count) + body + number(Int(~checksum))
    }

    private static func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
