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

    /// A picture of `pixels`, `0xRRGGBB` row by row, as it is: in blocks of DEFLATE that compress nothing.
    public static func picture(width: Int, pixels: [UInt32]) -> [UInt8] {
        var rows: [UInt8] = []
        for (index, pixel) in pixels.enumerated() {
            if index % width == 0 { rows.append(0) }
            for shift in [16, 8, 0] { rows.append(UInt8(truncatingIfNeeded: pixel >> UInt32(shift))) }
        }
        var (data, rest): ([UInt8], ArraySlice<UInt8>) = ([0x78, 0x01], rows[...])
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let size = [UInt8(block.count & 0xFF), UInt8(block.count >> 8)]
            data += [rest.isEmpty ? 1 : 0] + size + size.map { ~$0 } + block
        } while !rest.isEmpty
        var (sum, sumOfSums) = (1, 0)
        for byte in rows {
            sum = (sum + Int(byte)) % 65_521
            sumOfSums = (sumOfSums + sum) % 65_521
        }
        data += number(sumOfSums << 16 | sum)
        return signature + header(width: width, height: pixels.count / width) + chunk("IDAT", data) + chunk("IEND", [])
    }

    private static func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
